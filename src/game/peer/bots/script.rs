//! Scripts for bots: the calls that they make, when and how often, and literals with placeholders.

use crate::format::text::{ParseProblem, parse_prefix};
use crate::net::conditions::SplitMix;
use crate::value::Kind;
use crate::write::owned::Variant;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::str::FromStr;
use core::time::Duration;

/// The longest text of one call, in bytes.
const LONGEST: usize = 64 << 10;

/// A remote call that bots make once or at a rate: `Main/World.move(Vector2(1, 2)) 20/s`.
///
/// The arguments are literals as the engines write them. `$i` is the number of the bot, `$id` the id of
/// its peer, `$time` the seconds since it joined, `$random(0, 10)` a real number from 0 to 10, and
/// `$randi(1, 6)` an int from 1 to 6. They may also stand inside of strings and of the path; `$$` is a
/// dollar sign. Without a rate, each bot makes the call once.
///
/// ```
/// use gdwire::peer::ScriptedCall;
///
/// let call: ScriptedCall = "Main/World.say(\"I am bot $i\", $randi(1, 6)) 2/s".parse()?;
/// assert_eq!((call.path(), call.method()), ("Main/World", "say"));
/// assert_eq!(call.interval().map(|interval| interval.as_millis()), Some(500));
///
/// let error = "Main/World.say(\"hi\",)".parse::<ScriptedCall>().unwrap_err();
/// assert_eq!(error.to_string(), "column 21: expected a value");
/// # Ok::<(), gdwire::peer::ScriptError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ScriptedCall {
    pub(super) path: Template,
    pub(super) method: String,
    arguments: Template,
    /// The kinds of the arguments.
    pub(super) kinds: Vec<Kind>,
    /// The arguments, if they are always the same.
    fixed: Option<Vec<Variant>>,
    interval: Option<Duration>,
    start: Duration,
    end: Option<Duration>,
}

/// The values of the placeholders in a call.
#[derive(Clone, Debug)]
pub(super) struct CallInputs {
    /// The number of the bot.
    pub(super) number: usize,
    /// The id of its peer.
    pub(super) id: i32,
    /// The time since it joined.
    pub(super) time: Duration,
    random: SplitMix,
}

impl CallInputs {
    /// The inputs of the bot with this number. The same seed gives the same random numbers.
    pub(super) const fn new(number: usize, id: i32, seed: u64) -> CallInputs {
        let seed = seed.wrapping_add((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) << 7);
        CallInputs { number, id, time: Duration::ZERO, random: SplitMix::new(seed) }
    }
}

/// An error in a scripted call, and its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub struct ScriptError {
    /// The number of the line in a list of calls, from 1. None for a call alone.
    pub line: Option<usize>,
    /// The number of the character in the line, from 1.
    pub column: usize,
    /// The problem at that place.
    pub problem: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(f, "column {}: {}", self.column, self.problem)
    }
}

impl ScriptError {
    /// An error at this offset of a line.
    fn at(text: &str, offset: usize, problem: impl Into<String>) -> ScriptError {
        let before = text.char_indices().take_while(|(at, _)| *at < offset).count();
        ScriptError { line: None, column: before.saturating_add(1), problem: problem.into() }
    }
}

