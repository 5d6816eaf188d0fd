//! ENet's range coder, which compresses datagrams with an adaptive model of order 2.
//!
//! A context counts how often each byte has followed it. The contexts are the last two bytes, the
//! last byte, and the root, in which every byte counts once from the start. A byte that is new to a
//! context is escaped to the next shorter context; an escape from the root marks the end. The bytes
//! of a context form a binary search tree that is never balanced. Each node has the sum of the
//! counts to its left. Both ends build the trees in the same order.

use core::fmt;

/// Decompresses what ENet's range coder has compressed: Godot's `COMPRESS_RANGE_CODER`.
///
/// [`RangeEncoder`] is the other direction. A decoder has 64 KiB of state, which is reset for every
/// datagram but stays allocated.
///
/// ```
/// use gdwire::net::enet::RangeDecoder;
///
/// let mut output = Vec::new();
/// RangeDecoder::new().decode(&[0x41, 0xbe, 0x41, 0xbe], &mut output, 4_096)?;
/// assert_eq!(output, b"A");
/// # Ok::<(), gdwire::net::enet::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct RangeDecoder {
    model: RangeModel,
}

/// Compresses with ENet's range coder: Godot's `COMPRESS_RANGE_CODER`.
///
/// It has 64 KiB of state, which is reset for every datagram but stays allocated.
///
/// ```
/// use gdwire::net::enet::{RangeDecoder, RangeEncoder};
///
/// let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
/// assert!(RangeEncoder::new().encode(&[0; 100], &mut packed));
/// assert_eq!(packed.len(), 7);
/// RangeDecoder::new().decode(&packed, &mut unpacked, 4_096)?;
/// assert_eq!(unpacked, [0; 100]);
/// # Ok::<(), gdwire::net::enet::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct RangeEncoder {
    model: RangeModel,
}

/// The contexts, and how often each byte has followed them.
#[derive(Clone, Default)]
struct RangeModel {
    symbols: Vec<Symbol>,
    /// The context of the longest order.
    predicted: u16,
    order: usize,
    /// The work for the last byte: how many nodes of trees were visited, and `CONTEXT` for each
    /// context.
    work: u32,
}

/// The error for bytes that ENet's range coder did not make, or that decompress to too many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the bytes were not compressed by ENet's range coder")]
#[non_exhaustive]
pub struct DecodeError;

/// A byte in a context, and the longer context that it opens. Symbols refer to each other by index.
/// The symbol at 0 is the root, which is in no tree, so index 0 also stands for none.
#[derive(Clone, Copy, Default)]
struct Symbol {
    value: u8,
    count: u8,
    /// The sum of the counts of this symbol and of those to the left of it.
    under: u16,
    left: u16,
    right: u16,
    /// The top of the tree of bytes in the context that this symbol opens.
    top: u16,
    escapes: u16,
    total: u16,
    /// The same byte in the next shorter context.
    parent: u16,
}

/// When about this many symbols exist, the model is reset.
const SYMBOLS: usize = 4_096;
const ORDER: usize = 2;
const ROOT: u16 = 0;
/// The initial count of every byte in the root.
const ROOT_MINIMUM: u16 = 1;
/// How much the count of a byte grows in the root each time.
const ROOT_STEP: u8 = 3;
const STEP: u8 = 2;
const ESCAPE_STEP: u16 = 5;
/// The work for a context, in addition to the visits of its nodes.
const CONTEXT: u32 = 8;

/// The work that each byte of a datagram may cost. Its headers count as `HEADERS` bytes.
const FAIR_WORK: u32 = 96;
const HEADERS: usize = 128;

const TOP: u32 = 1 << 24;
const BOTTOM: u32 = 1 << 16;

/// A byte, and its slots in the interval.
struct FoundSymbol {
    symbol: u16,
    value: u8,
    under: u16,
    count: u16,
}

impl RangeDecoder {
    /// A decoder for any number of datagrams.
    #[must_use]
    pub const fn new() -> RangeDecoder {
        RangeDecoder { model: RangeModel::new() }
    }

    /// How much work decompressing a datagram of `len` bytes may take on average. Godot's longest
    /// datagrams have 1,392 bytes; if all are zeros, they are compressed to 15 bytes, and
    /// decompressing these takes about this much.
    pub(crate) fn fair_work(len: usize) -> u32 {
        let bytes = u32::try_from(len.saturating_add(HEADERS)).unwrap_or(u32::MAX);
        bytes.saturating_mul(FAIR_WORK)
    }

