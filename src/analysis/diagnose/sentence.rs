//! Describes findings in sentences.

use super::kind::{FindingKind, Severity};
use super::seen::Seen;
use crate::analysis::stats::{Member, NodeName};

/// How many nodes a sentence names.
const NAMED: usize = 3;

/// Describes a finding in a sentence with its numbers.
pub(super) fn sentence(
    kind: FindingKind,
    seen: &Seen,
    member: Option<Member<&str>>,
    nodes: &[NodeName<&str>],
) -> String {
    let Seen { count, of, most, bytes, .. } = *seen;
    let n = |noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let percent = |part: u64, of: u64| if of > 0 { part as f64 * 100.0 / of as f64 } else { 0.0 };
    let share = percent(count, of);
    let place = place(member, nodes);
    let in_place = place.replacen(" of ", " in ", 1);
    let milliseconds = most as f64 / 1e3;
    match kind {
        FindingKind::UnknownNode if seen.severity == Severity::Info => format!(
            "{}{place} with a node id that was announced before the capture began, or in packets \
             that it lacks",
            n("packet")
        ),
        FindingKind::UnknownNode => {
            format!("{}{place} with a node id that its sender did not announce", n("packet"))
        }
        FindingKind::MethodsDiffer => {
            let say = if count == 1 { "says" } else { "say" };
            format!("{}{place} {say} that the methods differ", n("confirmation"))
        }
        FindingKind::MethodOutOfRange => {
            format!("{}{place} with a method number that is out of range", n("call"))
        }
        FindingKind::RefusedCall => {
            format!("{}{place} from a client, but only the authority may call it", n("call"))
        }
        FindingKind::OtherVersion => {
            let verb = if count == 1 { "contradicts" } else { "contradict" };
            let (packets, them) = (n("packet"), if count == 1 { "it" } else { "them" });
            format!(
                "{packets}{place} {verb} the project; only names that agree with {them} are shown"
            )
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
            let (bytes, of_bytes) = (bytes.0, percent(bytes.0, bytes.1));
            let calls = n("call");
            format!(
                "{calls}{place}, {bytes} bytes: {share:.0}% of all messages, {of_bytes:.0}% of their bytes"
            )
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
            let resends = n("resend");
            match of {
                // The first copies were sent before the capture.
                0 => format!("{resends} of reliable commands or segments"),
                of if count <= of => {
                    format!("{resends} of {of} reliable commands or segments ({share:.1}%)")
                }
                of => {
                    let each = count as f64 / of as f64;
                    format!("{resends} of {of} reliable commands or segments ({each:.1} for each)")
                }
            }
        }
        FindingKind::UnreliableMissing => format!("{} never arrived", n("unreliable message")),
        FindingKind::ReliableMissing if count == 1 => {
            "1 reliable message, fragment or part of a stream is not in the capture".to_owned()
        }
        FindingKind::ReliableMissing => format!(
            "{count} reliable messages, fragments or parts of streams are not in the capture"
        ),
        FindingKind::NotDelivered => {
            let were = if count == 1 { "was" } else { "were" };
            format!(
                "{} {were} not delivered before the connection or the capture ended",
                n("reliable message")
            )
        }
        FindingKind::UnfinishedMessage => format!("{} that ended within a message", n("stream")),
        // Fragments count each, but are one message.
        FindingKind::OutOfOrder if count > of => {
            format!("{} overtaken", n("message, fragment or segment"))
        }
        FindingKind::OutOfOrder => {
            format!("{count} of {of} messages or segments were overtaken ({share:.1}%)")
        }
        FindingKind::ThrottleChanged => format!("{} of ENet's bandwidth or throttle", n("change")),
        FindingKind::LargeDatagrams => {
            format!("{} larger than the usual MTU, up to {most} bytes", n("datagram"))
        }
        FindingKind::TimedOut => format!("{} ended without an answer", n("connection")),
        FindingKind::Disconnected if count == 1 => "1 connection was closed by one end".to_owned(),
        FindingKind::Disconnected => format!("{count} connections were closed by one end"),
        FindingKind::Compressed => format!("{} that cannot be decompressed", n("message")),
        FindingKind::CapturedInPart => format!("{} captured only in part", n("packet")),
        FindingKind::LimitReached => format!("a limit was reached {}", n("time")),
    }
}

/// Names the subject of a finding: ` of Main/World.fire`, or ` of fire of A, B, C and 3 more nodes`.
fn place(member: Option<Member<&str>>, nodes: &[NodeName<&str>]) -> String {
    match (nodes, member) {
        ([], _) => String::new(),
        ([node], None) => format!(" of {node}"),
        ([node], Some(member)) => format!(" of {node}.{member}"),
        (nodes, member) => {
            let of_member = member.map_or(String::new(), |member| format!(" of {member}"));
            let more = nodes.len().saturating_sub(NAMED);
            // One more node is as short as a remark about it.
            let named = if more <= 1 { nodes.len() } else { NAMED };
            let named: Vec<_> = nodes.iter().take(named).map(ToString::to_string).collect();
            let named = match &named[..] {
                [first @ .., last] if more <= 1 => format!("{} and {last}", first.join(", ")),
                named => format!("{} and {more} more nodes", named.join(", ")),
            };
            format!("{of_member} of {named}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FindingKind, Seen, sentence};
    use crate::analysis::diagnose::Severity;
    use crate::capture::follow::Place;

    fn of_size(count: u64, of: u64) -> Seen {
        let place = Place::new(1);
        Seen { count, of, bytes: (of.min(count), of), ..Seen::once(Severity::Info, place) }
    }

    /// The number before each percent sign.
    fn percentages(text: &str) -> impl Iterator<Item = f64> {
        text.split('%').map(|part| {
            let start = part.rfind(|it: char| !it.is_ascii_digit() && it != '.');
            part.get(start.map_or(0, |start| start + 1)..).unwrap_or("").parse().unwrap_or(0.0)
        })
    }

    #[test]
    fn resends_and_overtaken_messages_are_never_more_than_all() {
        for kind in [FindingKind::Resent, FindingKind::OutOfOrder] {
            for (count, of) in [(0, 0), (5, 0), (528, 19), (2, 1), (1, 1), (19, 528)] {
                let seen = of_size(count, of);
                let text = sentence(kind, &seen, None, &[]);
                assert!(percentages(&text).all(|share| share <= 100.0), "{text}");
            }
        }
        let text = sentence(FindingKind::Resent, &of_size(528, 19), None, &[]);
        assert_eq!(text, "528 resends of 19 reliable commands or segments (27.8 for each)");
    }
}
