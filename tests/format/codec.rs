//! The codecs for tokio, on recorded values.

use crate::common::{Value, lines, recorded_values, unhex};
use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use gdwire::codec::{CodecError, DatagramCodec, FrameCodec, ValueCodec};
use gdwire::{Dialect, Variant, VariantBytes, encode, parse, variant};
use std::future::Future;
use tokio::net::UdpSocket;
use tokio_util::codec::{Decoder, Encoder, FramedRead, FramedWrite};
use tokio_util::udp::UdpFramed;

const DIALECT: Dialect = Dialect::GODOT_3;

fn values() -> Vec<Vec<u8>> {
    lines::<Value>("godot3/values.ndjson").iter().map(|line| unhex(&line.hex)).collect()
}

fn stream_of(values: &[Vec<u8>]) -> Vec<u8> {
    let frame = |value: &Vec<u8>| [&(value.len() as u32).to_le_bytes()[..], value].concat();
    values.iter().flat_map(frame).collect()
}

fn run<F: Future>(test: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test)
}

/// Decodes a stream in pieces, as `FramedRead` does.
fn decode<C: Decoder>(codec: &mut C, pieces: &[&[u8]]) -> Vec<Result<C::Item, C::Error>> {
    let mut buffer = BytesMut::new();
    let mut out = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(item) = codec.decode(&mut buffer).transpose() {
            out.push(item);
        }
    }
    while let Some(item) = codec.decode_eof(&mut buffer).transpose() {
        out.push(item);
    }
    out
}

/// Checks that the pieces of a stream give its values.
fn assert_decoded(dialect: Dialect, pieces: &[&[u8]], values: &[Vec<u8>]) {
    let decoded = decode(&mut ValueCodec::new(dialect), pieces);
    assert_eq!(decoded.len(), values.len());
    for (value, expected) in decoded.into_iter().zip(values) {
        assert_eq!(value.unwrap().as_bytes(), expected);
    }
}

#[test]
fn every_recorded_value_is_read_from_every_split() {
    let mut dialects: Vec<(Dialect, Vec<Vec<u8>>)> = Vec::new();
    for (dialect, line) in recorded_values() {
        match dialects.last_mut().filter(|(last, _)| *last == dialect) {
            Some((_, values)) => values.push(unhex(&line.hex)),
            None => dialects.push((dialect, vec![unhex(&line.hex)])),
        }
    }
    assert_eq!(dialects.len(), 5);
    for (dialect, values) in dialects {
        let stream = stream_of(&values);
        for size in [1, 2, 3, 5, 7, 64, 1000] {
            assert_decoded(dialect, &stream.chunks(size).collect::<Vec<_>>(), &values);
        }
        // Cut in two, within each value and within the length of the next. Long values are cut at a
        // few hundred places.
        for pair in values.windows(2) {
            let stream = stream_of(pair);
            for at in (0..=8 + pair[0].len()).rev().step_by(1 + pair[0].len() / 200) {
                let (one, other) = stream.split_at(at);
                assert_decoded(dialect, &[one, other], pair);
            }
        }
    }
}

#[test]
fn a_stream_that_is_cut_says_so_once() {
    let stream = stream_of(&values()[..3]);
    let ends: Vec<_> = values()[..3]
        .iter()
        .scan(0, |end, value| {
            *end += 4 + value.len();
            Some(*end)
        })
        .collect();
    for at in 0..stream.len() {
        let mut decoded = decode(&mut ValueCodec::new(DIALECT), &[&stream[..at]]);
        let whole = ends.iter().filter(|end| **end <= at).count();
        if at == 0 || ends.contains(&at) {
            assert_eq!(decoded.len(), whole);
            continue;
        }
        assert_eq!(decoded.len(), whole + 1);
        match decoded.pop().unwrap() {
            Err(CodecError::Frame(error)) => assert!(error.is_unexpected_end(), "{error}"),
            other => panic!("{other:?}"),
        }
        assert!(decoded.iter().all(Result::is_ok));
    }
    let sentence = |bytes: &[u8]| {
        decode(&mut FrameCodec::new(), &[bytes]).pop().unwrap().unwrap_err().to_string()
    };
    assert_eq!(
        sentence(&[0, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3]),
        "byte 8: the input ends inside the content of a frame: 8 bytes are needed, 3 are left"
    );
    assert_eq!(
        sentence(&[1, 0]),
        "byte 0: the input ends inside the length of a frame: 4 bytes are needed, 2 are left"
    );
}

