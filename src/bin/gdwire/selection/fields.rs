//! Advice about fields in conditions that no message has.

use gdwire::expression::Expression;

/// The fields of a message.
const MESSAGE: [&str; 14] = [
    "frame",
    "time",
    "transport",
    "src",
    "dst",
    "channel",
    "mode",
    "peer",
    "offset",
    "len",
    "kind",
    "value",
    "rpc",
    "debugger",
];

/// The fields of packets of the multiplayer API and of their states that a message has not, and
/// where they are.
const ELSEWHERE: [(&str, &[&str]); 3] = [
    (
        ".rpc",
        &[
            "command",
            "method",
            "args",
            "path",
            "id",
            "own",
            "md5",
            "valid",
            "states",
            "net_id",
            "name",
            "node",
            "scene",
            "scene_path",
            "synchronizers",
            "state",
            "properties",
            "bytes",
        ],
    ),
    (".rpc.states[]?", &["spawner", "changed"]),
    (".debugger", &["thread"]),
];

/// What to write instead of the first field that no message has; none if a condition reads only
/// fields that messages have.
pub(super) fn advice(condition: &Expression) -> Option<String> {
    let fields = condition.fields();
    let field = fields.into_iter().find(|field| !MESSAGE.contains(field))?;
    let elsewhere = ELSEWHERE.iter().find(|(_, fields)| fields.contains(&field));
    Some(match elsewhere {
        Some((place, _)) => format!("no message has a field '.{field}'; write '{place}.{field}'"),
        None => {
            format!(
                "no message has a field '.{field}'; for a field of a value, write '.value.{field}'"
            )
        }
    })
}