    /// Decompresses `input` into `output`, which is cleared first.
    ///
    /// # Errors
    ///
    /// If the range coder did not make the input, or if it decompresses to more than `limit` bytes.
    pub fn decode(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), DecodeError> {
        self.decode_within(input, output, limit, &mut { u32::MAX })
    }

    /// Like [`RangeDecoder::decode`], with a bound on the work, in visits of nodes. Subtracts the
    /// work from `work`; 0 is left if that was not enough.
    pub(super) fn decode_within(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        limit: usize,
        work: &mut u32,
    ) -> Result<(), DecodeError> {
        output.clear();
        let model = &mut self.model;
        model.restart();
        let mut interval = CodedInterval::read(input);
        while let Some(value) = model.decode_byte(&mut interval).ok_or(DecodeError)? {
            *work = work.saturating_sub(core::mem::take(&mut model.work));
            if output.len() >= limit || *work == 0 {
                return Err(DecodeError);
            }
            output.push(value);
        }
        // The end marker has to be at the end of the input.
        if interval.end.bytes.is_empty() { Ok(()) } else { Err(DecodeError) }
    }
}

impl RangeEncoder {
    /// An encoder for any number of datagrams.
    #[must_use]
    pub const fn new() -> RangeEncoder {
        RangeEncoder { model: RangeModel::new() }
    }

    /// Compresses `input` into `output`, which is cleared first.
    ///
    /// Returns whether `output` is shorter than `input`. If not, its content has no use: ENet sends
    /// the bytes as they are.
    pub fn encode(&mut self, input: &[u8], output: &mut Vec<u8>) -> bool {
        output.clear();
        let model = &mut self.model;
        model.restart();
        let mut interval = CodedInterval::write(output);
        for byte in input {
            // None: the coder has no code for this byte after these, which happens rarely.
            let is_coded = model.encode_byte(*byte, &mut interval).is_some();
            if !is_coded || interval.end.len() >= input.len() {
                return false;
            }
        }
        interval.finish();
        output.len() < input.len()
    }
}

impl RangeModel {
    const fn new() -> RangeModel {
        RangeModel { symbols: Vec::new(), predicted: ROOT, order: 0, work: 0 }
    }

    fn restart(&mut self) {
        if self.symbols.capacity() == 0 {
            self.symbols.reserve_exact(SYMBOLS);
        }
        self.symbols.clear();
        let total = 256 * ROOT_MINIMUM + 1;
        self.symbols.push(Symbol { escapes: 1, total, ..Symbol::default() });
        self.predicted = ROOT;
        self.order = 0;
    }

    /// The next byte: `Some(None)` at the end, none if the input is wrong.
    fn decode_byte(&mut self, interval: &mut CodedInterval<CodedInput<'_>>) -> Option<Option<u8>> {
        let mut context = self.predicted;
        let found = loop {
            if context == ROOT {
                match self.find_in_root(interval)? {
                    Some(found) => break found,
                    None => return Some(None),
                }
            }
            if let Some(found) = self.find(context, interval)? {
                break found;
            }
            context = self.at(context)?.parent;
        };
        // The byte is added to the contexts that did not have it. Each new symbol is linked to the
        // symbol in the next shorter context.
        let mut learning = self.predicted;
        let mut child = None;
        while learning != context {
            let shorter = self.at(learning)?.parent;
            let symbol = self.learn(learning, found.value)?.symbol;
            self.adopt(child, symbol)?;
            child = Some(symbol);
            learning = shorter;
        }
        self.adopt(child, found.symbol)?;
        self.predict()?;
        Some(Some(found.value))
    }

    /// Writes a byte. The result is none if the interval becomes too narrow.
    fn encode_byte(&mut self, value: u8, interval: &mut CodedInterval<&mut Vec<u8>>) -> Option<()> {
        let mut context = self.predicted;
        let mut child = None;
        loop {
            let &Symbol { escapes, total, parent, .. } = self.at(context)?;
            let found = if context == ROOT {
                self.learn_in_root(value)?
            } else {
                self.learn(context, value)?
            };
            self.adopt(child, found.symbol)?;
            child = Some(found.symbol);
            if found.count > 0 {
                interval.divide(total)?;
                interval.narrow(escapes.checked_add(found.under)?, found.count)?;
                return self.predict();
            }
            // A context has no counts before its first byte.
            if total > 0 {
                interval.divide(total)?;
                interval.narrow(0, escapes)?;
            }
            context = parent;
        }
    }

    /// Goes on to the contexts of the next byte.
    fn predict(&mut self) -> Option<()> {
        if self.order >= ORDER {
            self.predicted = self.at(self.predicted)?.parent;
        } else {
            self.order += 1;
        }
        if self.symbols.len() >= SYMBOLS.saturating_sub(ORDER) {
            self.restart();
        }
        Some(())
    }

