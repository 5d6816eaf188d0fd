//! Fits text to the width of a terminal.

use gdwire::text::cells;

/// Cuts a text to a number of columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if cells(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = columns.saturating_sub(1);
    for character in text.chars() {
        match left.checked_sub(cells(character.encode_utf8(&mut [0; 4]))) {
            Some(rest) => left = rest,
            None => break,
        }
        short.push(character);
    }
    short + if columns > 0 { "…" } else { "" }
}

/// Breaks a text between words into lines that fit a number of columns. All lines but the first
/// are indented.
pub(crate) fn wrapped(text: &str, columns: Option<u16>, indent: usize) -> String {
    let Some(columns) = columns.map(usize::from) else { return text.to_owned() };
    let mut lines = String::new();
    let mut used = 0_usize;
    for (number, word) in text.split(' ').enumerate() {
        let width = cells(word);
        let needed = used.saturating_add(1).saturating_add(width);
        if number > 0 && needed > columns && used > indent {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = indent.saturating_add(width);
        } else {
            lines.push_str(if number > 0 { " " } else { "" });
            used = if number > 0 { needed } else { width };
        }
        lines.push_str(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{cut, wrapped};

    #[test]
    fn long_text_is_cut_or_wrapped_at_its_words() {
        assert_eq!([cut("盾牌x", 5), cut("盾牌x", 4), cut("x", 0)], ["盾牌x", "盾…", ""]);
        assert_eq!(wrapped("one two three", Some(9), 2), "one two\n  three");
        assert_eq!(wrapped("  one two", Some(9), 2), "  one two");
        assert_eq!(wrapped("one seventeen x", Some(8), 2), "one\n  seventeen\n  x");
        assert_eq!(wrapped("one two", None, 2), "one two");
    }
}
