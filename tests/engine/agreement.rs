//! An engine answers questions about values, and this crate has to agree with its answers.
//!
//! All questions go to the engine in one file, and all answers come back in another one, each as a
//! framed value. The scripts `godot3.gd` and `godot4.gd` answer. The questions follow from a seed: see
//! `play.sh`.

use crate::common::{
    Difference, Godot, Value, comparable_texts, difference, engine_file, has_object, hex, is_close,
    is_typed, lines, unhex, value, without_path_padding,
};
use crate::engine::{folder, saves};
use gdwire::stream::{Split, encode_frame, split_frame};
use gdwire::walk::{Event, Slot, WalkStack};
use gdwire::{Dialect, NodePath, Variant, VariantRef, View, encode, json, parse};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// How many damaged values an engine judges.
const VERDICTS: usize = 20_000;

#[derive(Debug)]
pub(crate) enum Question {
    /// Makes a value from this seed. The answer is its bytes, its literal and its JSON.
    Make(u64),
    /// Reads bytes, which may be invalid, and writes the value again.
    Read(Vec<u8>),
    /// Spells a value, and reads the literal and the JSON that this crate writes for it.
    Spell { bytes: Vec<u8>, literal: String, json: String },
    /// Makes a node path of a text.
    Path(String),
    /// Writes a save with this content.
    Pack { way: usize, content: Vec<u8> },
    /// Reads a save.
    Unpack { way: usize, content: Vec<u8> },
}

impl Question {
    fn to_variant(&self, godot: &Godot) -> Variant {
        let bytes = |bytes: &[u8]| Variant::PackedByteArray(bytes.to_vec());
        let save = |what: &str, way: usize, content: &[u8]| {
            let way = &saves::ways()[way];
            vec![what.into(), way.name.into(), way.secret.as_str().into(), bytes(content)]
        };
        Variant::from(match self {
            Question::Make(seed) => vec!["make".into(), Variant::Int(*seed as i64)],
            Question::Read(input) => vec!["read".into(), bytes(input)],
            Question::Spell { bytes: input, literal, json } => {
                vec!["spell".into(), bytes(input), literal.as_str().into(), json.as_str().into()]
            }
            Question::Path(text) => vec!["path".into(), text.as_str().into()],
            Question::Pack { way, content } => save("pack", *way, content),
            Question::Unpack { way, content } => {
                save("unpack", *way, &saves::pack_as(&saves::ways()[*way], content, godot))
            }
        })
    }

    /// Checks that this crate agrees with the answer. Otherwise, returns the difference.
    fn judge(&self, godot: &Godot, answer: VariantRef<'_>) -> Result<(), String> {
        let dialect = godot.dialect();
        let part = |index: usize| answer.get(index);
        let bytes_of = |index| part(index).and_then(VariantRef::as_byte_array);
        let text_of = |index| part(index).and_then(VariantRef::as_str);
        match self {
            Question::Make(_) => {
                let bytes = bytes_of(0).ok_or("no bytes")?;
                let value = parse(dialect, bytes).map_err(|error| error.to_string())?;
                for written in [encode(dialect, &value), encode(dialect, &Variant::from(value))] {
                    let written = hex(&written.map_err(|error| error.to_string())?);
                    agree("bytes", written, hex(&without_path_padding(value)))?;
                }
                spelled(value, text_of(1), text_of(2))
            }
            Question::Read(input) => match difference(dialect, input, bytes_of(0)) {
                Some(Difference::Unknown) => Err(format!(
                    "reads {}, and this crate {:?}",
                    bytes_of(0).map_or("nothing".to_owned(), hex),
                    gdwire::parse_prefix(dialect, input).map(|(_, value)| value.to_text())
                )),
                _ => Ok(()),
            },
            Question::Spell { bytes, literal, json } => {
                let value = parse(dialect, bytes).map_err(|error| error.to_string())?;
                spelled(value, text_of(0), text_of(1))?;
                let read = |index, what: &str, text: &str| {
                    let bytes = bytes_of(index).ok_or(format!("{what} not read: {text}"))?;
                    let read = parse(dialect, bytes).map_err(|error| error.to_string())?;
                    is_close(value, read)
                        .then_some(())
                        .ok_or_else(|| format!("reads the {what} {text} as {}", read.to_text()))
                };
                // Godot 3.2 reads no literal of a vector with NaN.
                if !(godot.is_old() && has_vector_with_nan(value)) {
                    read(2, "literal", literal)?;
                }
                if godot.has_json() { read(3, "JSON", json) } else { Ok(()) }
            }
            Question::Path(text) => {
                let engines = answer.as_byte_array().ok_or("no bytes")?;
                let path = parse(dialect, engines).map_err(|error| error.to_string())?;
                let ours = encode(dialect, &NodePath::from(text.as_str())).unwrap();
                agree("path", hex(&ours), hex(&without_path_padding(path)))
            }
            Question::Pack { way, content } => {
                let file = answer.as_byte_array().ok_or("no file")?;
                saves::judge_file(&saves::ways()[*way], content, file)
            }
            Question::Unpack { content, .. } => {
                let read = answer.as_byte_array().ok_or("refuses the file")?;
                agree("content", content.as_slice(), read)
            }
        }
    }
}

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, ours: T, engines: T) -> Result<(), String> {
    (ours == engines)
        .then_some(())
        .ok_or_else(|| format!("{what}:\n    ours     {ours:?}\n    engine's {engines:?}"))
}