    fn at(&self, symbol: u16) -> Option<&Symbol> {
        self.symbols.get(usize::from(symbol))
    }

    fn at_mut(&mut self, symbol: u16) -> Option<&mut Symbol> {
        self.symbols.get_mut(usize::from(symbol))
    }

    fn adopt(&mut self, child: Option<u16>, parent: u16) -> Option<()> {
        match child {
            Some(child) => self.at_mut(child)?.parent = parent,
            None => self.predicted = parent,
        }
        Some(())
    }

    fn create(&mut self, value: u8, count: u8) -> Option<u16> {
        let place = u16::try_from(self.symbols.len()).ok()?;
        let under = count.into();
        self.symbols.push(Symbol { value, count, under, ..Symbol::default() });
        Some(place)
    }

    /// Reads a byte in a context: `Some(None)` if it is escaped.
    fn find(
        &mut self,
        context: u16,
        interval: &mut CodedInterval<CodedInput<'_>>,
    ) -> Option<Option<FoundSymbol>> {
        let &Symbol { escapes, total, top, .. } = self.at(context)?;
        // A context has no counts before its first byte. After it, the total is always more than
        // the escapes.
        if total == 0 {
            return Some(None);
        }
        let slot = interval.slot(total)?;
        let Some(slot) = slot.checked_sub(escapes) else {
            interval.narrow(0, escapes)?;
            return Some(None);
        };
        let mut visits = CONTEXT;
        let mut under = 0_u16;
        let mut place = top;
        let found = loop {
            if place == ROOT {
                return None;
            }
            visits = visits.saturating_add(1);
            let node = self.at_mut(place)?;
            let after = under.checked_add(node.under)?;
            let before = after.checked_sub(node.count.into())?;
            if slot >= after {
                (under, place) = (after, node.right);
            } else if slot < before {
                node.under = node.under.checked_add(STEP.into())?;
                place = node.left;
            } else {
                let count = node.count.into();
                let value = node.value;
                node.under = node.under.checked_add(STEP.into())?;
                node.count = node.count.checked_add(STEP)?;
                break FoundSymbol { symbol: place, value, under: before, count };
            }
        };
        self.work = self.work.saturating_add(visits);
        interval.narrow(escapes.checked_add(found.under)?, found.count)?;
        self.count(context, STEP.into(), found.count > 0xff - 2 * u16::from(STEP), 0)?;
        Some(Some(found))
    }

    /// Reads a byte in the root, which has all bytes: `Some(None)` at the end.
    fn find_in_root(
        &mut self,
        interval: &mut CodedInterval<CodedInput<'_>>,
    ) -> Option<Option<FoundSymbol>> {
        let &Symbol { escapes, total, top, .. } = self.at(ROOT)?;
        let slot = interval.slot(total)?;
        let Some(slot) = slot.checked_sub(escapes) else {
            interval.narrow(0, escapes)?;
            return Some(None);
        };
        // A byte that is not in the tree has one slot. So the distance between its slot and those
        // of the last node on the way down is its distance from that node's byte.
        let mut under = 0_u16;
        let mut place = top;
        let mut link = None;
        let mut found = None;
        let narrowed = |value: u16| u8::try_from(value).ok();
        let mut value = narrowed(slot);
        let mut visits = CONTEXT;
        while place != ROOT {
            visits = visits.saturating_add(1);
            let node = self.at_mut(place)?;
            let seen = u16::from(node.value).checked_add(1)?;
            let after = under.checked_add(node.under)?.checked_add(seen)?;
            let count = u16::from(node.count).checked_add(ROOT_MINIMUM)?;
            let before = after.checked_sub(count)?;
            link = Some((place, slot >= after));
            if slot >= after {
                under = under.checked_add(node.under)?;
                value = seen.checked_add(slot.checked_sub(after)?).and_then(narrowed);
                place = node.right;
            } else {
                node.under = node.under.checked_add(ROOT_STEP.into())?;
                if slot < before {
                    let back = before.checked_sub(slot)?;
                    value = u16::from(node.value).checked_sub(back).and_then(narrowed);
                    place = node.left;
                } else {
                    node.count = node.count.checked_add(ROOT_STEP)?;
                    let value = node.value;
                    found = Some(FoundSymbol { symbol: place, value, under: before, count });
                    break;
                }
            }
        }
        self.work = self.work.saturating_add(visits);
        let found = match found {
            Some(found) => found,
            None => {
                let value = value?;
                let symbol = self.create(value, ROOT_STEP)?;
                self.link(ROOT, link, symbol)?;
                FoundSymbol { symbol, value, under: slot, count: ROOT_MINIMUM }
            }
        };
        interval.narrow(escapes.checked_add(found.under)?, found.count)?;
        self.count_in_root(found.count)?;
        Some(Some(found))
    }

