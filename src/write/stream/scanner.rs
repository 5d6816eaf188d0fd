//! Finds the ends of values in a stream that does not give their lengths.

use crate::value::wire::Fault;
use crate::value::wire::common::{Common, common};
use crate::value::wire::content::{ItemContent, padded};
use crate::value::wire::nesting::{Level, Stack};
use crate::value::wire::step::{ItemStep, WireItem};
use crate::value::{Error, Kind, Problem, ReadOptions, Reading};
use nom::{Emit, Needed, OutputM, Parser, Streaming};

/// How many bytes the longest step reads.
const CARRY: usize = 16;

/// The result of [`Scanner::push`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Progress {
    /// The value ended in the piece.
    Done {
        /// How many bytes of the piece belong to the value. The rest belongs to the next value.
        used: usize,
        /// How long the whole value is.
        len: usize,
    },
    /// The value needs at least this many more bytes.
    Needed(usize),
}

/// Finds the end of a value that arrives in pieces, and checks the value on the way. The scanner
/// reads every byte once and does not keep the value. If you need its bytes, keep them yourself.
///
/// ```
/// use gdwire::{Dialect, stream::{Progress, Scanner}};
///
/// let mut scanner = Scanner::new(Dialect::GODOT_3);
/// // The array [true], in pieces, and one byte of what follows.
/// assert_eq!(scanner.push(&[19, 0, 0, 0, 1, 0])?, Progress::Needed(2));
/// assert_eq!(scanner.push(&[0, 0, 1, 0, 0, 0])?, Progress::Needed(4));
/// assert_eq!(scanner.push(&[1, 0, 0, 0, 99])?, Progress::Done { used: 4, len: 16 });
/// # Ok::<(), gdwire::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scanner {
    options: ReadOptions,
    stack: Stack,
    /// The minimum number of bytes that the pushed levels still take. It is updated together with
    /// the stack. Adding it up for every piece would cost time for each level and each byte of a
    /// slow stream.
    open: u64,
    level: Level,
    /// The beginning of a step whose remaining bytes have not arrived.
    carry: [u8; CARRY],
    carried: usize,
    /// How many bytes of the current content have not arrived: of its text, and of content to skip.
    text: usize,
    skip: usize,
    check: StreamedText,
    /// The level that opens after the current content.
    inner: Level,
    /// How many bytes of the value have been read, without those in `carry`.
    length: usize,
    state: ScanState,
}

#[derive(Clone, Copy, Debug)]
enum ScanState {
    /// The next item has not been read.
    Item,
    /// The content of an item is being read.
    Content,
    Done,
    Failed(Error),
}

impl Scanner {
    /// Creates a scanner for one value, with a dialect or with [`ReadOptions`].
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> Scanner {
        Scanner {
            options: options.into(),
            stack: Stack::new(),
            open: 0,
            level: Level::ROOT,
            carry: [0; CARRY],
            carried: 0,
            text: 0,
            skip: 0,
            check: StreamedText::default(),
            inner: Level::leaf(Kind::Nil),
            length: 0,
            state: ScanState::Item,
        }
    }

    /// Reads the next piece of the stream.
    ///
    /// # Errors
    ///
    /// The same error that [`crate::parse`] returns for the whole value, as soon as its bytes have
    /// arrived. Each further call returns the same error.
    pub fn push(&mut self, piece: &[u8]) -> Result<Progress, Error> {
        let mut rest = piece;
        loop {
            let progress = match self.state {
                ScanState::Item => self.item(&mut rest),
                ScanState::Content => self.content(&mut rest),
                ScanState::Done => {
                    let used = piece.len().saturating_sub(rest.len());
                    return Ok(Progress::Done { used, len: self.length });
                }
                ScanState::Failed(error) => return Err(error),
            };
            match progress {
                Ok(None) => {}
                Ok(Some(needed)) => return Ok(Progress::Needed(needed)),
                Err(error) => self.state = ScanState::Failed(error),
            }
        }
    }

    /// The minimum number of bytes that all open levels still take.
    fn outstanding(&self, levels: [Level; 2]) -> usize {
        let open = usize::try_from(self.open).unwrap_or(usize::MAX);
        levels.iter().fold(open, |sum, level| sum.saturating_add(level.least()))
    }

