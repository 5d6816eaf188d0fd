//! A TCP server for games that use `PacketPeerStream`. It sends each value of a game to all
//! connected games.
//!
//! ```sh
//! cargo run --example tcp_server --features codec 127.0.0.1:7777
//! ```

use futures_util::{SinkExt, StreamExt};
use gdwire::codec::{CodecError, ValueCodec};
use gdwire::{Dialect, VariantBytes};
use std::error::Error;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast::{self, Sender};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::codec::{FramedRead, FramedWrite};

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(serve(&address))
}

async fn serve(address: &str) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    let (all, _) = broadcast::channel(100);
    loop {
        // There may be too many connections now, until one ends.
        let Ok((stream, from)) = listener.accept().await else {
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        let all = all.clone();
        tokio::spawn(async move {
            match talk(stream, all).await {
                Ok(()) => println!("{from} left"),
                Err(error) => eprintln!("{from}: {error}"),
            }
        });
    }
}

/// Sends the values of one game to all games, and the values of all games to it.
async fn talk(stream: TcpStream, all: Sender<VariantBytes>) -> Result<(), CodecError> {
    let (input, output) = stream.into_split();
    let mut input = FramedRead::new(input, ValueCodec::new(Dialect::GODOT_3));
    let mut output = FramedWrite::new(output, ValueCodec::new(Dialect::GODOT_3));
    let mut values = all.subscribe();
    // The tasks end when this function returns for any reason.
    let mut sender = JoinSet::new();
    sender.spawn(async move {
        // A game that is too slow misses values.
        while let Ok(value) = values.recv().await {
            output.send(value).await?;
        }
        Ok::<(), CodecError>(())
    });
    while let Some(value) = input.next().await {
        // Sending cannot fail, because this game is a receiver, too.
        let _ = all.send(value?);
    }
    Ok(())
}
