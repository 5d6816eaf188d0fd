//! Counts what games send: by connection, kind of value, command, node and method, and over time.
//!
//! [`Stats`] takes the events of a [`Follower`](crate::follow::Follower) one by one, in one pass.
//! [`StatsLimits`] bound its memory, so a server can count its own traffic for as long as it runs:
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::stats::Stats;
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! let mut stats = Stats::new();
//! while let Some(event) = messages.next_event() {
//!     stats.event(&event);
//! }
//! let busiest = stats.calls().max_by_key(|(_, usage)| usage.total.bytes);
//! let (item, usage) = busiest.ok_or("no calls")?;
//! println!("{}.{}: {} bytes", item.node, item.member, usage.total.bytes);
//! # assert!(usage.total.count > 0 && stats.messages().count > usage.total.count);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alike;
mod amount;
mod connection;
mod counts;
mod groups;
mod intervals;
mod item;
mod items;
mod json;
mod limits;
pub(crate) mod reason;

pub(crate) use alike::stem;
pub use amount::{Amount, Usage};
pub use connection::{Connection, Further, Measured};
pub use counts::Stats;
pub use groups::Group;
pub use intervals::{Interval, Intervals};
pub(crate) use item::each_item;
pub use item::{Item, Member, NodeName, StateKind};
pub use limits::StatsLimits;
