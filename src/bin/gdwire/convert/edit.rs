//! Edits the values of one file with `gdwire::edit`. All bytes that no edit changes are copied.

use super::ConvertArgs;
use crate::args::Input;
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{self, OpenedInput};
use crate::opened::{self, name, reason};
use crate::output::{self, Replaced};
use crate::saves::Saves;
use crate::sink::{EventSink, InputSink, Position, SinkRefusal, ValuePlace};
use clap::Args;
use data_encoding::{BASE64, HEXLOWER};
use gdwire::edit::{Edit, Edited, Problem, Types, edit};
use gdwire::follow::Message;
use gdwire::save::{Encryption, Layer, Packing, pack_layers};
use gdwire::{Dialect, VariantRef, parse};
use std::io::{self, Write};
use std::ops::Range;
use std::slice;

/// Options that have no effect with edits, because edits keep the properties of the file that these
/// options change.
#[rustfmt::skip]
const OTHERS: [&str; 24] = [
    "to", "lossy", "to_double", "output", "compress", "encrypt", "skip_errors", "interface", "follow",
    "join", "recursive", "port", "host", "transport", "kind", "src", "dst", "command", "path", "method",
    "conditions", "grep", "frames", "limit",
];

/// The options that edit a file.
#[derive(Args)]
#[command(next_help_heading = "Edits")]
pub struct EditArgs {
    /// Replace a value, such as '[19].player.hp=100', and keep everything else (repeatable)
    ///
    /// [19] is the place of the value in the file, as 'gdwire decode --index' shows it. It may be left
    /// out if only one value has such a path. The new value is a literal: name="Zoë", at=Vector2(1, 2).
    #[arg(long, value_name = "PATH=VALUE", value_parser = Edit::set, conflicts_with_all = OTHERS)]
    pub set: Vec<Edit>,
    /// Add an entry to a dictionary, or an element to the end of an array (repeatable)
    ///
    /// The path of a new element ends with its index: if player.items has three elements,
    /// player.items[3]="sword" adds a fourth. Several with the same path are added in order.
    #[arg(long, value_name = "PATH=VALUE", value_parser = Edit::add, conflicts_with_all = OTHERS)]
    pub add: Vec<Edit>,
    /// Remove an entry, an element, or a whole value such as '[19]' (repeatable)
    #[arg(long, value_name = "PATH", value_parser = Edit::delete, conflicts_with_all = OTHERS)]
    pub delete: Vec<Edit>,
    /// Give an entry another key, such as 'player.hp=health' (repeatable)
    #[arg(long, value_name = "PATH=KEY", value_parser = Edit::rename, conflicts_with_all = OTHERS)]
    pub rename: Vec<Edit>,
    /// Allow --set and --rename to change the type of a value or a key
    #[arg(long)]
    pub change_types: bool,
}

impl EditArgs {
    /// Whether there are edits.
    pub fn is_used(&self) -> bool {
        let EditArgs { set, add, delete, rename, .. } = self;
        [set, add, delete, rename].iter().any(|edits| !edits.is_empty())
    }

    fn edits(&self) -> Vec<Edit> {
        let EditArgs { set, add, delete, rename, .. } = self;
        [set, add, delete, rename].into_iter().flatten().cloned().collect()
    }
}

/// Edits the only input.
pub fn run(args: &ConvertArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let [path] = &args.inputs.files[..] else {
        return Err("--set, --add, --delete and --rename edit exactly one file".into());
    };
    let name = name(path);
    opened::inputs(slice::from_ref(path));
    let file = match OpenedInput::open(path) {
        Ok(OpenedInput::Unpacked(_)) => Err(
            "an edited file must not be compressed with gzip, Zstandard or LZ4; unpack it first"
                .to_owned(),
        ),
        opened => opened.and_then(OpenedInput::whole).map_err(|error| reason(&error)),
    };
    let file = match file {
        Ok(file) => file,
        Err(problem) => {
            diagnostics.unreadable(&name, &problem);
            return Ok(());
        }
    };
    let mut saves = args.saves.read()?;
    let (content, layers) = match unpacked(&mut saves, &file, &name) {
        Ok(unpacked) => unpacked,
        Err(problem) => {
            diagnostics.unreadable(&name, &problem);
            return Ok(());
        }
    };
    input::report_change(&file, &name, diagnostics);
    let mut values = FileValues::default();
    let inputs = (&args.inputs, &args.filters);
    input::read_whole_file(name.clone(), content.clone(), inputs, &mut values, diagnostics)?;
    saves.conclude(diagnostics);
    if values.has_messages {
        return Err(format!("{name}: a capture cannot be edited, only a file with values").into());
    }
    if diagnostics.has_unread() || diagnostics.has_errors() {
        diagnostics.note(&"the file was not edited, as not all of it can be read");
        return Ok(());
    }
    let types = if args.edits.change_types { Types::Change } else { Types::Keep };
    let edited = edit(&values.views(), &args.edits.edits(), types).map_err(|error| {
        let advice = match error.problem() {
            Problem::TypeChange { .. } => "; --change-types allows another type",
            Problem::Missing { .. } if !args.edits.set.is_empty() => {
                "; --add adds a key, or an element at the end of an array"
            }
            Problem::KeyExists if !args.edits.add.is_empty() => "; --set replaces its value",
            _ => "",
        };
        format!("{name}: {error}{advice}")
    })?;
    let content = values.replaced(&content, &edited, args.inputs.input);
    let file = packed(&content, layers, &saves)
        .map_err(|error| format!("{name}: cannot be packed again: {}", reason(&error)))?;
    let (mut out, replacement) =
        output::open_or_stdout(args.output.file.as_deref(), Replaced::OnlyInput, "")?;
    out.write_all(&file)?;
    out.flush()?;
    Ok(output::commit(replacement, diagnostics)?)
}