#[test]
fn a_codec_continues_after_an_invalid_value_but_not_after_a_length_over_the_limit() {
    let mut stream = stream_of(&[vec![0; 4], vec![99, 0, 0, 0], vec![1, 0, 0, 0, 1, 0, 0, 0]]);
    stream.extend([0xff; 4]);
    let mut codec = ValueCodec::new(DIALECT);
    let mut buffer = BytesMut::from(&stream[..]);
    assert!(codec.decode(&mut buffer).unwrap().unwrap().view().is_nil());
    match codec.decode(&mut buffer) {
        Err(CodecError::Value(error)) => assert_eq!(error.offset, 12),
        other => panic!("{other:?}"),
    }
    assert_eq!(codec.decode(&mut buffer).unwrap().unwrap().view().as_bool(), Some(true));
    for _ in 0..2 {
        match codec.decode(&mut buffer) {
            Err(CodecError::Frame(error)) => assert_eq!(error.offset, 28),
            other => panic!("{other:?}"),
        }
    }

    // A reader of raw frames gets all frames, a reader of values those before the invalid one.
    run(async {
        let raw: Vec<_> = FramedRead::new(&stream[..28], FrameCodec::new()).collect().await;
        assert_eq!(raw.len(), 3);
        let mut values = FramedRead::new(&stream[..28], ValueCodec::new(DIALECT));
        assert!(values.next().await.unwrap().is_ok());
        assert!(values.next().await.unwrap().is_err());
        assert!(values.next().await.is_none());
        assert!(values.next().await.unwrap().is_ok(), "the next value can be read");
    });
}

#[test]
fn an_announced_length_reserves_little() {
    let mut buffer = BytesMut::from(&[0, 0, 0, 4, 1][..]);
    assert!(FrameCodec::new().decode(&mut buffer).unwrap().is_none());
    assert!(buffer.capacity() < 200 << 10, "{}", buffer.capacity());
    let mut buffer = BytesMut::from(&[100, 0, 0, 0, 1][..]);
    assert!(FrameCodec::new().decode(&mut buffer).unwrap().is_none());
    assert!(buffer.capacity() >= 104);
}

#[test]
fn a_failed_encoding_leaves_the_buffer_unchanged() {
    let mut codec = ValueCodec::with_limit(DIALECT, 16);
    let mut out = BytesMut::new();
    codec.encode("hi", &mut out).unwrap();
    let before = out.clone();
    let refused = codec.encode("much too long for this", &mut out).unwrap_err();
    assert_eq!(refused.to_string(), "a frame of 32 bytes is longer than the limit of 16");
    let unknown = gdwire::math::Vector4::new(1.0, 2.0, 3.0, 4.0);
    assert!(matches!(codec.encode(unknown, &mut out), Err(CodecError::Encode(_))));
    assert!(DatagramCodec::new(DIALECT).encode(unknown, &mut out).is_err());
    FrameCodec::with_limit(3).encode([0; 4], &mut out).unwrap_err();
    assert_eq!(out, before);
    assert_eq!(before, stream_of(&[encode(DIALECT, "hi").unwrap()]));
}

#[test]
fn written_values_are_read_back() {
    let (one, other) = tokio::io::duplex(100);
    run(async {
        let sent: Vec<_> = values();
        let expected = sent.clone();
        let write = async move {
            let mut sink = FramedWrite::new(one, ValueCodec::new(DIALECT));
            for value in &sent {
                sink.send(&Variant::from(parse(DIALECT, value).unwrap())).await.unwrap();
            }
        };
        let read = FramedRead::new(other, ValueCodec::new(DIALECT))
            .map(|value| Variant::from(&value.unwrap()))
            .collect::<Vec<_>>();
        let ((), read) = futures_util::future::join(write, read).await;
        assert_eq!(read.len(), expected.len());
        for (value, bytes) in read.iter().zip(&expected) {
            // Compared as bytes: no NaN equals itself.
            let expected = Variant::from(parse(DIALECT, bytes).unwrap());
            assert_eq!(encode(DIALECT, value).unwrap(), encode(DIALECT, &expected).unwrap());
        }
    });
}

