//! The rows of [`Top`]: grouped, filtered and sorted.

use super::Top;
use super::links::Link;
use super::minute::Minute;
use super::table::{Counted, Sample};
use crate::analysis::stats::{Amount, Item, Member, NodeName, Usage, pattern_of, stem};
use core::cmp::Reverse;
use core::fmt;
use std::collections::HashMap;

/// The things that rows stand for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum TopBy {
    /// The calls of a method of a node.
    Method,
    /// The values of a property of a node.
    Property,
    /// The messages about a node.
    Node,
    /// The messages of a connection.
    Connection,
    /// The packets of the multiplayer API with a command, messages of the debugger, or plain values.
    Command,
}

impl TopBy {
    /// All of them.
    pub const ALL: &'static [TopBy] =
        &[TopBy::Method, TopBy::Property, TopBy::Node, TopBy::Connection, TopBy::Command];
}

/// The column by which rows are sorted. Rows that are equal are sorted by their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TopSort {
    /// The bytes of the last minute, most first.
    Minute,
    /// The bytes of the last second, most first.
    Bytes,
    /// The messages of the last second, most first.
    Messages,
    /// All bytes so far, most first.
    Total,
    /// The names, in alphabetical order.
    Name,
}

/// A request for rows of [`Top::rows`]: how they are grouped, filtered and sorted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TopQuery {
    /// The things that rows stand for.
    pub by: TopBy,
    /// The column by which they are sorted.
    pub sort: TopSort,
    /// Only rows whose name contains each of these words, in upper or lower case.
    pub filter: String,
    /// Whether nodes that are alike share a row: those whose paths differ only in the numbers at the
    /// ends of names.
    pub is_grouped: bool,
    /// The second, since 1970, before which the last second and the last minute end. None for the
    /// current second.
    pub end: Option<i64>,
}

impl TopQuery {
    /// All rows, alike nodes together, sorted by the bytes of the last minute.
    #[must_use]
    pub const fn new(by: TopBy) -> TopQuery {
        TopQuery { by, sort: TopSort::Minute, filter: String::new(), is_grouped: true, end: None }
    }
}

/// Identifies a row, also when there are new counts.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum TopKey {
    /// A node, a method or a property. The names of alike nodes have no numbers.
    Item(Item<String>),
    /// A connection: the number of its capture, and its own.
    Connection(u64, u64),
    /// A command.
    Command(&'static str),
}

/// A row: a method, for example, with its counts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TopRow<'t> {
    /// Identifies the row.
    pub key: TopKey,
    /// The name: of alike nodes, a pattern for their paths, followed by the method or property.
    pub name: String,
    /// How many nodes share the row.
    pub nodes: usize,
    /// The seconds of the last minute.
    pub minute: Minute,
    /// Everything that was counted so far.
    pub usage: Usage,
    /// The ends of a connection, and its measures; none in other rows.
    pub link: Option<&'t Link>,
    counted: Vec<&'t Counted>,
    end: i64,
}

impl<'t> TopRow<'t> {
    /// The traffic in the last whole second.
    #[must_use]
    pub fn last_second(&self) -> Amount {
        self.minute.at(self.end.saturating_sub(1))
    }

    /// The traffic in the last minute.
    #[must_use]
    pub fn last_minute(&self) -> Amount {
        self.minute.sum(self.end)
    }

    /// The bytes of the last minute in bars: see [`Minute::graph`].
    #[must_use]
    pub fn graph(&self, bars: usize) -> Vec<u64> {
        self.minute.graph(self.end, bars)
    }

    /// The last messages or values, the newest first.
    pub fn samples(&self) -> impl Iterator<Item = &'t Sample> + use<'t> {
        let mut samples: Vec<_> = self.counted.iter().flat_map(|it| &it.samples).collect();
        // Several nodes of a row may have values in one message.
        samples.sort_by(|one, other| (other.number, &one.text).cmp(&(one.number, &other.text)));
        samples.into_iter()
    }

    /// The [command](crate::multiplayer::Packet::command) of the packets with a method or property.
    #[must_use]
    pub const fn command(&self) -> Option<&'static str> {
        match &self.key {
            TopKey::Item(item) => item.member.command(),
            TopKey::Command(command) => Some(command),
            TopKey::Connection(..) => None,
        }
    }
}