/// The content of a file, and the layers around it.
fn unpacked(saves: &mut Saves, file: &[u8], name: &str) -> Result<(Vec<u8>, Vec<Layer>), String> {
    if Packing::of(file).is_some() {
        return saves.unpack_layers(file, name);
    }
    let limit = saves.max_len();
    if file.len() > limit {
        let len = file.len();
        return Err(format!(
            "the file has {len} bytes, and at most {limit} are edited; --max-unpacked sets another \
             limit"
        ));
    }
    Ok((file.to_vec(), Vec::new()))
}

/// The file with this content in the same layers.
fn packed(content: &[u8], mut layers: Vec<Layer>, saves: &Saves) -> io::Result<Vec<u8>> {
    for layer in &mut layers {
        if let Layer::Encrypted(Encryption::Godot4 { vector }) = layer {
            getrandom::fill(vector)?;
        }
    }
    pack_layers(content, &layers, saves.used_key())
}

/// The values of a file, in order.
#[derive(Default)]
struct FileValues {
    /// The bytes of all values.
    bytes: Vec<u8>,
    values: Vec<FileValue>,
    /// Whether the file is a capture.
    has_messages: bool,
}

struct FileValue {
    position: Position,
    /// Its bytes among those of all values.
    range: Range<usize>,
    dialect: Dialect,
}

impl EventSink for FileValues {
    fn message(&mut self, _: &Message<'_>) -> Result<(), SinkRefusal> {
        self.has_messages = true;
        Ok(())
    }
}

impl InputSink for FileValues {
    fn value(&mut self, place: ValuePlace, value: VariantRef<'_>) -> Result<(), SinkRefusal> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value.as_bytes());
        let range = start..self.bytes.len();
        let (position, dialect) = (place.position, value.dialect());
        self.values.push(FileValue { position, range, dialect });
        Ok(())
    }
}

impl FileValues {
    fn views(&self) -> Vec<VariantRef<'_>> {
        let bytes = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let values = self.values.iter();
        // Each was read from the same bytes.
        values.filter_map(|value| parse(value.dialect, bytes(&value.range)).ok()).collect()
    }

    /// The content of the file with the edited values.
    fn replaced(&self, content: &[u8], edited: &[Edited], input: Input) -> Vec<u8> {
        let mut new = Vec::with_capacity(content.len());
        let mut copied = 0_usize;
        let mut lines = LineFinder { content, number: 0, end: 0 };
        for Edited { index, bytes, .. } in edited {
            let Some(value) = self.values.get(*index) else { continue };
            let (range, bytes) = match (value.position, bytes) {
                (Position::Framed(offset, len), bytes) => {
                    let start = usize::try_from(offset).unwrap_or(usize::MAX);
                    let end = start.saturating_add(len as usize);
                    let bytes = bytes.as_ref().map(|bytes| {
                        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                        [&len.to_le_bytes()[..], bytes].concat()
                    });
                    (start.saturating_sub(4)..end, bytes)
                }
                (Position::Offset(offset), bytes) => {
                    let start = usize::try_from(offset).unwrap_or(usize::MAX);
                    (start..start.saturating_add(value.range.len()), bytes.clone())
                }
                (Position::Line(number), Some(bytes)) => {
                    let encoding = if input == Input::Base64 { &BASE64 } else { &HEXLOWER };
                    (lines.text(number), Some(encoding.encode(bytes).into_bytes()))
                }
                (Position::Line(number), None) => (lines.whole(number), None),
            };
            new.extend_from_slice(content.get(copied..range.start).unwrap_or_default());
            new.extend(bytes.unwrap_or_default());
            copied = range.end;
        }
        new.extend_from_slice(content.get(copied..).unwrap_or_default());
        new
    }
}

/// Finds lines in the order of their numbers.
struct LineFinder<'c> {
    content: &'c [u8],
    number: u64,
    end: usize,
}

impl LineFinder<'_> {
    /// A line with its end.
    fn whole(&mut self, number: u64) -> Range<usize> {
        let mut start = self.end;
        while self.number < number && self.end < self.content.len() {
            start = self.end;
            let rest = self.content.get(start..).unwrap_or_default();
            let len = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
            self.end = start.saturating_add(len);
            self.number += 1;
        }
        start..self.end
    }

    /// A line without its end.
    fn text(&mut self, number: u64) -> Range<usize> {
        let line = self.whole(number);
        let text = self.content.get(line.clone()).unwrap_or_default();
        line.start..line.start.saturating_add(text.trim_ascii_end().len())
    }
}
