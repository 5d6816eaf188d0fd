//! Captures that arrive in pieces: their messages, statistics, findings and the report.

use crate::{dialect, failure};
use gdwire::capture::{JsonLine, PacketReader, ReadError};
use gdwire::compression::{self, Decompressor};
use gdwire::diagnose::Diagnosis;
use gdwire::follow::{Event, Follower, Options, Transport};
use gdwire::json::Spelling;
use gdwire::multiplayer::{Evidence, Methods, Names};
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

/// The results that are collected from a capture.
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

    /// Takes the damage in compressed data that ends a capture.
    fn damaged(&mut self, damage: &compression::Error) {
        if let Some(lines) = self.lines.as_mut().filter(|_| self.has_losses) {
            let mut line = JsonLine::new(self.values);
            if line.damaged(None, damage.decompressed, damage).is_ok() {
                lines.append(&mut line.finish());
                lines.push(b'\n');
            }
        }
        if let Some(stats) = &mut self.stats {
            stats.error("damaged file");
        }
        if let Some(report) = &mut self.report {
            report.damaged();
        }
    }
}

/// How a capture is read.
struct How {
    names: Option<Arc<Names>>,
    dialect: Option<gdwire::Dialect>,
    is_double: bool,
    transport: Option<Transport>,
    is_measuring: bool,
}

impl How {
    fn options(&self) -> Options<'static> {
        let mut options = Options::new();
        if self.is_measuring {
            options = options.with_measures();
        }
        if let Some(names) = &self.names {
            options = options.with_names(names.clone());
        }
        if let Some(dialect) = self.dialect {
            options = options.with_dialect(dialect);
        } else if self.is_double {
            options = options.with_double_reals();
        }
        if let Some(transport) = self.transport {
            options = options.with_transport(transport);
        }
        options
    }
}

/// One pass over the pieces of a file.
struct Pass {
    pieces: Pieces,
    packets: PacketReader<Decompressor<Pieces>>,
    follower: Follower<'static>,
    /// The error at which a compressed capture ended early.
    damage: Option<compression::Error>,
    is_finished: bool,
}

impl Pass {
    fn new(options: Options<'static>) -> Pass {
        let pieces = Pieces::default();
        Pass {
            packets: PacketReader::new(Decompressor::new(pieces.clone())),
            pieces,
            follower: Follower::with_options(options),
            damage: None,
            is_finished: false,
        }
    }

    /// Passes the events of the next piece to a function.
    fn push(&mut self, piece: &[u8], take: impl FnMut(&Event<'_>)) -> Result<(), JsValue> {
        // Nothing is kept after the end of a damaged capture.
        if !self.is_finished {
            self.pieces.0.borrow_mut().0.extend(piece);
        }
        self.read(take)
    }

    /// Ends the file.
    fn finish(&mut self, take: impl FnMut(&Event<'_>)) -> Result<(), JsValue> {
        self.pieces.0.borrow_mut().1 = true;
        self.read(take)
    }

    fn read(&mut self, mut take: impl FnMut(&Event<'_>)) -> Result<(), JsValue> {
        while !self.is_finished {
            match self.packets.next_packet() {
                Ok(Some(packet)) => {
                    self.follower.packet(&packet).for_each(|event| take(&event));
                    continue;
                }
                Ok(None) => {}
                Err(ReadError::Io(error)) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(ReadError::Damaged(error)) if error.frame.is_some() => {
                    take(&Event::Damaged(error));
                }
                Err(ReadError::Damaged(error)) => {
                    self.is_finished = true;
                    return Err(failure(error.to_string(), usize::try_from(error.offset).ok(), ""));
                }
                Err(ReadError::Io(error)) => {
                    self.is_finished = true;
                    self.damage = Some(error.downcast().map_err(raise)?);
                }
                Err(error) => {
                    self.is_finished = true;
                    return Err(raise(error));
                }
            }
            self.is_finished = true;
            self.follower.finish().for_each(|event| take(&event));
        }
        Ok(())
    }

    /// Ends the file, and returns what its packets have shown about the names.
    fn into_evidence(mut self) -> Arc<Evidence> {
        // The pass for the messages reports the problem.
        self.finish(|_| ()).ok();
        self.follower.evidence()
    }
}

/// Reads a capture that is pushed in pieces.
#[wasm_bindgen]
pub struct CaptureReader {
    how: How,
    /// The pass for names, from the first `scan` to the first `push`.
    scan: Option<Pass>,
    pass: Pass,
    has_begun: bool,
    collected: Collected,
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
        is_double: bool,
        transport: Option<String>,
    ) -> Result<CaptureReader, JsValue> {
        let has = |letter| what.contains(letter);
        let transport = transport.map(|name| {
            let unknown = || raise(format!("no transport is called {name}"));
            Transport::from_name(&name).ok_or_else(unknown)
        });
        let how = How {
            names: names.map(GameNames::into_names),
            dialect: dialect_number.map(dialect),
            is_double,
            transport: transport.transpose()?,
            is_measuring: has('s') || has('d') || has('r'),
        };
        Ok(CaptureReader {
            pass: Pass::new(how.options()),
            how,
            scan: None,
            has_begun: false,
            collected: Collected {
                lines: has('m').then(Vec::new),
                values: if has('n') { Spelling::Native } else { Spelling::Plain },
                has_losses: has('l'),
                stats: has('s').then(Stats::new),
                diagnosis: has('d').then(Diagnosis::new),
                report: has('r').then(Report::new),
            },
        })
    }

    /// Reads the next piece of the file only for what its packets show about the names. The whole file
    /// is then pushed.
    pub fn scan(&mut self, piece: &[u8]) -> Result<(), JsValue> {
        if self.has_begun {
            return Err(raise("a file is scanned before its first piece is pushed"));
        }
        if self.how.names.as_ref().is_some_and(|names| names.project().is_some()) {
            let scan = self.scan.get_or_insert_with(|| Pass::new(self.how.options()));
            // The pass for the messages reports the problem.
            scan.push(piece, |_| ()).ok();
        }
        Ok(())
    }

    /// Ends the scan, if there was one.
    fn begin(&mut self) {
        self.has_begun = true;
        if let Some(scan) = self.scan.take() {
            let options = self.how.options().with_evidence(scan.into_evidence());
            self.pass = Pass::new(options);
        }
    }

    /// Reads the next piece of the file.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), JsValue> {
        self.begin();
        self.pass.push(piece, |event| self.collected.event(event))?;
        self.take_damage();
        Ok(())
    }

    /// Ends the file.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        self.begin();
        self.pass.finish(|event| self.collected.event(event))?;
        self.take_damage();
        Ok(())
    }

    fn take_damage(&mut self) {
        if let Some(damage) = self.pass.damage.take() {
            self.collected.damaged(&damage);
        }
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