    /// Reads the fixed-size head of an item. Returns how many bytes are missing if it is cut.
    fn item(&mut self, rest: &mut &[u8]) -> Result<Option<usize>, Error> {
        let layout = self.options.dialect().layout();
        let mut level = self.level;
        if self.carried == 0
            && level.is_at_value()
            && let (_, Common::Leaf { bytes, .. }) = common(layout, rest)
        {
            self.take(rest, bytes.len());
            self.level.take_one();
            self.inner = Level::leaf(Kind::Nil);
            return self.enter().map(|()| None);
        }
        let item = WireItem { layout, level };
        level.take_one();
        let before = self.carried;
        if before == 0 {
            return match read(item, rest) {
                Ok((after, step)) => {
                    self.take(rest, rest.len().saturating_sub(after.len()));
                    self.open(level, step);
                    Ok(None)
                }
                Err(ScanStop::Needed(needed)) => {
                    self.keep(rest);
                    Ok(Some(
                        needed.saturating_add(self.outstanding([level, Level::leaf(Kind::Nil)])),
                    ))
                }
                Err(ScanStop::Fault(error)) => Err(error.shifted(self.length)),
            };
        }
        self.keep_copy(rest);
        let buffer = self.carry;
        let start = buffer.get(..self.carried).unwrap_or(&buffer);
        match read(item, start) {
            Ok((after, step)) => {
                let used = start.len().saturating_sub(after.len());
                *rest = rest.get(used.saturating_sub(before)..).unwrap_or(&[]);
                self.carried = 0;
                self.length = self.length.saturating_add(used);
                self.open(level, step);
                // The head of an object shows only with the start of its class name whether the
                // object is null. So bytes of that name may have been kept with the head.
                if let Some(mut name @ [_, ..]) = start.get(used..before) {
                    self.content(&mut name)?;
                }
                Ok(None)
            }
            Err(ScanStop::Needed(needed)) => {
                *rest = &[];
                Ok(Some(needed.saturating_add(self.outstanding([level, Level::leaf(Kind::Nil)]))))
            }
            Err(ScanStop::Fault(error)) => Err(error.shifted(self.length)),
        }
    }

    /// Keeps the beginning of a step until the next piece arrives.
    fn keep(&mut self, rest: &mut &[u8]) {
        self.keep_copy(rest);
        *rest = &[];
    }

    fn keep_copy(&mut self, rest: &[u8]) {
        let room = self.carry.get_mut(self.carried..).unwrap_or(&mut []);
        let count = room.len().min(rest.len());
        if let (Some(room), Some(bytes)) = (room.get_mut(..count), rest.get(..count)) {
            room.copy_from_slice(bytes);
        }
        self.carried = self.carried.saturating_add(count);
    }

    fn take(&mut self, rest: &mut &[u8], count: usize) {
        *rest = rest.get(count..).unwrap_or(&[]);
        self.length = self.length.saturating_add(count);
    }

    fn open(&mut self, level: Level, step: ItemStep) {
        self.level = level;
        self.inner = step.inner;
        self.check = StreamedText::default();
        (self.text, self.skip) = match step.content {
            ItemContent::Skip(count) => (0, count),
            ItemContent::Bytes(count) => (0, padded(count)),
            ItemContent::Text(count) => (count, padded(count).saturating_sub(count)),
        };
        self.state = ScanState::Content;
    }

    /// Reads past the content of an item. Returns how many bytes are missing if it is cut.
    fn content(&mut self, rest: &mut &[u8]) -> Result<Option<usize>, Error> {
        if self.text > 0 {
            let count = self.text.min(rest.len());
            let reading = Reading::Text(self.inner.kind());
            let ill_formed = |at: usize| Error::new(at, reading, Problem::InvalidUtf8);
            let start = self.length;
            let piece = rest.get(..count).unwrap_or(&[]);
            self.check.push(piece).map_err(|at| ill_formed(start.saturating_add_signed(at)))?;
            self.take(rest, count);
            self.text = self.text.saturating_sub(count);
            if self.text == 0 {
                let end = self.length;
                self.check.finish().map_err(|at| ill_formed(end.saturating_add_signed(at)))?;
            }
        }
        if self.text == 0 {
            let count = self.skip.min(rest.len());
            self.take(rest, count);
            self.skip = self.skip.saturating_sub(count);
        }
        let missing = self.text.saturating_add(self.skip);
        if missing > 0 {
            return Ok(Some(missing.saturating_add(self.outstanding([self.level, self.inner]))));
        }
        self.enter()?;
        Ok(None)
    }