impl ScriptedCall {
    /// Parses a list of calls: one a line, each after the time at which a bot makes it, since it
    /// joined: `2s Main/World.say("hi")`. A call with a rate goes on until the bot leaves, or until a
    /// second time: `2s-5s Main/World.move(Vector2(1, 0)) 20/s`. Empty lines and lines that begin with
    /// `#` are skipped.
    ///
    /// # Errors
    ///
    /// The first error, with its line.
    pub fn parse_list(text: &str) -> Result<Vec<ScriptedCall>, ScriptError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut calls = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let trimmed = text.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let call = ScriptedCall::parse_timed(text);
            calls.push(call.map_err(|error| ScriptError { line: Some(line), ..error })?);
        }
        Ok(calls)
    }

    fn parse_timed(text: &str) -> Result<ScriptedCall, ScriptError> {
        let begin = text.len().saturating_sub(text.trim_start().len());
        let rest = text.get(begin..).unwrap_or("");
        let (times, call) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let advice = "write the time of the call first, such as 2s or 500ms, or 2s-5s for a call \
                      with a rate";
        let wrong = || ScriptError::at(text, begin, advice);
        let (start, end) = match times.split_once('-') {
            Some((start, end)) => (start, Some(parse_time(end).ok_or_else(wrong)?)),
            None => (times, None),
        };
        let start = parse_time(start).ok_or_else(wrong)?;
        if end.is_some_and(|end| end < start) {
            let at = begin.saturating_add(times.find('-').map_or(0, |dash| dash.saturating_add(1)));
            return Err(ScriptError::at(text, at, "the second time is before the first"));
        }
        let call_at = text.len().saturating_sub(call.len());
        let call = ScriptedCall::parse_at(text, call_at)?;
        if end.is_some() && call.interval.is_none() {
            let problem = "a call with two times needs a rate, such as 20/s";
            return Err(ScriptError::at(text, text.len(), problem));
        }
        Ok(ScriptedCall { start, end, ..call })
    }

    /// Parses the call that begins at this offset of a line.
    fn parse_at(line: &str, offset: usize) -> Result<ScriptedCall, ScriptError> {
        let error = |at: usize, problem: &str| Err(ScriptError::at(line, at, problem));
        if line.len() > LONGEST {
            return error(LONGEST, "the call is too long");
        }
        let text = line.get(offset..).unwrap_or("");
        let begin = offset.saturating_add(text.len().saturating_sub(text.trim_start().len()));
        let text = text.trim();
        let Some((head, rest)) = text.split_once('(') else {
            let problem = "expected a call, such as Main/World.move(Vector2(1, 2))";
            return error(begin, problem);
        };
        let Some((path, method)) = head.rsplit_once('.') else {
            let problem =
                "expected the path of a node, a dot and a method, such as Main/World.move";
            return error(begin, problem);
        };
        let path = path.strip_prefix("/root/").unwrap_or(path);
        if path.is_empty() {
            return error(begin, "expected the path of a node");
        }
        let is_name = |name: &str| name.chars().all(|it| it == '_' || it.is_alphanumeric());
        let method_at = begin.saturating_add(head.len().saturating_sub(method.len()));
        if method.is_empty() || !is_name(method) {
            return error(method_at, "expected the name of a method");
        }
        let path = Template::parse(line, begin, path)?;
        let inside = begin.saturating_add(head.len()).saturating_add(1);
        let template = Template::parse(line, inside, rest)?;
        // The numbers in place of the placeholders do not matter for the syntax.
        let mut example = Example { text: String::new(), places: Vec::new() };
        let mut inputs = CallInputs::new(1, 1, 0);
        template.write(&mut inputs, &mut example.text, |at, of| example.places.push((at, of)));
        let (values, after) = match parse_arguments(&example.text) {
            Ok(parsed) => parsed,
            Err((at, problem)) => {
                let at = inside.saturating_add(example.offset(at));
                return Err(ScriptError::at(line, at, problem.to_string()));
            }
        };
        let after_at = example.offset(example.text.len().saturating_sub(after.len()));
        let rate = rest.get(after_at..).unwrap_or("");
        let rate_at = inside.saturating_add(rest.len().saturating_sub(rate.trim_start().len()));
        let interval = match rate.trim() {
            "" => None,
            rate => match parse_rate(rate) {
                Some(interval) => Some(interval),
                None => return error(rate_at, "expected a rate, such as 20/s or 6/min"),
            },
        };
        let arguments = Template::parse(line, inside, rest.get(..after_at).unwrap_or(rest))?;
        let kinds = values.iter().map(Variant::kind).collect();
        let fixed = arguments.is_fixed().then_some(values);
        let (start, end) = (Duration::ZERO, None);
        let method = method.to_owned();
        Ok(ScriptedCall { path, method, arguments, kinds, fixed, interval, start, end })
    }

    /// The path of the node, as it was written.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path.text
    }

    /// The name of the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The time between two calls of a bot; none if it makes only one.
    #[must_use]
    pub const fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// When a bot makes the first call, after it has joined.
    #[must_use]
    pub const fn start(&self) -> Duration {
        self.start
    }

    /// The path and the arguments of the next call.
    ///
    /// # Errors
    ///
    /// If the text that replaces a placeholder is not part of a literal there.
    pub(super) fn evaluate(
        &self,
        inputs: &mut CallInputs,
    ) -> Result<(String, Vec<Variant>), ScriptError> {
        let mut path = String::new();
        self.path.write(inputs, &mut path, |_, _| {});
        if let Some(fixed) = &self.fixed {
            return Ok((path, fixed.clone()));
        }
        let mut text = String::new();
        self.arguments.write(inputs, &mut text, |_, _| {});
        match parse_arguments(&text) {
            Ok((arguments, _)) => Ok((path, arguments)),
            Err((at, problem)) => Err(ScriptError::at(&text, at, problem.to_string())),
        }
    }

    /// When a bot makes the call again; none if that was the last time.
    pub(super) fn next(&self, last: Duration) -> Option<Duration> {
        let next = last.saturating_add(self.interval?);
        self.end.is_none_or(|end| next < end).then_some(next)
    }
}

