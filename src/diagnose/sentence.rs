//! Describes findings in sentences.

use super::kind::FindingKind;
use super::seen::Seen;
use crate::stats::{Item, Member};

/// Describes a finding in a sentence with its numbers.
pub(super) fn sentence(kind: FindingKind, seen: &Seen, item: Option<Item<&str>>) -> String {
    let Seen { count, of, most, .. } = *seen;
    let n = |noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let share = if of > 0 { count as f64 * 100.0 / of as f64 } else { 0.0 };
    let place = match item {
        Some(Item { node, member: Member::Whole }) => format!(" of {node}"),
        Some(Item { node, member }) => format!(" of {node}.{member}"),
        None => String::new(),
    };
    let in_place = place.replacen(" of ", " in ", 1);
    let milliseconds = most as f64 / 1e3;
    match kind {
        FindingKind::UnknownNode => {
            format!("{}{place} with a node id that its sender did not announce", n("packet"))
        }
        FindingKind::MethodsDiffer => {
            format!("{}{place} with the answer that the methods differ", n("confirmation"))
        }
        FindingKind::MethodOutOfRange => {
            format!("{}{place} with a method number that is out of range", n("call"))
        }
        FindingKind::RefusedCall => {
            format!("{}{place} from a client, but only the authority may call it", n("call"))
        }
        FindingKind::OtherVersion => {
            format!("{}{place} with other methods or properties than the project", n("packet"))
        }
        FindingKind::ForeignState => {
            format!("{}{place} from a peer that did not spawn the node", n("state"))
        }
        FindingKind::CallBeforeSpawn => format!("{}{place} before the node was spawned", n("call")),
        FindingKind::CallAfterDespawn => {
            format!("{}{place} after the node was despawned", n("call"))
        }
        FindingKind::LargeState => format!("{}{place} of up to {most} bytes", n("state")),
        FindingKind::UnchangedState => {
            format!("{count} of {of} sync states{place} repeat the state before ({share:.0}%)")
        }
        FindingKind::Flood => {
            format!("{}{place}, {most} bytes: {share:.0}% of all messages", n("call"))
        }
        FindingKind::ObjectArgument => format!("{}{in_place}", n("object")),
        FindingKind::UnreadablePayload => {
            format!("{} that cannot be read, of {of} messages", n("message"))
        }
        FindingKind::NotFinite => format!("{} with NaN or infinity{in_place}", n("value")),
        FindingKind::WrongElementType => {
            format!("{} of another type than their container{in_place}", n("element"))
        }
        FindingKind::SlowRoundTrips => format!(
            "in {}, 5% of the round trips took {milliseconds:.0} ms or more",
            n("direction")
        ),
        FindingKind::Resent => {
            format!("{count} of {of} reliable commands or segments were sent again ({share:.1}%)")
        }
        FindingKind::UnreliableMissing => format!("{} never arrived", n("unreliable message")),
        FindingKind::ReliableMissing => format!("{} not in the capture", n("reliable part")),
        FindingKind::UnfinishedMessage => format!("{} that ended within a message", n("stream")),
        FindingKind::OutOfOrder => {
            format!("{count} of {of} messages or segments were overtaken ({share:.1}%)")
        }
        FindingKind::ThrottleChanged => format!("{} of ENet's bandwidth or throttle", n("change")),
        FindingKind::LargeDatagrams => {
            format!("{} larger than the usual MTU, up to {most} bytes", n("datagram"))
        }
        FindingKind::TimedOut => format!("{} ended without an answer", n("connection")),
        FindingKind::Disconnected => format!("an end has closed {}", n("connection")),
        FindingKind::CapturedInPart => format!("{} captured only in part", n("packet")),
        FindingKind::LimitReached => format!("a limit was reached {}", n("time")),
    }
}