    /// Counts a byte that had this many slots in the root.
    fn count_in_root(&mut self, slots: u16) -> Option<()> {
        let is_often = slots > 0xff - 2 * u16::from(ROOT_STEP) + ROOT_MINIMUM;
        self.count(ROOT, ROOT_STEP.into(), is_often, ROOT_MINIMUM)
    }

    /// Links a new symbol into the tree of a context: below a symbol, to the right if the flag is
    /// set, or as the top.
    fn link(&mut self, context: u16, below: Option<(u16, bool)>, symbol: u16) -> Option<()> {
        match below {
            Some((place, true)) => self.at_mut(place)?.right = symbol,
            Some((place, false)) => self.at_mut(place)?.left = symbol,
            None => self.at_mut(context)?.top = symbol,
        }
        Some(())
    }

    /// Counts a byte in a context, and adds it if the context does not have it. Returns the slots
    /// that the byte had before; their count is 0 if it is new.
    fn learn(&mut self, context: u16, value: u8) -> Option<FoundSymbol> {
        let found = self.meet(context, value, STEP)?;
        let mut step = u16::from(STEP);
        if found.count == 0 {
            let context = self.at_mut(context)?;
            context.escapes = context.escapes.checked_add(ESCAPE_STEP)?;
            step = step.checked_add(ESCAPE_STEP)?;
        }
        self.count(context, step, found.count > 0xff - 2 * u16::from(STEP), 0)?;
        Some(found)
    }

    /// Like [`RangeModel::learn`], in the root, where every byte has a slot.
    fn learn_in_root(&mut self, value: u8) -> Option<FoundSymbol> {
        let mut found = self.meet(ROOT, value, ROOT_STEP)?;
        found.under = found.under.checked_add(u16::from(value).checked_mul(ROOT_MINIMUM)?)?;
        found.count = found.count.checked_add(ROOT_MINIMUM)?;
        self.count_in_root(found.count)?;
        Some(found)
    }

    /// Adds to the count of a byte in a context, or adds the byte. Returns the counts of the byte
    /// and of those to the left of it, as they were before.
    fn meet(&mut self, context: u16, value: u8, step: u8) -> Option<FoundSymbol> {
        let mut place = self.at(context)?.top;
        let mut link = None;
        let mut under = 0_u16;
        let mut visits = CONTEXT;
        let mut count = 0;
        while place != ROOT {
            visits = visits.saturating_add(1);
            let node = self.at_mut(place)?;
            if value > node.value {
                under = under.checked_add(node.under)?;
                link = Some((place, true));
                place = node.right;
                continue;
            }
            let before = node.under;
            node.under = node.under.checked_add(step.into())?;
            if value == node.value {
                count = u16::from(node.count);
                under = under.checked_add(before)?.checked_sub(count)?;
                node.count = node.count.checked_add(step)?;
                break;
            }
            link = Some((place, false));
            place = node.left;
        }
        self.work = self.work.saturating_add(visits);
        if place == ROOT {
            place = self.create(value, step)?;
            self.link(context, link, place)?;
        }
        Some(FoundSymbol { symbol: place, value, under, count })
    }

    /// Adds to a context's total count, and halves its counts before one overflows.
    fn count(&mut self, context: u16, step: u16, is_often: bool, minimum: u16) -> Option<()> {
        let it = self.at_mut(context)?;
        it.total = it.total.checked_add(step)?;
        if is_often || u32::from(it.total) > BOTTOM - 0x100 {
            it.escapes = it.escapes.checked_sub(it.escapes >> 1)?;
            let (top, escapes) = (it.top, it.escapes);
            let counts = self.halve(top)?;
            let unseen = minimum.checked_mul(256)?;
            self.at_mut(context)?.total = counts.checked_add(escapes)?.checked_add(unseen)?;
        }
        Some(())
    }

