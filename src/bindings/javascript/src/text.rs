//! Other spellings of values, and the same value for another engine.

use crate::{dialect, failure};
use gdwire::{VariantRef, encode, json, parse};
use wasm_bindgen::prelude::*;

fn value(bytes: &[u8], number: u32) -> Result<VariantRef<'_>, JsValue> {
    parse(dialect(number), bytes)
        .map_err(|error| failure(error.to_string(), Some(error.offset), ""))
}

fn raise(error: impl ToString) -> JsValue {
    failure(error.to_string(), None, "")
}

/// The JSON of a value: lossless as of Godot 4's `JSON.from_native`, or plain.
#[wasm_bindgen(js_name = toJson)]
pub fn to_json(bytes: &[u8], number: u32, native: bool) -> Result<String, JsValue> {
    let value = value(bytes, number)?;
    Ok(if native { json::to_string(value) } else { json::to_plain_string(value) })
}

/// The bytes of the value that native JSON spells.
#[wasm_bindgen(js_name = fromJson)]
pub fn from_json(text: &str, number: u32) -> Result<Vec<u8>, JsValue> {
    let dialect = dialect(number);
    encode(dialect, &json::parse_for(dialect, text).map_err(raise)?).map_err(raise)
}

/// The literal of a value, as `var_to_str` of its engine writes it.
#[wasm_bindgen(js_name = toText)]
pub fn to_text(bytes: &[u8], number: u32) -> Result<String, JsValue> {
    Ok(value(bytes, number)?.to_string())
}

/// The bytes of the value that a literal spells.
#[wasm_bindgen(js_name = fromText)]
pub fn from_text(text: &str, number: u32) -> Result<Vec<u8>, JsValue> {
    let dialect = dialect(number);
    encode(dialect, &gdwire::text::parse_for(dialect, text).map_err(raise)?).map_err(raise)
}

/// The bytes that another engine writes for the same value. `lossy` writes the nearest value in place
/// of what that engine does not have.
#[wasm_bindgen]
pub fn convert(bytes: &[u8], from: u32, to: u32, lossy: bool) -> Result<Vec<u8>, JsValue> {
    use gdwire::convert::OnLoss;
    let loss = if lossy { OnLoss::Allow } else { OnLoss::Refuse };
    let converted = gdwire::convert::convert(value(bytes, from)?, dialect(to), loss);
    converted.map(|converted| converted.bytes).map_err(raise)
}

/// The names of the dialects that read the bytes best, separated by spaces.
#[wasm_bindgen]
pub fn detect(bytes: &[u8]) -> String {
    let detection = gdwire::detect::detect([bytes]);
    detection.best().map(|dialect| dialect.name()).collect::<Vec<_>>().join(" ")
}

/// Explains each byte of a value, as JSON: a list of fields.
#[wasm_bindgen]
pub fn explain(bytes: &[u8], number: u32) -> Result<String, JsValue> {
    use gdwire::explain::{Detail, value};
    use std::io::Write;
    use std::ops::ControlFlow;
    let mut out = b"[".to_vec();
    let written = value(dialect(number), bytes, Detail::new(), |field| {
        let separator = if out.len() > 1 { "," } else { "" };
        let (offset, len, depth) = (field.offset, field.bytes.len(), field.depth);
        let fields = write!(
            out,
            "{separator}{{\"offset\":{offset},\"len\":{len},\"depth\":{depth},\"name\":"
        )
        .and_then(|()| json::write_string(field.name, &mut out))
        .and_then(|()| out.write_all(b",\"value\":"))
        .and_then(|()| json::write_string(field.value, &mut out))
        .and_then(|()| write!(out, ",\"valid\":{}}}", field.is_valid));
        match fields {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    out.push(b']');
    match written {
        ControlFlow::Continue(()) => String::from_utf8(out).map_err(raise),
        ControlFlow::Break(error) => Err(raise(error)),
    }
}