#[test]
fn datagrams_continue_after_one_that_is_not_a_value() {
    run(async {
        let bind = || UdpSocket::bind("127.0.0.1:0");
        let (server, game) = (bind().await.unwrap(), bind().await.unwrap());
        let address = server.local_addr().unwrap();
        let mut server = UdpFramed::new(server, DatagramCodec::new(DIALECT));
        let hello = encode(DIALECT, &variant!({ "id": 7 })).unwrap();
        for datagram in [&hello[..], &[99, 0, 0, 0], &[], &hello] {
            game.send_to(datagram, address).await.unwrap();
        }
        let (first, from) = server.next().await.unwrap().unwrap();
        assert!(matches!(server.next().await, Some(Err(CodecError::Value(_)))));
        let (second, _) = server.next().await.unwrap().unwrap();
        assert_eq!(first, second);
        assert_eq!(from, game.local_addr().unwrap());
        server.send((first, from)).await.unwrap();
        let mut answer = [0; 100];
        let length = game.recv(&mut answer).await.unwrap();
        assert_eq!(answer[..length], hello);
    });
}

#[test]
fn a_shared_value_outlives_its_stream() {
    fn assert_shareable<T: Send + Sync + 'static>(_: &T) {}
    for bytes in values() {
        let value = VariantBytes::parse(DIALECT, Bytes::from(bytes.clone())).unwrap();
        assert_shareable(&value);
        let view = parse(DIALECT, &bytes).unwrap();
        assert_eq!(encode(DIALECT, &value).unwrap(), encode(DIALECT, &view).unwrap());
        assert_eq!(format!("{value:?}"), format!("{view:?}"));
        assert_eq!(value.dialect(), DIALECT);
        let copy = VariantBytes::from(view);
        assert_eq!(copy.as_bytes(), &bytes);
        assert!(value.share(view).is_none(), "the view is of another buffer");
        for (place, element) in value.view().as_array().into_iter().flatten().enumerate() {
            let part = value.share(element).unwrap();
            assert_eq!(part.as_bytes().as_ptr(), element.as_bytes().as_ptr());
            assert_eq!(part.into_bytes(), value.view().get(place).unwrap().as_bytes());
        }
    }
    let cut = Bytes::from_static(&[4, 0, 0, 0, 9]);
    assert_eq!(VariantBytes::parse(DIALECT, cut.clone()), Err(parse(DIALECT, &cut).unwrap_err()));
}

#[cfg(feature = "serde")]
mod typed {
    use super::*;
    use gdwire::codec::{TypedCodec, TypedDatagramCodec};
    use gdwire::math::Vector3;
    use gdwire::{from_slice, to_vec};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
    struct State {
        name: String,
        at: Vector3<f32>,
        tags: Vec<String>,
    }

    fn states() -> Vec<State> {
        let tags = || vec!["a".to_string(); 20];
        ["x", "a longer name", ""]
            .map(|name| State { name: name.into(), at: Vector3::new(1.0, 2.0, 3.0), tags: tags() })
            .into()
    }

    #[test]
    fn types_are_read_from_every_split_of_their_stream() {
        let frames: Vec<_> = states().iter().map(|state| to_vec(DIALECT, state).unwrap()).collect();
        let mut sent = BytesMut::new();
        let mut codec = TypedCodec::<State>::new(DIALECT);
        for state in states() {
            codec.encode(&state, &mut sent).unwrap();
        }
        assert_eq!(sent, stream_of(&frames));
        for at in 0..=sent.len() {
            let (one, other) = sent.split_at(at);
            let decoded = decode(&mut TypedCodec::<State>::new(DIALECT), &[one, other]);
            let decoded: Vec<State> = decoded.into_iter().map(Result::unwrap).collect();
            assert_eq!(decoded, states());
        }
    }

