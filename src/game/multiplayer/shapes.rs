//! The shapes of calls, and a search for the lists of methods in a project to which the calls of a
//! node fit. This finds names for nodes that were announced before the recording began.

use super::arguments::Arguments;
use crate::game::project::{ConfigId, ListId, Parameters, Project, PropertySet, TransferMode};
use crate::value::{Kind, ValueBody};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::RangeInclusive;

/// A list of remote methods in a project.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callable {
    pub(super) list: ListId,
    /// Whether only one script has the list.
    pub(super) is_of_one_script: bool,
}

/// The number of a [`Callable`] in [`Shapes`].
pub(super) type CallableId = u32;

/// The lists of remote methods in a project, by the calls that fit them.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    lists: Vec<Callable>,
    by_call: BTreeMap<CallKey, Vec<CallableId>>,
    /// The properties of synchronizers by how many a sync has.
    by_sync: BTreeMap<usize, Vec<ConfigId>>,
    /// The properties of synchronizers, in descending order of how many may be in a delta, and these
    /// numbers.
    by_delta: Vec<ConfigId>,
    watched: Vec<usize>,
}

/// How many entries there may be. A larger project has no shapes.
const ENTRIES: usize = 1 << 20;

/// The number of lists for one number of a method and one number of arguments that are compared with
/// a call.
const COMPARED: usize = 256;

/// Calls with more arguments than this are not distinguished by their number.
const COUNTS: usize = 16;

impl Shapes {
    pub(super) fn new(project: &Project) -> Shapes {
        let lists = project.callable().into_iter();
        let lists = lists.map(|(list, is_of_one_script)| Callable { list, is_of_one_script });
        let mut shapes = Shapes { lists: lists.collect(), ..Shapes::default() };
        shapes.add_states(project);
        let mut entries = 0_usize;
        for (id, callable) in (0..).zip(&shapes.lists) {
            let list = project.list(callable.list);
            for index in (0..=u16::MAX).take(list.len(false)) {
                let (first, last) = counts(list.parameters(index)).into_inner();
                for count in first.min(COUNTS)..=last.min(COUNTS) {
                    shapes.by_call.entry((index, count)).or_default().push(id);
                    entries += 1;
                }
                if entries > ENTRIES {
                    shapes.by_call.clear();
                    shapes.lists.clear();
                    return shapes;
                }
            }
        }
        shapes
    }

    fn add_states(&mut self, project: &Project) {
        let count = |config, sent| project.config(config).sent(sent).len();
        let mut by_delta = Vec::new();
        for config in project.sendable() {
            self.by_sync.entry(count(config, PropertySet::Always)).or_default().push(config);
            by_delta.push((count(config, PropertySet::OnChange), config));
        }
        by_delta.sort_by_key(|(count, _)| Reverse(*count));
        (self.watched, self.by_delta) = by_delta.into_iter().unzip();
    }

    /// The properties of synchronizers that may send as many values, or in a delta those with these
    /// places.
    pub(super) fn of_state(&self, values: usize, changed: Option<u64>) -> &[ConfigId] {
        match changed {
            None => self.by_sync.get(&values).map_or(&[], |configs| configs),
            Some(bits) => {
                let least = (u64::BITS - bits.leading_zeros()).max(1);
                let is_enough = |count: &usize| u32::try_from(*count).is_ok_and(|it| it >= least);
                let count = self.watched.partition_point(is_enough);
                self.by_delta.get(..count).unwrap_or(&[])
            }
        }
    }

    pub(super) fn callable(&self, id: CallableId) -> Option<Callable> {
        self.lists.get(usize::try_from(id).ok()?).copied()
    }

    /// The lists that a call fits and that have methods for other calls. None if there are too many
    /// to compare all with the call.
    pub(super) fn of_call(
        &self,
        project: &Project,
        call: &CallShape,
        others: &[CallKey],
    ) -> Option<Vec<CallableId>> {
        let at = |(index, count): CallKey| {
            self.by_call.get(&(index, count.min(COUNTS))).map_or(&[][..], |ids| &**ids)
        };
        let found = at(call.key());
        if found.len() > COMPARED {
            return None;
        }
        let has_others =
            |id: &CallableId| others.iter().all(|key| at(*key).binary_search(id).is_ok());
        let fitting = found.iter().filter(|id| self.fits(project, **id, call) && has_others(id));
        Some(fitting.copied().collect())
    }