/// Whether this crate spells a value as the engine does, and reads its spellings.
fn spelled(value: VariantRef<'_>, literal: Option<&str>, json: Option<&str>) -> Result<(), String> {
    let dialect = value.dialect();
    let literal = literal.ok_or("no literal")?;
    let [ours, engines] = comparable_texts(dialect, &value.to_text(), literal);
    agree("literal", ours, engines)?;
    let Some(json) = json else { return Ok(()) };
    let read = json::parse(json).map_err(|error| format!("{error}: {json}"))?;
    let bytes = encode(dialect, &read).map_err(|error| format!("{error}: {json}"))?;
    let read = parse(dialect, &bytes).unwrap();
    is_close(value, read)
        .then_some(())
        .ok_or_else(|| format!("JSON {json} of {} is read as {}", value.to_text(), read.to_text()))
}

fn has_vector_with_nan(value: VariantRef<'_>) -> bool {
    let mut stack = WalkStack::new();
    value.walk(&mut stack).any(|event| {
        let Event::Value(_, leaf) = event else { return false };
        leaf.as_str().is_none() && leaf.as_f64().is_none() && leaf.to_text().contains("nan")
    })
}

/// The seed of the questions: always the same, unless `play.sh` sets another one.
pub(crate) fn seed() -> u64 {
    std::env::var("GDWIRE_SEED").map_or(1, |seed| seed.parse().expect("a number as GDWIRE_SEED"))
}

