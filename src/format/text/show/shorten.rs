//! Shortens single pieces of text.

use super::cells::{beginning, cells, ending};
use alloc::format;
use alloc::string::String;

/// Names and strings are never shortened to fewer cells than this.
const LEAST: usize = 12;

/// In fewer cells than this, the beginning of a path is left out, and so is the path below its node.
const PATH: usize = 18;

/// How many decimals of a real are shown at least.
const DECIMALS: usize = 3;

/// How a piece is shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// Not, except that its end is cut off if there is no other way to fit it.
    Never,
    /// In the middle: a name.
    Name,
    /// In the middle, or to the name of its node: a path. The first bytes are the path of a node, the
    /// rest is a path below it.
    Path { node: usize },
    /// After some decimals: a real.
    Decimals,
    /// At the end of the text in quotes. The number of bytes in that text, if it is known.
    Quoted(Option<usize>),
    /// After a whole element. The literal is the name of a type and then its elements: how many there
    /// are, and how many numbers each has.
    Elements {
        /// None if the type says how many.
        count: Option<usize>,
        numbers: usize,
    },
}

impl Cut {
    /// The smallest number of cells that a longer text can be shortened to.
    pub(super) fn least(self, text: &str) -> usize {
        match self {
            Cut::Never => usize::MAX,
            Cut::Name => LEAST,
            Cut::Path { node } => {
                let name = text.get(..node).unwrap_or(text).rsplit('/').next().unwrap_or(text);
                cells(name).saturating_add(1).min(LEAST)
            }
            Cut::Decimals => match text.find('.') {
                Some(point) if !text.contains('e') => {
                    point.saturating_add(DECIMALS).saturating_add(2)
                }
                _ => usize::MAX,
            },
            Cut::Quoted(bytes) => LEAST.saturating_add(cells(&omitted_bytes(bytes))),
            Cut::Elements { count, .. } => cells(&without_elements(text, count)),
        }
    }

    /// The smallest number of cells in which one of several numbers is seen.
    pub(super) fn telling(self, text: &str) -> Option<usize> {
        let Cut::Elements { count: None, .. } = self else { return None };
        let (_, arguments) = text.split_once('(')?;
        Some(cells(&first_alone(arguments.trim_start())?))
    }

    /// Shortens the text to at most this many cells.
    pub(super) fn shorten(self, text: &str, most: usize) -> String {
        let short = match self {
            // `hard` leaves out the last ones of many decimals.
            Cut::Never | Cut::Decimals => None,
            Cut::Path { node } if most < PATH => {
                let node = text.get(..node).unwrap_or(text);
                Some(format!("…{}", ending(node, most.saturating_sub(1))))
            }
            Cut::Name | Cut::Path { .. } => {
                let most = most.saturating_sub(1);
                let start = beginning(text, most / 3);
                Some(format!("{start}…{}", ending(text, most.saturating_sub(cells(start)))))
            }
            Cut::Quoted(bytes) => quoted(text, bytes, most),
            Cut::Elements { count, numbers } => elements(text, count, numbers, most),
        };
        short.filter(|short| cells(short) <= most).unwrap_or_else(|| hard(text, most))
    }
}

/// The beginning of a text, with a mark if something is left out.
pub(super) fn hard(text: &str, most: usize) -> String {
    match most.checked_sub(1) {
        Some(_) if cells(text) <= most => text.into(),
        Some(most) => format!("{}…", beginning(text, most)),
        None => String::new(),
    }
}

/// The mark of bytes that are left out of a string.
fn omitted_bytes(bytes: Option<usize>) -> String {
    bytes.map_or("…".into(), |bytes| format!("…+{bytes} B"))
}

/// Shortens a literal with text in quotes.
fn quoted(text: &str, bytes: Option<usize>, most: usize) -> Option<String> {
    let (before, inner) = text.split_once('"')?;
    let close = if before.ends_with('(') { "\")" } else { "\"" };
    let around = [before, "\"", close, &omitted_bytes(bytes)].map(cells).iter().sum();
    let mut left = most.checked_sub(around)?;
    let (mut end, mut shown) = (0_usize, 0_usize);
    let mut rest = inner;
    while let Some((spelled, of_text)) = first(rest) {
        let (spelling, next) = rest.split_at_checked(spelled)?;
        let Some(after) = left.checked_sub(cells(spelling)) else { break };
        (left, rest) = (after, next);
        (end, shown) = (end.saturating_add(spelled), shown.saturating_add(of_text));
    }
    let mark = omitted_bytes(bytes.map(|bytes| bytes.saturating_sub(shown)));
    Some(format!("{before}\"{}{close}{mark}", inner.get(..end)?))
}

