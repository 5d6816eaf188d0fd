//! Advice about fields in conditions that no message has.

use gdwire::capture::MessageField;
use gdwire::expression::Expression;

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
            "script",
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
            "scene_from",
            "synchronizers",
            "state",
            "properties",
            "bytes",
        ],
    ),
    (".rpc.states[]?", &["spawner", "changed"]),
    (".debugger", &["thread"]),
];

/// Corrects the first field of packets whose name has wrong capital letters.
fn inside(condition: &Expression) -> Option<String> {
    ELSEWHERE.iter().find_map(|(place, fields)| {
        let inside = condition.fields_inside(place.strip_prefix('.')?);
        inside.into_iter().find_map(|field| {
            let lower = field.to_ascii_lowercase();
            let is_known = fields.contains(&&*lower) || MessageField::NAMES.contains(&&*lower);
            (lower != field && is_known).then(|| {
                format!("no message has a field '{place}.{field}'; write '{place}.{lower}'")
            })
        })
    })
}

/// Corrects the first field that no message has; none if a condition reads only
/// fields that messages have.
pub fn advice(condition: &Expression) -> Option<String> {
    let fields = condition.fields();
    let Some(field) = fields.into_iter().find(|field| !MessageField::NAMES.contains(field)) else {
        return inside(condition);
    };
    let lower = field.to_ascii_lowercase();
    if lower != field && MessageField::NAMES.contains(&&*lower) {
        return Some(format!("no message has a field '.{field}'; write '.{lower}'"));
    }
    let elsewhere = ELSEWHERE.iter().find(|(_, fields)| fields.contains(&&*lower));
    Some(match elsewhere {
        Some((place, _)) => format!("no message has a field '.{field}'; write '{place}.{lower}'"),
        None => {
            format!(
                "no message has a field '.{field}'; for a field of a value, write '.value.{field}'"
            )
        }
    })
}