fn questions(godot: &Godot) -> Vec<Question> {
    let (dialect, seed) = (godot.dialect(), seed());
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = value(dialect);
    let mut values: Vec<Vec<u8>> = (0..2_000)
        .map(|_| encode(dialect, &strategy.new_tree(&mut runner).unwrap().current()).unwrap())
        .collect();

    let mut questions = vec![];
    questions.extend((0..1_500).map(|number| Question::Make(seed << 16 | number)));
    for bytes in &values {
        let value = parse(dialect, bytes).unwrap();
        // Values that engines change or refuse on purpose are part of the verdicts.
        if has_object(value)
            || is_typed(value)
            || has_ids(value)
            || has_root_path(value)
            || has_array_as_key(value)
        {
            continue;
        }
        // Keys that are equal are merged.
        let value = Variant::from(value);
        let bytes = encode(dialect, &value).unwrap();
        let view = parse(dialect, &bytes).unwrap();
        let (literal, json) = (view.to_text(), json::to_string(view));
        questions.push(Question::Spell { bytes, literal, json });
    }
    questions.extend(DEGENERATE_PATHS.map(|path| Question::Path(path.to_owned())));
    let paths = ["[/:.a%é]{0,6}", "/?([a-z. ]{1,3}/){0,2}[a-z]?(:[a-z/]{1,2}){0,2}"];
    for strategy in paths {
        for _ in 0..300 {
            let path = strategy.new_tree(&mut runner).unwrap().current();
            questions.push(Question::Path(path));
        }
    }
    for way in 0..saves::ways().len() {
        for content in saves::contents() {
            questions.push(Question::Pack { way, content: content.clone() });
            questions.push(Question::Unpack { way, content });
        }
    }

    let recorded = if dialect == Dialect::GODOT_3 { "godot3" } else { "godot4" };
    let recorded = lines::<Value>(&format!("{recorded}/values.ndjson"));
    values.extend(recorded.iter().map(|line| unhex(&line.hex)));
    values.retain(|bytes| bytes.len() < 2_000);
    for text in ["\u{feff}a", "\u{feff}", "a\u{feff}", "a\0b", "\u{feff}a\0b", "\u{feff}\u{feff}"] {
        let mut bytes = vec![4, 0, 0, 0, text.len() as u8, 0, 0, 0];
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        questions.push(Question::Read(bytes));
    }
    questions.extend(values.iter().cloned().map(Question::Read));
    for _ in 0..VERDICTS {
        let mut bytes = values[below(&mut runner, values.len())].clone();
        for _ in 0..=below(&mut runner, 3) {
            damage(&mut bytes, &mut runner);
        }
        questions.push(Question::Read(bytes));
    }
    questions
}

/// Node paths without names, and with names that are empty.
const DEGENERATE_PATHS: [&str; 26] = [
    "/", ":", "/:", "", "//", "a:", "/:a", ":a", "a//b", "/a/", "a/", "::", ":a:", ":a::b", "a::b",
    "/a:", ".", "/.", "//a", "a:b/c", "a:b:", ":/", "/:/", "a:/b", " ", "%a",
];

/// Whether there are ids of objects in a value, which the engine replaces.
fn has_ids(value: VariantRef<'_>) -> bool {
    use gdwire::Kind::{Object, Rid, Signal};
    value.walk(&mut WalkStack::new()).any(|event| {
        matches!(event, Event::Value(_, leaf) if matches!(leaf.kind(), Object | Rid | Signal))
    })
}

/// Whether a key of a dictionary is an array. Godot 3 crashes when it spells some of these.
fn has_array_as_key(value: VariantRef<'_>) -> bool {
    value.walk(&mut WalkStack::new()).any(|event| match event {
        Event::Value(Slot::Key, key) => key.kind().name().ends_with("Array"),
        Event::Begin(slot, _) => slot == Slot::Key,
        _ => false,
    })
}

/// Whether the path `/` is in a value, which the engines read as an empty path.
fn has_root_path(value: VariantRef<'_>) -> bool {
    value.walk(&mut WalkStack::new()).any(|event| match event {
        Event::Value(_, leaf) => {
            matches!(leaf.view(), View::NodePath(path) if path.is_absolute() && path.is_empty())
        }
        _ => false,
    })
}

fn below(runner: &mut TestRunner, limit: usize) -> usize {
    runner.rng().next_u32() as usize % limit.max(1)
}

/// Changes a few bytes of a value.
fn damage(bytes: &mut Vec<u8>, runner: &mut TestRunner) {
    let at = below(runner, bytes.len());
    let word = at / 4 * 4;
    let byte = below(runner, 256) as u8;
    match below(runner, 10) {
        0 if at < bytes.len() => bytes[at] ^= 1 << (byte % 8),
        1 if at < bytes.len() => bytes[at] = byte,
        2 => bytes.truncate(at),
        3 => bytes.extend(std::iter::repeat_n(byte, 1 + at % 9)),
        // Another type, with the same content.
        4 if !bytes.is_empty() => bytes[0] = byte % 42,
        5 if word + 4 <= bytes.len() => {
            bytes[word..word + 4].copy_from_slice(&[byte % 16, 0, 0, 0])
        }
        6 if word + 4 <= bytes.len() => {
            let len = bytes.len() as u32;
            let edges = [
                0x7fff_ffff,
                0x8000_0000,
                u32::MAX,
                0xffff_fffe,
                len,
                len.wrapping_sub(8),
                0x1_0000,
            ];
            let edge = edges[below(runner, edges.len())];
            bytes[word..word + 4].copy_from_slice(&edge.to_le_bytes());
        }
        7 if word + 4 <= bytes.len() => bytes[word + 2] = byte % 16,
        8 if at >= 8 && at < bytes.len() => drop(bytes.remove(at)),
        // Bytes that are special in UTF-8.
        9 if at >= 4 && at < bytes.len() => {
            bytes[at] =
                [0x00, 0x80, 0xbf, 0xc0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xff][below(runner, 10)];
        }
        _ => {}
    }
}