impl FromStr for ScriptedCall {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<ScriptedCall, ScriptError> {
        ScriptedCall::parse_at(text, 0)
    }
}

/// Parses arguments up to the parenthesis after them. Returns them and the rest of the text.
fn parse_arguments(text: &str) -> Result<(Vec<Variant>, &str), (usize, ParseProblem)> {
    let offset = |rest: &str| text.len().saturating_sub(rest.len());
    let mut rest = text.trim_start();
    let mut values = Vec::new();
    if let Some(after) = rest.strip_prefix(')') {
        return Ok((values, after));
    }
    loop {
        let (after, value) = parse_prefix(rest)
            .map_err(|error| (offset(rest).saturating_add(error.offset), error.problem))?;
        values.push(value);
        if let Some(after) = after.strip_prefix(')') {
            return Ok((values, after));
        }
        let Some(next) = after.strip_prefix(',') else {
            return Err((offset(after), ParseProblem::Expected("`,` or `)`")));
        };
        rest = next;
    }
}

/// Parses `20/s` or `6/min`: the time from one to the next.
#[must_use]
pub fn parse_rate(text: &str) -> Option<Duration> {
    let (count, unit) = text.split_once('/')?;
    let unit = match unit.trim() {
        "s" => 1.0,
        "min" | "m" => 60.0,
        _ => return None,
    };
    let count: f64 = count.trim().parse().ok()?;
    let interval = Duration::try_from_secs_f64(unit / count).ok()?;
    (!interval.is_zero()).then_some(interval)
}