/// How many bytes the first character of a text in quotes is spelled with, and how many it has.
fn first(text: &str) -> Option<(usize, usize)> {
    let mut characters = text.chars();
    match characters.next()? {
        '\\' => match characters.next()? {
            start @ ('u' | 'U') => {
                let end = if start == 'u' { 6 } else { 8 };
                let number = u32::from_str_radix(text.get(2..end)?, 16).ok()?;
                Some((end, char::from_u32(number)?.len_utf8()))
            }
            _ => Some((2, 1)),
        },
        '"' => None,
        character => Some((character.len_utf8(), character.len_utf8())),
    }
}

/// The name of the type before the elements, the number of elements, and the space inside of the
/// brackets.
fn header(text: &str, count: Option<usize>) -> (String, &'static str) {
    let (name, elements) = text.split_once('(').unwrap_or((text, ""));
    let space = if elements.starts_with(' ') { " " } else { "" };
    let count = count.map_or(String::new(), |count| format!("[{count}]"));
    (format!("{name}{count}"), space)
}

fn without_elements(text: &str, count: Option<usize>) -> String {
    format!("{}(…)", header(text, count).0)
}

/// Shortens a constructor with many arguments.
fn elements(text: &str, count: Option<usize>, numbers: usize, most: usize) -> Option<String> {
    let (header, space) = header(text, count);
    if count.is_none()
        && let Some((_, arguments)) = text.split_once('(')
        && cells(arguments).saturating_add("…(".len()) <= most.saturating_add("…".len() - 1)
    {
        // The numbers say more than the type.
        return Some(format!("…({arguments}"));
    }
    let around = cells(&header).saturating_add(space.len() * 2).saturating_add(", …()".len());
    let (_, arguments) = text.split_once('(')?;
    let arguments = arguments.trim_start();
    // The ellipsis has three bytes and takes one cell.
    let fitting = beginning(arguments, most.saturating_sub(around.saturating_sub(2))).len();
    let ends = separators(arguments).skip(numbers.saturating_sub(1)).step_by(numbers.max(1));
    let end = ends.take_while(|end| *end <= fitting).last();
    match end.and_then(|end| arguments.get(..end)) {
        Some(shown) => Some(format!("{header}({space}{shown}, …{space})")),
        None => {
            let first = first_number(arguments, most).filter(|_| count.is_none());
            Some(first.unwrap_or_else(|| without_elements(text, count)))
        }
    }
}

/// The first of several numbers without their type.
fn first_alone(arguments: &str) -> Option<String> {
    let first = arguments.get(..separators(arguments).next()?)?;
    Some(format!("…({first}, …)"))
}

/// The first of several numbers without their type, or its beginning with a decimal.
fn first_number(arguments: &str, most: usize) -> Option<String> {
    let first = arguments.get(..separators(arguments).next()?)?;
    let has_exponent = first.contains('e');
    let whole = first_alone(arguments)?;
    if cells(&whole) <= most {
        return Some(whole);
    }
    let left = most.checked_sub("…(…)".chars().count())?;
    let start = first.get(..left)?;
    let has_decimal = start.find('.')? < start.len().saturating_sub(1);
    (has_decimal && !has_exponent).then(|| format!("…({start}…)"))
}

