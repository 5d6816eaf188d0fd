//! Captures that arrive in pieces: their messages, statistics, findings and the report.

use crate::{dialect, failure};
use gdwire::capture::{JsonLine, PacketReader, ReadError};
use gdwire::compression::Decompressor;
use gdwire::diagnose::Diagnosis;
use gdwire::follow::{Event, Follower, Options, Transport};
use gdwire::json::Spelling;
use gdwire::multiplayer::{Methods, Names};
use gdwire::project::Project;
use gdwire::report::{Page, Report};
use gdwire::stats::Stats;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

fn raise(error: impl ToString) -> JsValue {
    failure(error.to_string(), None, "")
}

/// The pieces of a file that have been pushed and not yet read.
#[derive(Clone, Default)]
struct Pieces(Rc<RefCell<(VecDeque<u8>, bool)>>);

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (bytes, is_at_end) = &mut *self.0.borrow_mut();
        if bytes.is_empty() && !*is_at_end {
            return Err(ErrorKind::WouldBlock.into());
        }
        bytes.read(into)
    }
}

/// Names for the numbers in packets.
#[wasm_bindgen]
#[derive(Default)]
pub struct GameNames {
    files: Vec<(String, Vec<u8>)>,
    methods: Option<Methods>,
}

#[wasm_bindgen]
impl GameNames {
    #[wasm_bindgen(constructor)]
    pub fn new() -> GameNames {
        GameNames::default()
    }

    /// Adds a file of the project, by its path from the project's folder.
    pub fn file(&mut self, path: String, content: Vec<u8>) {
        self.files.push((path, content));
    }

    /// Adds a list of methods by hand.
    pub fn methods(&mut self, text: &str) -> Result<(), JsValue> {
        self.methods = Some(Methods::parse(text).map_err(raise)?);
        Ok(())
    }
}

impl GameNames {
    pub fn into_names(self) -> Arc<Names> {
        let mut names = Names::new();
        if let Some(methods) = self.methods {
            names = names.with_methods(methods);
        }
        if !self.files.is_empty() {
            names = names.with_project(Project::from_files(self.files));
        }
        Arc::new(names)
    }
}

/// What is collected of a capture.
#[derive(Default)]
struct Collected {
    lines: Option<Vec<u8>>,
    values: Spelling,
    has_losses: bool,
    stats: Option<Stats>,
    diagnosis: Option<Diagnosis>,
    report: Option<Report>,
}

impl Collected {
    fn event(&mut self, event: &Event<'_>) {
        if let Some(lines) = &mut self.lines {
            let is_line = match event {
                Event::Message(_) => true,
                Event::Lost(_) | Event::Damaged(_) => self.has_losses,
                _ => false,
            };
            let mut line = JsonLine::new(self.values);
            // Writing to memory does not fail.
            if is_line && line.event(event).is_ok() {
                lines.append(&mut line.finish());
                lines.push(b'\n');
            }
        }
        if let Some(stats) = &mut self.stats {
            stats.event(event);
        }
        if let Some(diagnosis) = &mut self.diagnosis {
            diagnosis.event(event);
        }
        if let Some(report) = &mut self.report {
            report.event(event);
        }
    }
}

/// Reads a capture that is pushed in pieces.
#[wasm_bindgen]
pub struct CaptureReader {
    pieces: Pieces,
    packets: PacketReader<Decompressor<Pieces>>,
    follower: Follower<'static>,
    collected: Collected,
    is_finished: bool,
}

#[wasm_bindgen]
impl CaptureReader {
    /// `what` is a text with the letters of what is collected: `m`essages, `l`osses among them,
    /// `n`ative values, `s`tatistics, `d`iagnosis, `r`eport.
    #[wasm_bindgen(constructor)]
    pub fn new(
        what: &str,
        names: Option<GameNames>,
        dialect_number: Option<u32>,
        transport: Option<String>,
    ) -> Result<CaptureReader, JsValue> {
        let has = |letter| what.contains(letter);
        let mut options = Options::new();
        if has('s') || has('d') || has('r') {
            options = options.with_measures();
        }
        if let Some(names) = names {
            options = options.with_names(names.into_names());
        }
        if let Some(number) = dialect_number {
            options = options.with_dialect(dialect(number));
        }
        if let Some(name) = transport {
            let transport = Transport::from_name(&name);
            options = options.with_transport(
                transport.ok_or_else(|| raise(format!("no transport is called {name}")))?,
            );
        }
        let pieces = Pieces::default();
        Ok(CaptureReader {
            packets: PacketReader::new(Decompressor::new(pieces.clone())),
            pieces,
            follower: Follower::with_options(options),
            collected: Collected {
                lines: has('m').then(Vec::new),
                values: if has('n') { Spelling::Native } else { Spelling::Plain },
                has_losses: has('l'),
                stats: has('s').then(Stats::new),
                diagnosis: has('d').then(Diagnosis::new),
                report: has('r').then(Report::new),
            },
            is_finished: false,
        })
    }

    /// Reads the next piece of the file.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), JsValue> {
        self.pieces.0.borrow_mut().0.extend(piece);
        self.read()
    }

    /// Ends the file.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        self.pieces.0.borrow_mut().1 = true;
        self.read()
    }

    fn read(&mut self) -> Result<(), JsValue> {
        let CaptureReader { packets, follower, collected, is_finished, .. } = self;
        while !*is_finished {
            match packets.next_packet() {
                Ok(Some(packet)) => {
                    follower.packet(&packet).for_each(|event| collected.event(&event));
                    continue;
                }
                Ok(None) => {}
                Err(ReadError::Io(error)) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(ReadError::Damaged(error)) if error.frame.is_some() => {
                    collected.event(&Event::Damaged(error));
                }
                Err(ReadError::Damaged(error)) => {
                    *is_finished = true;
                    return Err(failure(error.to_string(), usize::try_from(error.offset).ok(), ""));
                }
                Err(error) => {
                    *is_finished = true;
                    return Err(raise(error));
                }
            }
            *is_finished = true;
            follower.finish().for_each(|event| collected.event(&event));
        }
        Ok(())
    }

    /// The lines of JSON since the last call.
    pub fn lines(&mut self) -> Result<String, JsValue> {
        let lines = self.collected.lines.as_mut().map(std::mem::take);
        String::from_utf8(lines.unwrap_or_default()).map_err(raise)
    }

    /// The statistics, as JSON.
    pub fn stats(&self, name: &str) -> Result<String, JsValue> {
        let mut json = Vec::new();
        if let Some(stats) = &self.collected.stats {
            stats.write_json(name, &mut json).map_err(raise)?;
        }
        String::from_utf8(json).map_err(raise)
    }

    /// The findings, as JSON.
    pub fn diagnosis(&self, name: &str) -> Result<String, JsValue> {
        let mut json = Vec::new();
        if let Some(diagnosis) = &self.collected.diagnosis {
            diagnosis.write_json(name, &mut json).map_err(raise)?;
        }
        String::from_utf8(json).map_err(raise)
    }

    /// The report: a page of HTML.
    pub fn report(&self, name: &str) -> Result<String, JsValue> {
        let mut page = Page::new(Vec::new()).map_err(raise)?;
        if let Some(report) = &self.collected.report {
            page.add(name, "", report).map_err(raise)?;
        }
        String::from_utf8(page.finish().map_err(raise)?).map_err(raise)
    }
}
