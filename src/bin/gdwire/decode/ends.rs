//! Short names for the ends of connections.

use gdwire::capture::Origin;
use gdwire::text::cells;
use std::collections::HashMap;
use std::net::SocketAddr;

/// At most this many ends get short names. Others are shown by their addresses, because more names
/// are hard to remember, and each new name takes a line.
const MOST: usize = 64;

/// The widest text of two ends to which other lines are aligned, in columns.
const WIDEST: usize = 27;

/// The role of an end in its connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Client,
    Server,
    Unknown,
}

/// The short names of the ends that were shown.
#[derive(Default)]
pub(super) struct Ends {
    names: HashMap<(SocketAddr, Part), Box<str>>,
    clients: usize,
    servers: usize,
    unknown: usize,
    /// The width of the widest text of two ends so far, in columns.
    width: usize,
}

/// The text for the two ends of a message.
pub(super) struct Named {
    /// Both ends, padded to the width of earlier ones.
    pub(super) text: String,
    /// The new names in the text, with their addresses.
    pub(super) legend: Vec<String>,
}

impl Ends {
    /// The names of the ends of a message.
    pub(super) fn names(&mut self, origin: Origin) -> Named {
        let [src, dst] = match origin.client {
            None => [Part::Unknown; 2],
            Some(client) if client == origin.from => [Part::Client, Part::Server],
            Some(_) => [Part::Server, Part::Client],
        };
        let mut legend = Vec::new();
        let [src, dst] =
            [(origin.src(), src), (origin.dst(), dst)].map(|end| self.name(end, &mut legend));
        self.padded(format!("{src} → {dst}"), legend)
    }

    /// The addresses of the ends of a message.
    pub(super) fn addresses(&mut self, origin: Origin) -> Named {
        self.padded(format!("{} → {}", origin.src(), origin.dst()), Vec::new())
    }

    fn padded(&mut self, text: String, legend: Vec<String>) -> Named {
        let width = cells(&text);
        if width <= WIDEST {
            self.width = self.width.max(width);
        }
        let padding = " ".repeat(self.width.saturating_sub(width));
        Named { text: text + &padding, legend }
    }

    fn name(&mut self, (address, part): (SocketAddr, Part), legend: &mut Vec<String>) -> String {
        if let Some(name) = self.names.get(&(address, part)) {
            return name.to_string();
        }
        if self.names.len() >= MOST {
            return address.to_string();
        }
        let count = match part {
            Part::Client => &mut self.clients,
            Part::Server => &mut self.servers,
            Part::Unknown => &mut self.unknown,
        };
        *count = count.saturating_add(1);
        let name = match (part, *count) {
            (Part::Client, count) => format!("client {count}"),
            (Part::Server, 1) => "server".to_owned(),
            (Part::Server, count) => format!("server {count}"),
            (Part::Unknown, count) => letters(count),
        };
        legend.push(format!("{name} = {address}"));
        self.names.insert((address, part), name.as_str().into());
        name
    }
}

/// A, B, …, Z, AA, AB, …
fn letters(count: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = count;
    while let Some(place) = rest.checked_sub(1) {
        letters.push(char::from(b'A' + (place % 26) as u8));
        rest = place / 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::{Ends, MOST, Part, letters};
    use std::net::SocketAddr;

    #[test]
    fn ends_with_an_unknown_role_are_letters() {
        assert_eq!([1, 2, 26, 27, 53, 703].map(letters), ["A", "B", "Z", "AA", "BA", "AAA"]);
    }

    #[test]
    fn only_the_first_of_many_ends_have_names() {
        let (mut ends, mut legend) = (Ends::default(), Vec::new());
        let names: Vec<_> = (0..2_000_u16)
            .map(|port| {
                let address = SocketAddr::from(([10, 0, 0, 1], port));
                ends.name((address, Part::Client), &mut legend)
            })
            .collect();
        assert_eq!(legend.len(), MOST);
        assert_eq!([&names[0], &names[1_999]], ["client 1", "10.0.0.1:1999"]);
    }
}
