//! A server over WebSocket in a program with tokio, for clients of Godot 4 in browsers and elsewhere. A
//! session has no sockets, so it goes with any. This one repeats what a client says to all clients.
//!
//! ```sh
//! cargo run --features peer --example tokio_websocket 127.0.0.1:8080
//! ```

use futures_util::{SinkExt, StreamExt};
use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::project::TransferMode;
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;

const METHODS: &str = "Main/World: move, said, say";
const WORLD: &str = "Main/World";

/// A message from a connection to the session.
enum Input {
    Joined(PeerId, UnboundedSender<Vec<u8>>),
    Packet(PeerId, Vec<u8>),
    Left(PeerId),
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:8080".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        println!("listening on {}", listener.local_addr()?);
        let (inputs, received) = unbounded_channel();
        tokio::spawn(accept(listener, inputs));
        serve(received).await
    })
}

async fn accept(listener: TcpListener, inputs: UnboundedSender<Input>) {
    // The engines choose ids at random; all that counts is that each client has another one.
    let mut id = 1;
    loop {
        // There may be too many connections now, until one ends.
        let Ok((stream, _)) = listener.accept().await else {
            sleep(Duration::from_millis(100)).await;
            continue;
        };
        id += 1;
        let (id, inputs) = (PeerId::new(id), inputs.clone());
        tokio::spawn(async move {
            if let Err(error) = connection(stream, id, &inputs).await {
                eprintln!("{id}: {error}");
            }
            inputs.send(Input::Left(id)).ok();
        });
    }
}

/// Passes messages between a client and the session.
async fn connection(
    stream: TcpStream,
    id: PeerId,
    inputs: &UnboundedSender<Input>,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut sink, mut messages) = tokio_tungstenite::accept_async(stream).await?.split();
    // The first message of a Godot 4 server is the client's id.
    sink.send(Message::binary(id.get().to_le_bytes().to_vec())).await?;
    let (packets, mut sent) = unbounded_channel::<Vec<u8>>();
    inputs.send(Input::Joined(id, packets))?;
    let sending = tokio::spawn(async move {
        while let Some(packet) = sent.recv().await {
            if sink.send(Message::binary(packet)).await.is_err() {
                break;
            }
        }
    });
    while let Some(message) = messages.next().await {
        match message? {
            Message::Binary(packet) => inputs.send(Input::Packet(id, packet.to_vec()))?,
            Message::Close(_) => break,
            _ => {}
        }
    }
    sending.abort();
    Ok(())
}

/// Plays the server of the game.
async fn serve(mut inputs: UnboundedReceiver<Input>) -> Result<(), Box<dyn Error>> {
    let names = Arc::new(Names::from(Methods::parse(METHODS)?));
    let mut session = Session::new(SessionOptions::server(Dialect::GODOT_4).with_names(names));
    let mut clients = HashMap::new();
    while let Some(input) = inputs.recv().await {
        match input {
            Input::Joined(id, packets) => {
                // The session refuses a client if it has too many. Then nothing of it is read.
                if session.connected(id).is_ok() {
                    clients.insert(id, packets);
                }
            }
            Input::Packet(id, packet) => session.receive(id, &packet, TransferMode::Reliable, 0),
            Input::Left(id) => {
                session.disconnected(id);
                clients.remove(&id);
            }
        }
        while let Some(event) = session.poll_event() {
            match event {
                SessionEvent::Call(call) if call.method.as_deref() == Some("say") => {
                    let text = call.arguments().iter().next();
                    let text = text.and_then(|text| Some(text.as_str()?.to_owned()));
                    let said = (call.from().get(), text.unwrap_or_default());
                    session.call(PeerId::EVERYONE, WORLD, "said", said)?;
                }
                SessionEvent::Refused { from, reason } => eprintln!("{from}: {reason}"),
                _ => {}
            }
        }
        while let Some(sent) = session.poll_transmit() {
            if let Some(client) = clients.get(&sent.to) {
                client.send(sent.bytes).ok();
            }
        }
    }
    Ok(())
}
