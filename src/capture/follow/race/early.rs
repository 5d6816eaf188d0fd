//! Finds the messages that need not wait for the end of a race, because they are read alike
//! whatever the connection turns out to be.

use crate::capture::follow::Transport;
use crate::capture::follow::carried::Whole;
use crate::capture::follow::finding::Layers;
use crate::capture::follow::peers::{self, Content, OfPeers};
use crate::game::multiplayer::{self, Context, Protocol};
use crate::value::dialect::Dialect;
use crate::value::parse;

/// What a connection can still be: every dialect here can read all messages so far.
pub(crate) struct Remaining {
    pub(crate) transport: Transport,
    pub(crate) layers: Layers,
    /// In the order of preference; at least one.
    pub(crate) dialects: Vec<Dialect>,
    /// The indexes of dialects whose literals may differ even for equal values. Of dialects that
    /// differ only in the width of floats, one is enough.
    of_each_text: Vec<usize>,
}

/// The longest message that is compared, in bytes.
const LONGEST: usize = 4096;

impl Remaining {
    pub(super) fn new(
        transport: Transport,
        (layers, dialects): (Layers, Vec<Dialect>),
    ) -> Remaining {
        let is_new = |(place, dialect): &(usize, &Dialect)| {
            !dialects.iter().take(*place).any(|it| it.differs_only_in_width(**dialect))
        };
        let of_each_text =
            dialects.iter().enumerate().filter(is_new).map(|(place, _)| place).collect();
        Remaining { transport, layers, dialects, of_each_text }
    }

    /// Whether all these dialects read a message alike.
    pub(super) fn agrees_on(&self, message: &Whole<'_>) -> bool {
        if self.dialects.len() == 1 {
            return true;
        }
        if message.bytes.len() > LONGEST {
            return false;
        }
        let Some(bytes) = self.content(message) else { return true };
        if self.layers.is_multiplayer && !message.is_text {
            return are_equal(self.dialects.iter().map(|dialect| {
                let packet = multiplayer::parse(Protocol::of(*dialect), *dialect, bytes).ok()?;
                Some(packet.display(Context::new()).to_string())
            }));
        }
        let values: Vec<_> =
            self.dialects.iter().map(|dialect| parse(*dialect, bytes).ok()).collect();
        let text = |place: &usize| Some((*values.get(*place)?)?.to_string());
        are_equal(values.iter()) && are_equal(self.of_each_text.iter().map(text))
    }

    /// The content after the ids of the peers; none for a message that the peers themselves send,
    /// which all dialects read alike.
    fn content<'b>(&self, message: &Whole<'b>) -> Option<&'b [u8]> {
        let bytes = message.bytes;
        if !self.layers.has_peers || message.is_text {
            return Some(bytes);
        }
        match peers::split(self.transport, message) {
            None => Some(bytes),
            Some(OfPeers { content: Content::Data(data), .. }) => Some(data),
            Some(_) => None,
        }
    }
}

fn are_equal<T: PartialEq>(readings: impl IntoIterator<Item = T>) -> bool {
    let mut readings = readings.into_iter();
    let first = readings.next();
    readings.all(|reading| first.as_ref() == Some(&reading))
}
