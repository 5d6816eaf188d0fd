//! The names of the ends of connections, by which messages are shown and selected.

use crate::args::places::{EndName, Role};
use gdwire::capture::Origin;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// At most this many ends get names. Others are shown by their addresses, because more names are
/// hard to remember, and each new name takes a line.
const MOST: usize = 64;

/// The names of ends, in the order in which their first messages were read.
#[derive(Default)]
pub(crate) struct EndNames(Mutex<Names>);

type Names = HashMap<(SocketAddr, Role), EndName>;

impl EndNames {
    /// The names of the sender and the receiver of a message. Ends without a name get one.
    pub(crate) fn name(&self, origin: Origin) -> [Option<EndName>; 2] {
        self.with(origin, |names, (address, role)| {
            let number = names.keys().filter(|(_, other)| *other == role).count();
            let (is_full, next) = (names.len() >= MOST, number.saturating_add(1));
            match names.get(&(address, role)) {
                Some(name) => Some(*name),
                None if is_full => None,
                None => {
                    Some(*names.entry((address, role)).or_insert(EndName { role, number: next }))
                }
            }
        })
    }

    /// The names that the sender and the receiver of something have.
    pub(crate) fn find(&self, origin: Origin) -> [Option<EndName>; 2] {
        self.with(origin, |names, end| names.get(&end).copied())
    }

    fn with(
        &self,
        origin: Origin,
        mut name: impl FnMut(&mut Names, (SocketAddr, Role)) -> Option<EndName>,
    ) -> [Option<EndName>; 2] {
        let [src, dst] = match origin.client {
            None => [Role::Unknown; 2],
            Some(client) if client == origin.from => [Role::Client, Role::Server],
            Some(_) => [Role::Server, Role::Client],
        };
        // Nothing panics while it is locked.
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        [(origin.src(), src), (origin.dst(), dst)].map(|end| name(&mut names, end))
    }
}
