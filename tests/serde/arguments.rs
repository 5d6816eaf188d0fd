//! The arguments of remote calls, read into tuples and structs.

use crate::serde::GODOT_4;
use crate::serde::hostile::Room;
use gdwire::math::Vector3;
use gdwire::multiplayer::{Arguments, MultiplayerProtocol, Packet, parse};
use gdwire::{Dialect, Variant, VariantRef, encode, variant};
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;

/// A call of method 1 of node 2, with arguments as Godot 4 compresses them.
fn call(arguments: &[Vec<u8>]) -> Vec<u8> {
    [&[0, 2, 1, arguments.len() as u8], &*arguments.concat()].concat()
}

fn arguments(packet: &[u8]) -> Arguments<'_> {
    match parse(MultiplayerProtocol::Godot4, GODOT_4, packet).unwrap() {
        Packet::Call(call) => call.arguments,
        other => panic!("{other:?}"),
    }
}

fn value(value: impl Into<Variant>) -> Vec<u8> {
    encode(GODOT_4, &value.into()).unwrap()
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Meters(i64);

#[test]
fn arguments_are_read_into_tuples_and_structs() {
    let at = Vector3::new(1.0f32, 2.0, 3.0);
    let packet = call(&[value(at), vec![0x42, 0xa9, 0], vec![0x81], value("hi"), value(0.5)]);
    let arguments = arguments(&packet);
    let read: (Vector3<f32>, i64, bool, &str, f32) = arguments.to().unwrap();
    assert_eq!(read, (at, 169, true, "hi", 0.5));

    #[derive(Deserialize, PartialEq, Debug)]
    struct Shoot<'a> {
        at: Vector3<f32>,
        distance: Meters,
        hits: Option<bool>,
        #[serde(borrow)]
        weapon: &'a str,
        load: f64,
    }
    let shoot: Shoot = arguments.to().unwrap();
    let expected = Shoot { at, distance: Meters(169), hits: Some(true), weapon: "hi", load: 0.5 };
    assert_eq!(shoot, expected);

    let all: Vec<Variant> = arguments.to().unwrap();
    assert_eq!(all, [at.into(), variant!(169), variant!(true), variant!("hi"), variant!(0.5)]);
    // Like their values, the arguments are no text: an address is four numbers.
    let packet_of_address = call(&[127, 0, 0, 1].map(|number| vec![2, number]));
    let address: Ipv4Addr = self::arguments(&packet_of_address).to().unwrap();
    assert_eq!(address, Ipv4Addr::LOCALHOST);
    let each: Vec<Variant> = arguments.iter().map(|argument| argument.to().unwrap()).collect();
    assert_eq!(each, all);
    let view: VariantRef = arguments.iter().next().unwrap().to().unwrap();
    assert!(packet.as_ptr_range().contains(&view.as_bytes().as_ptr()));
}

#[test]
fn a_wrong_argument_is_named() {
    let packet = call(&[value("hi"), vec![0x42, 0xa9, 0], value(variant!({"x": "far"}))]);
    let arguments = arguments(&packet);
    let error = |error: gdwire::typed::Error| (error.path().to_string(), error.to_string());
    let (path, text) = error(arguments.to::<(i32, i64, Variant)>().unwrap_err());
    assert_eq!((&*path, &*text), ("/0", "/0: expected i32, found String \"hi\""));
    let (_, text) = error(arguments.to::<(&str, &str, Variant)>().unwrap_err());
    assert_eq!(text, "/1: expected a borrowed string, found int 169");
    let (_, text) = error(arguments.to::<(&str, u8, Variant, i32)>().unwrap_err());
    assert!(text.starts_with("invalid length 3"), "{text}");
    let (_, text) = error(arguments.to::<(&str, u8)>().unwrap_err());
    assert_eq!(text, "expected 2 arguments, found 3");
    let (_, text) = error(arguments.to::<(&str,)>().unwrap_err());
    assert_eq!(text, "expected 1 argument, found 3");
    let (_, text) = error(arguments.to::<()>().unwrap_err());
    assert_eq!(text, "expected no arguments, found 3");
    let (_, room) = error(arguments.to::<Room>().unwrap_err());
    assert_eq!(room, "3");

    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "only its errors count")]
    struct At {
        x: f32,
    }
    let (path, text) = error(arguments.to::<(&str, u8, At)>().unwrap_err());
    assert_eq!((&*path, &*text), ("/2/x", "/2/x: expected f32, found String \"far\""));
    arguments.iter().nth(1).unwrap().to::<Vec<i32>>().unwrap_err();
}

#[test]
fn a_call_without_arguments_and_one_with_bytes() {
    let packet = call(&[]);
    arguments(&packet).to::<()>().unwrap();
    let packet = [0x80, 2, 1, 5, 6, 7];
    let bytes = arguments(&packet);
    assert_eq!(bytes.to::<(&[u8],)>().unwrap().0, [5, 6, 7]);
    assert_eq!(bytes.to::<(Vec<u8>,)>().unwrap().0, [5, 6, 7]);
    assert_eq!(bytes.to::<(Option<[u8; 3]>,)>().unwrap().0, Some([5, 6, 7]));
    assert_eq!(bytes.to::<(Variant,)>().unwrap().0, Variant::PackedByteArray(vec![5, 6, 7]));
    bytes.to::<((u8, u8),)>().unwrap_err();
}

#[test]
fn the_plain_arguments_of_godot_3_are_read_too() {
    let dialect = Dialect::GODOT_3;
    let int = encode(dialect, &7).unwrap();
    let packet = [&[0, 5, 0, 0, 0], &b"hit\0\x02"[..], &int, &int].concat();
    let Packet::Call(call) = parse(MultiplayerProtocol::Godot3, dialect, &packet).unwrap() else {
        panic!()
    };
    assert_eq!(call.arguments.to::<(u8, i64)>().unwrap(), (7, 7));
}