    /// Continues after an item: enters the level that opens, or leaves those that are complete.
    fn enter(&mut self) -> Result<(), Error> {
        self.state = ScanState::Item;
        if !self.inner.is_empty() {
            let limit = self.options.depth_limit();
            let depth = self.stack.len();
            if !self.stack.enter(self.level, self.inner, limit) {
                let problem = Problem::TooDeep { limit };
                return Err(Error::new(self.length, Reading::Body(self.inner.kind()), problem));
            }
            if self.stack.len() > depth {
                self.open += self.level.least() as u64;
            }
            self.level = self.inner;
        }
        while self.level.is_empty() {
            match self.stack.pop() {
                Some(level) => {
                    self.open = self.open.saturating_sub(level.least() as u64);
                    self.level = level;
                }
                None => {
                    self.state = ScanState::Done;
                    break;
                }
            }
        }
        Ok(())
    }
}

enum ScanStop {
    Needed(usize),
    Fault(Error),
}

fn read(mut item: WireItem, input: &[u8]) -> Result<(&[u8], ItemStep), ScanStop> {
    match item.process::<OutputM<Emit, Emit, Streaming>>(input) {
        Ok(read) => Ok(read),
        Err(nom::Err::Incomplete(Needed::Size(needed))) => Err(ScanStop::Needed(needed.get())),
        Err(nom::Err::Incomplete(Needed::Unknown)) => Err(ScanStop::Needed(1)),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
            let fault: Fault<'_> = fault;
            Err(ScanStop::Fault(fault.in_input(input)))
        }
    }
}

/// Checks that a text is UTF-8 up to its first NUL. Characters may be split between pieces.
#[derive(Clone, Debug, Default)]
struct StreamedText {
    /// The beginning of a character whose last bytes have not arrived.
    partial: [u8; 4],
    partial_len: usize,
    has_ended: bool,
}

impl StreamedText {
    /// Checks the next piece. The error is the start of the ill-formed sequence, counted from the
    /// start of the piece. It is negative if the sequence started in an earlier piece.
    fn push(&mut self, piece: &[u8]) -> Result<(), isize> {
        if self.has_ended {
            return Ok(());
        }
        let text = crate::value::wire::utf8::until_nul(piece);
        self.push_text(text)?;
        if text.len() < piece.len() {
            self.has_ended = true;
            return self.finish().map_err(|before| before.saturating_add_unsigned(text.len()));
        }
        Ok(())
    }

    /// Checks that no character is cut off at the end. The error is the start of that character,
    /// counted back from the end.
    fn finish(&self) -> Result<(), isize> {
        match self.partial_len {
            0 => Ok(()),
            cut => Err(0isize.saturating_sub_unsigned(cut)),
        }
    }

    fn push_text(&mut self, mut text: &[u8]) -> Result<(), isize> {
        let mut used = 0;
        while self.partial_len > 0 {
            let Some((first, rest)) = text.split_first() else { return Ok(()) };
            let started = isize::try_from(used)
                .unwrap_or(isize::MAX)
                .saturating_sub_unsigned(self.partial_len);
            if let Some(place) = self.partial.get_mut(self.partial_len) {
                *place = *first;
            }
            self.partial_len += 1;
            match core::str::from_utf8(self.partial.get(..self.partial_len).unwrap_or(&[])) {
                Ok(_) => self.partial_len = 0,
                Err(error) if error.error_len().is_some() => return Err(started),
                Err(_) => {}
            }
            text = rest;
            used = usize::saturating_add(used, 1);
        }
        let Err(error) = core::str::from_utf8(text) else { return Ok(()) };
        let valid = error.valid_up_to();
        let cut = text.get(valid..).unwrap_or(&[]);
        match (error.error_len(), self.partial.get_mut(..cut.len())) {
            (None, Some(partial)) => {
                partial.copy_from_slice(cut);
                self.partial_len = cut.len();
                Ok(())
            }
            _ => Err(isize::try_from(used.saturating_add(valid)).unwrap_or(isize::MAX)),
        }
    }
}
