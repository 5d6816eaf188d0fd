//! Values, readers and errors can be sent to other threads: checked by the compiler.

#![cfg(feature = "std")]

use gdwire::encode::Builder;
use gdwire::stream::{FrameReader, Framer, Scanner};
use gdwire::walk::WalkStack;
use gdwire::{EncodeError, Error, Variant, VariantRef, View};

const fn is_shared<T: Send + Sync>() {}
const fn is_an_error<T: std::error::Error + Send + Sync + 'static>() {}

#[test]
fn types_without_a_feature() {
    is_shared::<VariantRef<'_>>();
    is_shared::<View<'_>>();
    is_shared::<Variant>();
    is_shared::<WalkStack>();
    is_shared::<Framer>();
    is_shared::<Scanner>();
    is_shared::<FrameReader<std::net::TcpStream>>();
    is_shared::<Builder<Vec<u8>>>();
    is_an_error::<Error>();
    is_an_error::<EncodeError>();
    is_an_error::<gdwire::text::ParseError>();
    is_an_error::<gdwire::convert::Error>();
    is_an_error::<gdwire::multiplayer::Error>();
}

#[cfg(feature = "capture")]
#[test]
fn types_that_read_captures() {
    const fn goes<T: Send>() {}

    is_shared::<gdwire::capture::Capture<'_>>();
    is_shared::<gdwire::follow::Batch>();
    is_shared::<gdwire::follow::Event<'_>>();
    goes::<gdwire::follow::Options<'_>>();
    goes::<gdwire::capture::Messages<'_>>();
    goes::<gdwire::net::enet::Session>();
    goes::<gdwire::net::websocket::Stream>();
    is_an_error::<gdwire::packet::Error>();
    is_an_error::<gdwire::net::enet::Error>();
}

#[cfg(feature = "codec")]
#[test]
fn types_for_tokio() {
    is_shared::<gdwire::VariantBytes>();
    is_shared::<gdwire::codec::ValueCodec>();
    is_an_error::<gdwire::codec::CodecError>();
    #[cfg(feature = "serde")]
    is_shared::<gdwire::codec::TypedCodec<std::cell::Cell<u8>>>();
}

#[cfg(feature = "serde")]
#[test]
fn types_for_serde() {
    is_an_error::<gdwire::typed::Error>();
}