/// A question, and the bytes of the answer.
type Answered = (Question, Vec<u8>);

/// The questions to an engine, and its answers.
#[derive(Debug)]
pub(crate) struct Asked {
    godot: &'static Godot,
    /// Nothing if the engine is not installed.
    answers: OnceLock<Option<Vec<Answered>>>,
}

impl Asked {
    pub(crate) const fn new(godot: &'static Godot) -> Asked {
        Asked { godot, answers: OnceLock::new() }
    }

    /// Compares all answers to some of the questions.
    pub(crate) fn check(&self, what: &str, is_checked: fn(&Question) -> bool) {
        let answers = self.answers.get_or_init(|| ask(self.godot, questions(self.godot)));
        let Some(answers) = answers else { return };
        let (mut count, mut wrong) = (0, Vec::new());
        let dialect = self.godot.dialect();
        for (question, answer) in answers.iter().filter(|(question, _)| is_checked(question)) {
            if let Err(what) = question.judge(self.godot, parse(dialect, answer).unwrap()) {
                wrong.push(format!("{question:?}:\n  {what}"));
            }
            count += 1;
        }
        assert!(count > 0);
        let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
        let name = self.godot.name;
        let seed = seed();
        assert!(
            wrong.is_empty(),
            "seed {seed}: {name} differs in {} of {count}:\n{shown}",
            wrong.len()
        );
        self.godot.checked(what, count);
    }
}

/// Asks an engine; `None` if it is not installed.
fn ask(godot: &Godot, questions: Vec<Question>) -> Option<Vec<Answered>> {
    let folder = folder(&format!("asked-{}", godot.name.replace(' ', "-")));
    let mut asked = Vec::new();
    for question in &questions {
        encode_frame(godot.dialect(), &question.to_variant(godot), &mut asked).unwrap();
    }
    fs::write(folder.join("questions"), asked).unwrap();
    let answers = folder.join("answers");
    let running = if godot.dialect() == Dialect::GODOT_4 {
        make_project(&folder);
        godot.start_project(&folder, &folder, &["answer", &godot.out_file(&folder, "answers")])
    } else {
        let questions = folder.join("questions");
        let files = [&questions, &answers].map(|path| path.to_str().unwrap());
        godot.start_script("godot3.gd", &["answer", files[0], files[1]])
    };
    let printed = running?.wait();
    let file = fs::read(&answers).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    let answers: Vec<_> = frames(&file).map(<[u8]>::to_vec).collect();
    assert_eq!(answers.len(), questions.len(), "{printed}");
    Some(questions.into_iter().zip(answers).collect())
}

/// The values in a file, each after its length.
pub(crate) fn frames(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = file;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let split = split_frame(rest, u32::MAX).unwrap();
        let Split::Frame { frame, rest: next } = split else { panic!("{split:?}") };
        rest = next;
        Some(frame)
    })
}

/// Makes a project of which `godot4.gd` is the only script.
pub(crate) fn make_project(folder: &Path) {
    fs::copy(engine_file("godot4.gd"), folder.join("main.gd")).unwrap();
    let settings = "config_version=5\n\n[application]\n\nrun/main_scene=\"res://main.tscn\"\n";
    fs::write(folder.join("project.godot"), settings).unwrap();
    let scene = "[gd_scene load_steps=2 format=3]\n\n\
                 [ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\n\
                 [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
    fs::write(folder.join("main.tscn"), scene).unwrap();
}