    /// Whether a call may be one of a method in a list.
    pub(super) fn fits(&self, project: &Project, id: CallableId, call: &CallShape) -> bool {
        self.callable(id).is_some_and(|callable| fits(project, callable.list, call))
    }
}

/// Whether a call may be one of a method in a list.
fn fits(project: &Project, list: ListId, call: &CallShape) -> bool {
    let list = project.list(list);
    let parameters = list.parameters(call.index);
    let kinds = parameters.map_or(&[][..], |parameters| parameters.kinds);
    let is_accepted = |(declared, sent): (&Option<Kind>, Kind)| {
        declared.is_none_or(|declared| accepts(declared, sent))
    };
    if usize::from(call.index) >= list.len(false)
        || !counts(parameters).contains(&call.count)
        || !kinds.iter().zip(call.kinds()).all(is_accepted)
    {
        return false;
    }
    list.rpc_config(call.index).is_none_or(|config| {
        let is_same =
            |channel: i32| call.sending.channel.is_none_or(|sent| i32::from(sent) == channel);
        is_sent_as(config.transfer, call.sending.mode) && config.channel.is_none_or(is_same)
    })
}

/// How many arguments a call may have.
fn counts(parameters: Option<Parameters<'_>>) -> RangeInclusive<usize> {
    let Some(Parameters { required, kinds, is_variadic, .. }) = parameters else {
        return 0..=usize::MAX;
    };
    required..=if is_variadic { usize::MAX } else { kinds.len() }
}

/// Whether a packet may have been sent in a mode.
fn is_sent_as(declared: TransferMode, sent: Option<SendMode>) -> bool {
    use TransferMode::{Reliable, Unreliable, UnreliableOrdered};
    match sent {
        None => true,
        Some(SendMode::Reliable) => declared == Reliable,
        Some(SendMode::Ordered) => declared == UnreliableOrdered,
        Some(SendMode::Unordered) => declared == Unreliable,
        Some(SendMode::Unreliable) => declared != Reliable,
        Some(SendMode::ReliableOrOrdered) => declared != Unreliable,
    }
}

/// How a packet was sent: what its transport shows of the mode and the channel that the engine chose.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Sending {
    pub(crate) mode: Option<SendMode>,
    /// The transfer channel.
    pub(crate) channel: Option<u8>,
}

/// The transfer modes in which a packet may have been sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "capture"), expect(dead_code, reason = "only captures have packets"))]
pub(crate) enum SendMode {
    Reliable,
    Ordered,
    Unordered,
    /// In order or not: a message in fragments does not show it.
    Unreliable,
    /// ENet sends one of 65,536 ordered packets reliably.
    ReliableOrOrdered,
}

/// The shape of one call: the number of its method, the number and kinds of its arguments, and how
/// it was sent.
pub(super) struct CallShape {
    pub(super) index: u16,
    pub(super) count: usize,
    /// The kinds of the first arguments.
    kinds: [Kind; CallShape::KINDS],
    pub(super) sending: Sending,
}

impl CallShape {
    /// The kinds of further arguments are not compared.
    const KINDS: usize = 16;

    pub(super) fn new(index: u16, arguments: Arguments<'_>, sending: Sending) -> CallShape {
        let mut kinds = [Kind::Nil; CallShape::KINDS];
        for (kind, argument) in kinds.iter_mut().zip(arguments) {
            *kind = argument.kind();
        }
        CallShape { index, count: arguments.len(), kinds, sending }
    }

    /// The kinds of the first arguments.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.iter().take(self.count).copied()
    }

    pub(super) const fn key(&self) -> CallKey {
        (self.index, self.count)
    }
}