/// Parses a time such as `500ms`, `2s`, `1.5s` or `1m`.
fn parse_time(text: &str) -> Option<Duration> {
    let number_len = text.find(|it: char| it != '.' && !it.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(number_len)?;
    let unit = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

/// A text with its placeholders replaced, and where its parts come from.
struct Example {
    text: String,
    /// Offsets in this text, and the same places in the template.
    places: Vec<(usize, usize)>,
}

impl Example {
    /// The place in the template for an offset in this text.
    fn offset(&self, at: usize) -> usize {
        let last = self.places.iter().rfind(|(start, _)| *start <= at);
        last.map_or(at, |(start, of)| of.saturating_add(at.saturating_sub(*start)))
    }
}

/// A text with placeholders.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Template {
    pub(super) text: String,
    pieces: Vec<(usize, TemplatePart)>,
}

#[derive(Clone, PartialEq, Debug)]
enum TemplatePart {
    Text(String),
    Number,
    Id,
    Time,
    Random(f64, f64),
    RandomInt(i64, i64),
}

impl Template {
    /// Parses a text that begins at an offset of a line.
    fn parse(line: &str, begin: usize, text: &str) -> Result<Template, ScriptError> {
        let mut pieces = Vec::new();
        let offset = |rest: &str| text.len().saturating_sub(rest.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            if !before.is_empty() {
                pieces.push((offset(rest), TemplatePart::Text(before.to_owned())));
            }
            let at = offset(after).saturating_sub(1);
            let name_len = after.find(|it: char| !it.is_ascii_alphanumeric());
            let (name, next) =
                after.split_at_checked(name_len.unwrap_or(after.len())).unwrap_or(("", ""));
            let wrong =
                |problem: &str| Err(ScriptError::at(line, begin.saturating_add(at), problem));
            let (piece, next) = match name {
                "" if next.starts_with('$') => {
                    (TemplatePart::Text("$".to_owned()), next.get(1..).unwrap_or(""))
                }
                "i" => (TemplatePart::Number, next),
                "id" => (TemplatePart::Id, next),
                "time" => (TemplatePart::Time, next),
                "random" => match range::<f64>(next) {
                    Some((low, high, next)) if low.is_finite() && high.is_finite() => {
                        (TemplatePart::Random(low, high), next)
                    }
                    _ => return wrong("expected two numbers, such as $random(0, 10)"),
                },
                "randi" => match range(next) {
                    Some((low, high, next)) => (TemplatePart::RandomInt(low, high), next),
                    None => return wrong("expected two ints, such as $randi(1, 6)"),
                },
                _ => {
                    return wrong(
                        "there are $i, $id, $time, $random(0, 10) and $randi(1, 6); $$ is a dollar \
                         sign",
                    );
                }
            };
            pieces.push((at, piece));
            rest = next;
        }
        if !rest.is_empty() {
            pieces.push((offset(rest), TemplatePart::Text(rest.to_owned())));
        }
        Ok(Template { text: text.to_owned(), pieces })
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.pieces.iter().all(|(_, piece)| matches!(piece, TemplatePart::Text(_)))
    }

    /// Writes the text with its placeholders replaced. `note` gets where each piece is written, and
    /// where it is in the template.
    fn write(&self, inputs: &mut CallInputs, out: &mut String, mut note: impl FnMut(usize, usize)) {
        for (at, piece) in &self.pieces {
            note(out.len(), *at);
            // A string takes every text. `{:?}` writes reals so that they are no ints.
            let _ = match piece {
                TemplatePart::Text(text) => out.write_str(text),
                TemplatePart::Number => write!(out, "{}", inputs.number),
                TemplatePart::Id => write!(out, "{}", inputs.id),
                TemplatePart::Time => write!(out, "{:?}", inputs.time.as_secs_f64()),
                TemplatePart::Random(low, high) => {
                    let share = inputs.random.unit();
                    write!(out, "{:?}", low * (1.0 - share) + high * share)
                }
                TemplatePart::RandomInt(low, high) => {
                    let (low, high) = (*low.min(high), *low.max(high));
                    let count = low.abs_diff(high).saturating_add(1);
                    let step = inputs.random.next_u64().checked_rem(count).unwrap_or(0);
                    write!(out, "{}", low.saturating_add_unsigned(step))
                }
            };
        }
    }
}

/// Parses `(0, 10)`. Returns both numbers and the rest of the text.
fn range<T: FromStr>(text: &str) -> Option<(T, T, &str)> {
    let (inside, after) = text.strip_prefix('(')?.split_once(')')?;
    let (low, high) = inside.split_once(',')?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::{CallInputs, ScriptedCall};
    use core::time::Duration;
    use std::string::ToString;
    use std::vec::Vec;

    fn evaluated(call: &str, inputs: &mut CallInputs) -> Vec<std::string::String> {
        let call: ScriptedCall = call.parse().unwrap();
        let (_, arguments) = call.evaluate(inputs).unwrap();
        arguments.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn placeholders_are_replaced() {
        let mut inputs =
            CallInputs { time: Duration::from_millis(1_500), ..CallInputs::new(3, 77, 9) };
        let call = "World.f($i, \"bot $i of $$\", [$time], Vector2($id, -$i)) 4/s";
        let expected = ["3", "\"bot 3 of $\"", "[1.5]", "Vector2(77, -3)"];
        assert_eq!(evaluated(call, &mut inputs), expected);
        assert_eq!(evaluated("World.f( )", &mut inputs), [""; 0]);
        let (path, _) =
            "Players/$id.f()".parse::<ScriptedCall>().unwrap().evaluate(&mut inputs).unwrap();
        assert_eq!(path, "Players/77");
    }

    #[test]
    fn random_numbers_follow_from_the_seed() {
        let call = "World.f($random(-1, 1), $randi(1, 6))";
        let run = |seed| {
            let mut inputs = CallInputs::new(1, 2, seed);
            (0..200).map(|_| evaluated(call, &mut inputs)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let mut seen = [false; 7];
        for arguments in run(3) {
            let real: f64 = arguments[0].parse().unwrap();
            assert!((-1.0..=1.0).contains(&real) && arguments[0].contains(['.', 'e']));
            seen[arguments[1].parse::<usize>().unwrap()] = true;
        }
        assert_eq!(seen, [false, true, true, true, true, true, true]);
    }

    #[test]
    fn errors_point_at_their_column() {
        for (call, expected) in [
            ("", "column 1: expected a call, such as Main/World.move(Vector2(1, 2))"),
            (
                "World(1)",
                "column 1: expected the path of a node, a dot and a method, such as Main/World.move",
            ),
            ("World.1 2()", "column 7: expected the name of a method"),
            ("World.f(1, )", "column 12: expected a value"),
            ("World.f($i, $i, Vector2(1))", "column 17: Vector2 needs 2 components, but has 1"),
            (
                "World.f(\"ä\", $who)",
                "column 14: there are $i, $id, $time, $random(0, 10) and $randi(1, 6); $$ is a dollar sign",
            ),
            ("World.f($random(1))", "column 9: expected two numbers, such as $random(0, 10)"),
            ("World.f(1) often", "column 12: expected a rate, such as 20/s or 6/min"),
            ("World.f($i) 0/s", "column 13: expected a rate, such as 20/s or 6/min"),
            ("World.f(1", "column 10: expected `,` or `)`"),
        ] {
            let error = call.parse::<ScriptedCall>().unwrap_err();
            assert_eq!(error.to_string(), expected, "{call}");
        }
    }

    #[test]
    fn lists_have_times() {
        let list = "# a walk\n\n500ms World.say(\"hi\")\n1s-2s  World.move(1) 20/s\n";
        let calls = ScriptedCall::parse_list(list).unwrap();
        assert_eq!(calls[0].start(), Duration::from_millis(500));
        assert_eq!(calls[0].next(calls[0].start()), None);
        let last = Duration::from_millis(1_950);
        assert_eq!(calls[1].next(Duration::from_secs(1)), Some(Duration::from_millis(1_050)));
        assert_eq!(calls[1].next(last), None);
        for (list, expected) in [
            ("World.f()", "line 1, column 1: write the time"),
            ("1s World.f()\n  2s World.f(]", "line 2, column 14: expected a value"),
            ("1s-2s World.f()", "line 1, column 16: a call with two times needs a rate"),
            (" 1s-0s World.f() 1/s", "line 1, column 5: the second time is before the first"),
        ] {
            let error = ScriptedCall::parse_list(list).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