    /// Halves the counts in a tree and returns their sum.
    fn halve(&mut self, top: u16) -> Option<u16> {
        // The nodes of the tree, each before those below it. A tree has each byte at most once.
        let mut nodes = [ROOT; 256];
        let mut len = 0_usize;
        let mut done = 0_usize;
        let mut below = [top, ROOT];
        loop {
            for node in below.into_iter().filter(|&node| node != ROOT) {
                *nodes.get_mut(len)? = node;
                len = len.checked_add(1)?;
            }
            let Some(&node) = nodes.get(..len)?.get(done) else { break };
            let node = self.at(node)?;
            below = [node.left, node.right];
            done = done.checked_add(1)?;
        }
        let mut sums = [0_u16; 256];
        let mut sum = 0;
        for &place in nodes.get(..len)?.iter().rev() {
            let node = *self.at(place)?;
            let sum_of = |child: u16| match child {
                ROOT => Some(0),
                child => sums.get(usize::from(self.at(child)?.value)).copied(),
            };
            let count = node.count.checked_sub(node.count >> 1)?;
            let under = u16::from(count).checked_add(sum_of(node.left)?)?;
            sum = under.checked_add(sum_of(node.right)?)?;
            *sums.get_mut(usize::from(node.value))? = sum;
            let node = self.at_mut(place)?;
            (node.count, node.under) = (count, under);
        }
        Some(sum)
    }
}

impl fmt::Debug for RangeDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbols = &self.model.symbols.len();
        f.debug_struct("RangeDecoder").field("symbols", symbols).finish_non_exhaustive()
    }
}

impl fmt::Debug for RangeEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbols = &self.model.symbols.len();
        f.debug_struct("RangeEncoder").field("symbols", symbols).finish_non_exhaustive()
    }
}

/// The state of the range coder: the compressed bytes are a number in an interval that each symbol
/// narrows.
struct CodedInterval<E> {
    end: E,
    low: u32,
    range: u32,
}

/// Receives the highest byte of the interval, once it is known.
trait CodedEnd {
    fn shift(&mut self, highest: u8);
}

/// The rest of the input, and the part of the number that is being looked at.
struct CodedInput<'a> {
    bytes: &'a [u8],
    code: u32,
}

impl CodedEnd for CodedInput<'_> {
    /// Takes the next byte of the input instead. The sender omits zeros at the end.
    fn shift(&mut self, _: u8) {
        let (byte, rest) = self.bytes.split_first().map_or((0, self.bytes), |(b, rest)| (*b, rest));
        self.bytes = rest;
        self.code = self.code << 8 | u32::from(byte);
    }
}

impl CodedEnd for &mut Vec<u8> {
    fn shift(&mut self, highest: u8) {
        self.push(highest);
    }
}

impl<'a> CodedInterval<CodedInput<'a>> {
    fn read(bytes: &'a [u8]) -> Self {
        let mut end = CodedInput { bytes, code: 0 };
        for _ in 0..4 {
            end.shift(0);
        }
        CodedInterval { end, low: 0, range: u32::MAX }
    }

    /// Divides the interval into slots and returns the input's slot.
    fn slot(&mut self, slots: u16) -> Option<u16> {
        self.divide(slots)?;
        let slot = self.end.code.wrapping_sub(self.low).checked_div(self.range)?;
        u16::try_from(slot).ok().filter(|&slot| slot < slots)
    }
}

impl<'a> CodedInterval<&'a mut Vec<u8>> {
    const fn write(output: &'a mut Vec<u8>) -> Self {
        CodedInterval { end: output, low: 0, range: u32::MAX }
    }

    /// Writes the rest of the number. The bytes after it are read as zeros, and therefore as
    /// escapes up to the end marker.
    fn finish(mut self) {
        while self.low != 0 {
            self.shift();
        }
    }
}

impl<E: CodedEnd> CodedInterval<E> {
    /// Divides the interval into slots.
    fn divide(&mut self, slots: u16) -> Option<()> {
        self.range = self.range.checked_div(slots.into())?;
        Some(())
    }

    fn shift(&mut self) {
        let [highest, ..] = self.low.to_be_bytes();
        self.end.shift(highest);
        self.low <<= 8;
    }

    /// Narrows the interval to some of the slots.
    fn narrow(&mut self, first: u16, count: u16) -> Option<()> {
        self.low = self.low.wrapping_add(u32::from(first).wrapping_mul(self.range));
        self.range = self.range.checked_mul(count.into()).filter(|&range| range > 0)?;
        loop {
            if (self.low ^ self.low.wrapping_add(self.range)) >= TOP {
                if self.range >= BOTTOM {
                    return Some(());
                }
                // A carry is still possible, so the interval is cut off at the next multiple of
                // `BOTTOM`.
                self.range = self.low.wrapping_neg() & (BOTTOM - 1);
                // Otherwise, this loop would never end.
                if self.range == 0 {
                    return None;
                }
            }
            self.shift();
            self.range <<= 8;
        }
    }
}