/// The number of a method, and how many arguments were passed to it.
pub(super) type CallKey = (u16, usize);

/// Whether the engine accepts an argument for a parameter with a declared kind: one of the same kind,
/// or of one that it converts. The sender of a call does not convert it. C# converts some more, and
/// has null for collections.
pub(crate) fn accepts(declared: Kind, sent: Kind) -> bool {
    declared == sent
        || group(declared).is_some_and(|group_of| group(sent) == Some(group_of))
        || match sent {
            Kind::Nil => is_nullable(declared),
            Kind::Int | Kind::String => declared == Kind::Color,
            Kind::Object => declared == Kind::Rid,
            _ => false,
        }
}

/// Kinds that are converted to each other.
#[derive(PartialEq, Eq)]
enum KindGroup {
    Numbers,
    Texts,
    Arrays,
    Transforms,
    Vector2,
    Vector3,
    Vector4,
    Rect2,
}

const fn group(kind: Kind) -> Option<KindGroup> {
    Some(match kind {
        Kind::Bool | Kind::Int | Kind::Float => KindGroup::Numbers,
        Kind::String | Kind::StringName | Kind::NodePath => KindGroup::Texts,
        Kind::Vector2 | Kind::Vector2i => KindGroup::Vector2,
        Kind::Vector3 | Kind::Vector3i => KindGroup::Vector3,
        Kind::Vector4 | Kind::Vector4i => KindGroup::Vector4,
        Kind::Rect2 | Kind::Rect2i => KindGroup::Rect2,
        Kind::Transform2D
        | Kind::Transform3D
        | Kind::Basis
        | Kind::Quaternion
        | Kind::Projection => KindGroup::Transforms,
        _ if is_array(kind) => KindGroup::Arrays,
        _ => return None,
    })
}

const fn is_array(kind: Kind) -> bool {
    matches!(kind.body(), ValueBody::Array | ValueBody::Packed(..) | ValueBody::Strings)
}

const fn is_nullable(kind: Kind) -> bool {
    is_array(kind)
        || matches!(
            kind,
            Kind::Object | Kind::Dictionary | Kind::Rid | Kind::Callable | Kind::Signal
        )
}

#[cfg(test)]
mod tests {
    use super::accepts;
    use crate::value::Kind;

    /// The kinds that Godot 4.6.3 accepts for a parameter of another kind, except arrays.
    const ACCEPTED: &str = "
        bool: int float
        int: bool float
        float: bool int
        String: StringName NodePath
        Vector2: Vector2i
        Vector2i: Vector2
        Rect2: Rect2i
        Rect2i: Rect2
        Vector3: Vector3i
        Vector3i: Vector3
        Transform2D: Transform3D
        Vector4: Vector4i
        Vector4i: Vector4
        Quaternion: Basis
        Basis: Quaternion
        Transform3D: Transform2D Quaternion Basis Projection
        Projection: Transform3D
        Color: int String
        StringName: String
        NodePath: String
        RID: Object
        Object: Nil
        Array: PackedByteArray PackedStringArray PackedVector4Array
        PackedByteArray: Array
        PackedColorArray: Array";

    fn kind(name: &str) -> Kind {
        Kind::from_name(name).unwrap()
    }

    #[test]
    fn what_the_engine_accepts_is_accepted() {
        for line in ACCEPTED.lines().filter(|line| !line.is_empty()) {
            let (declared, sent) = line.trim().split_once(": ").unwrap();
            for sent in sent.split(' ') {
                assert!(accepts(kind(declared), kind(sent)), "{declared} {sent}");
            }
        }
    }

    #[test]
    fn other_kinds_are_not_accepted() {
        for (declared, sent) in [
            ("int", "Nil"),
            ("int", "String"),
            ("String", "int"),
            ("Vector2", "Vector3"),
            ("Dictionary", "Array"),
            ("Array", "Dictionary"),
            ("Plane", "Quaternion"),
            ("Color", "float"),
            ("Object", "RID"),
        ] {
            assert!(!accepts(kind(declared), kind(sent)), "{declared} {sent}");
        }
    }
}