impl Top {
    /// The rows that a query asks for, in their order.
    #[must_use]
    pub fn rows(&self, query: &TopQuery) -> Vec<TopRow<'_>> {
        let end = query.end.or(self.second()).unwrap_or(0);
        let mut rows: Vec<TopRow<'_>> = match query.by {
            TopBy::Method => groups(self.methods.iter(), query.is_grouped, end),
            TopBy::Property => groups(self.properties.iter(), query.is_grouped, end),
            TopBy::Node => groups(self.nodes.iter(), query.is_grouped, end),
            TopBy::Connection => {
                let connections = self.connections.iter();
                let rows = connections.map(|((capture, number), counted)| {
                    let name = counted.link.as_deref().map(name_of).unwrap_or_default();
                    row(TopKey::Connection(*capture, *number), name, counted, end)
                });
                rows.collect()
            }
            TopBy::Command => {
                let commands = self.commands.iter();
                let rows = commands.map(|(command, counted)| {
                    row(TopKey::Command(command), (*command).to_owned(), counted, end)
                });
                rows.collect()
            }
        };
        let filter = query.filter.to_lowercase();
        if !filter.is_empty() {
            rows.retain(|row| {
                let name = row.name.to_lowercase();
                filter.split_whitespace().all(|word| name.contains(word))
            });
        }
        rows.sort_by(|row, other| (&row.name, &row.key).cmp(&(&other.name, &other.key)));
        match query.sort {
            TopSort::Minute => rows.sort_by_cached_key(|row| Reverse(row.last_minute().bytes)),
            TopSort::Bytes => rows.sort_by_cached_key(|row| Reverse(row.last_second().bytes)),
            TopSort::Messages => rows.sort_by_cached_key(|row| Reverse(row.last_second().count)),
            TopSort::Total => rows.sort_by_key(|row| Reverse(row.usage.total.bytes)),
            TopSort::Name => {}
        }
        rows
    }
}

fn row(key: TopKey, name: String, counted: &Counted, end: i64) -> TopRow<'_> {
    TopRow {
        key,
        name,
        nodes: 1,
        minute: counted.minute.clone(),
        usage: counted.usage,
        link: counted.link.as_deref(),
        counted: vec![counted],
        end,
    }
}

fn name_of(link: &Link) -> String {
    let (from, to) = link.ends();
    let arrow = if link.client.is_some() { '→' } else { '↔' };
    format!("{from} {arrow} {to}")
}

/// The rows of items: those of nodes that are alike together, if they are grouped.
fn groups<'t>(
    items: impl Iterator<Item = (&'t Item<Box<str>>, &'t Counted)>,
    is_grouped: bool,
    end: i64,
) -> Vec<TopRow<'t>> {
    let mut places: HashMap<TopKey, usize> = HashMap::new();
    let mut rows: Vec<(TopRow<'_>, Vec<NodeName<&str>>)> = Vec::new();
    for (item, counted) in items {
        let item = item.map(|name| &**name);
        let mut owned = item.map(|name| (*name).to_owned());
        if is_grouped {
            owned.node = stem(item.node);
        }
        let key = TopKey::Item(owned);
        if let Some((row, nodes)) = places.get(&key).and_then(|place| rows.get_mut(*place)) {
            row.minute.merge(&counted.minute);
            row.usage.merge(counted.usage);
            row.counted.push(counted);
            row.nodes = row.nodes.saturating_add(1);
            nodes.push(item.node);
        } else {
            places.insert(key.clone(), rows.len());
            rows.push((row(key, String::new(), counted, end), vec![item.node]));
        }
    }
    let named = rows.into_iter().map(|(row, mut nodes)| {
        nodes.sort_unstable();
        let TopKey::Item(item) = &row.key else { return row };
        let name = ItemName(pattern_of(&nodes), item.member_ref()).to_string();
        TopRow { name, ..row }
    });
    named.collect()
}

impl Item<String> {
    fn member_ref(&self) -> Member<&str> {
        self.map(String::as_str).member
    }
}

/// Shows a node and its method or property: `World/Player.jump`, `World/Player:position`.
struct ItemName<'n>(String, Member<&'n str>);

impl fmt::Display for ItemName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ItemName(node, member) = self;
        match member {
            Member::Whole => f.write_str(node),
            Member::Property { .. } | Member::Set(_) => write!(f, "{node}:{member}"),
            _ => write!(f, "{node}.{member}"),
        }
    }
}