    #[test]
    fn a_frame_of_another_type_is_skipped_and_its_place_reported() {
        let frames = [1, 2].map(|number| encode(DIALECT, &number).unwrap());
        let text = encode(DIALECT, &variant!(["ab"])).unwrap();
        let damaged = vec![4, 0, 0, 0, 9, 0, 0, 0];
        let stream = stream_of(&[frames[0].clone(), text, damaged, frames[1].clone()]);
        let mut codec = TypedCodec::<i32>::new(DIALECT);
        let mut buffer = BytesMut::from(&stream[..]);
        assert_eq!(codec.decode(&mut buffer).unwrap(), Some(1));
        match codec.decode(&mut buffer) {
            Err(CodecError::Typed(error)) => {
                assert_eq!(error.to_string(), "expected i32, found Array, at byte 16");
            }
            other => panic!("{other:?}"),
        }
        match codec.decode(&mut buffer) {
            // After 12 and 24 bytes, the length of the frame and the header of the string.
            Err(CodecError::Typed(error)) => {
                assert_eq!(error.as_wire().map(|wire| wire.offset), error.offset());
                assert!(error.offset() > Some(36), "{error}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(codec.decode(&mut buffer).unwrap(), Some(2));
        assert!(codec.decode_eof(&mut buffer).unwrap().is_none());
    }

    #[test]
    fn a_failed_encoding_leaves_the_buffer_unchanged() {
        let mut out = BytesMut::new();
        let mut codec = TypedCodec::<State>::with_limit(DIALECT, 16);
        codec.encode("hi", &mut out).unwrap();
        let before = out.clone();
        let error = codec.encode("much too long for this", &mut out).unwrap_err();
        assert_eq!(error.to_string(), "a frame of 32 bytes is longer than the limit of 16");
        let error = codec.encode([1, u64::MAX], &mut out).unwrap_err();
        assert!(error.to_string().starts_with("/1: the integer"), "{error}");
        let error = codec.encode(BTreeMap::from([("hp", u64::MAX)]), &mut out).unwrap_err();
        assert!(error.to_string().starts_with("/hp: the integer"), "{error}");
        TypedDatagramCodec::<()>::new(DIALECT).encode(u64::MAX, &mut out).unwrap_err();
        assert_eq!(out, before);
    }

    /// A sequence whose length is known only at its end.
    struct Odd(u32);

    impl Serialize for Odd {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..self.0).filter(|number| number % 2 == 1))
        }
    }

    #[test]
    fn lengths_are_filled_in_after_what_is_in_the_buffer() {
        let expected = [variant!([1, 3, 5]), variant!([1, 3])];
        let expected = expected.map(|value| encode(DIALECT, &value).unwrap());
        let mut out = BytesMut::new();
        let mut codec = TypedCodec::<()>::new(DIALECT);
        codec.encode(Odd(6), &mut out).unwrap();
        codec.encode(Odd(4), &mut out).unwrap();
        assert_eq!(out, stream_of(&expected));
        let mut datagrams = BytesMut::new();
        let mut codec = TypedDatagramCodec::<()>::new(DIALECT);
        codec.encode(Odd(6), &mut datagrams).unwrap();
        codec.encode(Odd(4), &mut datagrams).unwrap();
        assert_eq!(datagrams, expected.concat());
    }

    #[test]
    fn datagrams_carry_types() {
        run(async {
            let bind = || UdpSocket::bind("127.0.0.1:0");
            let (server, game) = (bind().await.unwrap(), bind().await.unwrap());
            let address = server.local_addr().unwrap();
            let mut server = UdpFramed::new(server, TypedDatagramCodec::<State>::new(DIALECT));
            let state = states().remove(1);
            let bytes = to_vec(DIALECT, &state).unwrap();
            for datagram in [&bytes[..], &[2, 0, 0, 0, 1, 0, 0, 0], &bytes] {
                game.send_to(datagram, address).await.unwrap();
            }
            let (first, from) = server.next().await.unwrap().unwrap();
            assert_eq!(first, state);
            assert!(matches!(server.next().await, Some(Err(CodecError::Typed(_)))));
            assert_eq!(server.next().await.unwrap().unwrap().0, state);
            server.send((&first, from)).await.unwrap();
            let mut answer = [0; 1000];
            let length = game.recv(&mut answer).await.unwrap();
            assert_eq!(from_slice::<State>(DIALECT, &answer[..length]).unwrap(), state);
        });
    }
}