/// The offsets of the separators between arguments. Separators in quotes do not count.
fn separators(arguments: &str) -> impl Iterator<Item = usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    arguments.bytes().enumerate().filter_map(move |(at, byte)| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => return Some(at),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{Cut, hard};

    #[test]
    fn names_keep_their_beginning_and_their_end() {
        let shorten = |most| Cut::Name.shorten("Game/Level/Räume/Tür", most);
        assert_eq!(shorten(12), "Gam…äume/Tür");
        assert_eq!([shorten(2), shorten(1), shorten(0)], ["…r", "…", ""]);
    }

    #[test]
    fn short_paths_end_with_the_name_of_their_node() {
        let cut = Cut::Path { node: 24 };
        let text = "Main/World/Actors/hero10/Sync";
        assert_eq!(cut.least(text), 7);
        let shorten = |most| cut.shorten(text, most);
        assert_eq!(shorten(20), "Main/W…s/hero10/Sync");
        assert_eq!(shorten(17), "…ld/Actors/hero10");
        assert_eq!([shorten(9), shorten(7), shorten(1)], ["…s/hero10", "…hero10", "…"]);
    }

    #[test]
    fn few_numbers_are_shown_without_their_type() {
        let shorten =
            |most| Cut::Elements { count: None, numbers: 1 }.shorten("Rect2(1, 2, 3, 4)", most);
        assert_eq!([shorten(14), shorten(13)], ["…(1, 2, 3, 4)"; 2].map(str::to_owned));
        assert_eq!([shorten(12), shorten(10)], ["Rect2(1, …)", "…(1, …)"].map(str::to_owned));
        let shorten = |text, most| Cut::Elements { count: None, numbers: 1 }.shorten(text, most);
        let real = "Vector2( -1126.25, 1.5 )";
        assert_eq!([shorten(real, 14), shorten(real, 11)], ["…(-1126.25, …)", "…(-1126.2…)"]);
        // No digit before the point is left out, nor an exponent.
        assert_eq!(shorten(real, 10), "Vector2(…)");
        assert_eq!(shorten("Vector2(1.25e-9, 1)", 10), "Vector2(…)");
    }

    #[test]
    fn strings_end_between_characters_and_say_how_many_bytes_are_left() {
        let text = r#""a\"b\u0007c盾d\n""#;
        let shorten = |most| Cut::Quoted(Some(10)).shorten(text, most);
        assert_eq!(shorten(8), "\"\"…+10 B");
        assert_eq!(shorten(9), "\"a\"…+9 B");
        assert_eq!(shorten(11), r#""a\""…+8 B"#);
        assert_eq!(shorten(12), r#""a\"b"…+7 B"#);
        assert_eq!(shorten(18), r#""a\"b\u0007"…+6 B"#);
        assert_eq!(shorten(21), r#""a\"b\u0007c盾"…+2 B"#);
        assert_eq!(shorten(7), r#""a\"b\…"#);
        let tag = Cut::Quoted(Some(7)).shorten(r#""a\U0e0041xy""#, 16);
        assert_eq!(tag, r#""a\U0e0041"…+2 B"#);
        let path = Cut::Quoted(None).shorten(r#"NodePath("Game/Path")"#, 20);
        assert_eq!(path, r#"NodePath("Game/Pa")…"#);
    }

    #[test]
    fn arrays_end_between_elements_and_say_how_many_there_are() {
        let text = "PoolVector2Array( 1, 2, 3.5, 4, 5, 6789012 )";
        let shorten = |most| Cut::Elements { count: Some(3), numbers: 2 }.shorten(text, most);
        assert_eq!(shorten(38), "PoolVector2Array[3]( 1, 2, 3.5, 4, … )");
        assert_eq!(shorten(30), "PoolVector2Array[3]( 1, 2, … )");
        assert_eq!(shorten(29), "PoolVector2Array[3](…)");
        assert_eq!(shorten(10), "PoolVecto…");
        let strings = Cut::Elements { count: Some(2), numbers: 1 };
        let text = r#"PackedStringArray("a, \", b", "c")"#;
        assert_eq!(strings.shorten(text, 35), r#"PackedStringArray[2]("a, \", b", …)"#);
    }

    #[test]
    fn reals_keep_three_decimals() {
        let least = |text| Cut::Decimals.least(text);
        assert_eq!([least("-12.3456789"), least("0.5")], [8, 6]);
        assert_eq!([least("1.2345e-30"), least("inf")], [usize::MAX; 2]);
        assert_eq!(Cut::Decimals.shorten("-12.3456789", 8), "-12.345…");
    }

    #[test]
    fn whatever_is_too_long_is_cut() {
        assert_eq!(Cut::Never.shorten("12345", 3), "12…");
        assert_eq!([hard("123", 3), hard("12", 0)], ["123", ""]);
    }
}
