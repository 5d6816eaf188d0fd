//! Detects what a connection carries from its first packets.
//!
//! [`Race`] passes the packets of one connection to the readers of all transports that are
//! possible, and keeps the findings of each reader. The first transport with enough evidence wins:
//! the race returns the findings of its reader, and the reader itself, which continues as the
//! [`Winner`]. Nothing is read twice.
//!
//! Evidence is enough at once if it leaves no doubt: ENet's connect command, the upgrade to
//! WebSocket, a message that is a value in only one dialect. Short datagrams may be values by chance,
//! so without another transport around them, some are needed. Otherwise, evidence is collected up
//! to a limit of messages, bytes and, in live traffic, time.
//!
//! A message need not wait for the end of the race if all dialects that are still possible read it
//! alike. Once the time is over, or if transport and dialect are known, no readable message waits:
//! the best guess so far reads it, and the race continues in order to correct the guess.

mod datagrams;
mod early;
mod found;
mod kept;
mod looks;
mod race;
mod streams;
mod winner;

pub(super) use early::Remaining;
pub(super) use looks::{is_unlikely, is_value};
pub(super) use race::Race;
pub(super) use winner::Winner;
