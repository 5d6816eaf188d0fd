//! Frames and values in bytes that arrive in pieces.

use crate::{dialect, failure};
use gdwire::stream::{DEFAULT_FRAME_LIMIT, Framer, Progress};
use wasm_bindgen::prelude::*;

fn raise(error: gdwire::Error) -> JsValue {
    failure(error.to_string(), Some(error.offset), "")
}

/// Puts the pieces of a stream together and returns its frames: a length, then a value.
#[wasm_bindgen]
pub struct FrameReader(Framer);

#[wasm_bindgen]
impl FrameReader {
    #[wasm_bindgen(constructor)]
    pub fn new(limit: Option<u32>) -> FrameReader {
        FrameReader(Framer::with_limit(limit.unwrap_or(DEFAULT_FRAME_LIMIT)))
    }

    /// Adds the next piece of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        self.0.push(piece);
    }

    /// The next whole frame, without its length; undefined until more is pushed.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        Ok(self.0.next_frame().map_err(raise)?.map(<[u8]>::to_vec))
    }

    /// How many bytes the next frame still needs at least.
    #[wasm_bindgen(getter)]
    pub fn needed(&self) -> usize {
        self.0.needed()
    }
}

/// Finds where a value ends that arrives in pieces, without keeping it.
#[wasm_bindgen]
pub struct Scanner {
    scanner: gdwire::stream::Scanner,
    dialect: u32,
}

#[wasm_bindgen]
impl Scanner {
    #[wasm_bindgen(constructor)]
    pub fn new(number: u32) -> Scanner {
        Scanner { scanner: gdwire::stream::Scanner::new(dialect(number)), dialect: number }
    }

    /// Reads the next piece. Returns how many of its bytes belong to the value that ends in it;
    /// undefined if the value goes on. After a value, the next one begins.
    pub fn push(&mut self, piece: &[u8]) -> Result<Option<usize>, JsValue> {
        match self.scanner.push(piece).map_err(raise)? {
            Progress::Done { used, .. } => {
                self.scanner = gdwire::stream::Scanner::new(dialect(self.dialect));
                Ok(Some(used))
            }
            Progress::Needed(_) => Ok(None),
        }
    }
}
