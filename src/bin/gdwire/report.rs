//! `gdwire report`: writes one HTML page with plots of what captures contain.
//!
//! `gdwire::report` collects messages, losses and connections, and writes the page.

use crate::args::{Input, InputArgs, NamesArgs, SelectionArgs, Threads, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input;
use crate::opened::is_stdin;
use crate::output::{self, Replaced};
use crate::sink::{
    Division, EventSink, InputSink, Joining, Needs, PartResult, SinkPart, SinkRefusal, Trouble,
    merged,
};
use clap::parser::ValueSource;
use clap::{Args, Command};
use gdwire::compare::{Comparison, Which};
use gdwire::follow::{ConnectionNumbers, Message, Other, Summary};
use gdwire::report::{Page, Report, ReportCounts};
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::{env, fs, mem};

const FILES: &str = "Captures; - is standard input";
const PACKED: &str =
    "Files that are compressed with gzip, Zstandard or LZ4 are unpacked while they are read.";

#[derive(Args)]
#[command(mut_arg("input", |arg| arg.default_value("capture").hide(true)))]
#[command(mut_arg("files", |arg| arg.help(FILES).long_help(format!("{FILES}\n\n{PACKED}"))))]
pub struct ReportArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    /// Write the page to this file instead of standard output
    ///
    /// The file is replaced after all inputs were read. If an input cannot be read, the file stays
    /// as it was.
    #[arg(short = 'o', value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

pub fn run(args: &ReportArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    if args.inputs.input != Input::Capture {
        return Err(
            "a report needs captures; 'gdwire stats' counts the values in other files".into()
        );
    }
    let needs = Needs { names: args.names.read(diagnostics)?, measures: true, ..Needs::default() };
    let files = input::find_files(&args.inputs, diagnostics);
    let file = args.file.as_deref().filter(|path| !is_stdin(path));
    if file.is_none() && stdout().is_terminal() {
        return Err("a report is a page for a browser; name its file with -o report.html".into());
    }
    let (mut out, replacement) = output::open_or_stdout(file, Replaced::Other, "")?;
    let page = Page::new(Vec::new())?;
    let are_two = files.len() == 2 && !args.inputs.join;
    let comparison = are_two
        .then(|| Comparison::with_max_bytes(args.inputs.reading.limits.limits().total_bytes));
    let mut reporter = Reporter {
        args,
        files: &files,
        page,
        report: Report::new(),
        comparison,
        names: Vec::new(),
    };
    input::read(
        args.selection.request(&files, &args.inputs, needs),
        None,
        &mut reporter,
        diagnostics,
    )?;
    if let (Some(comparison), [first, second]) = (&mut reporter.comparison, &*reporter.names) {
        comparison.find_sides();
        reporter.page.compare([first, second], comparison)?;
    }
    if !reporter.names.is_empty() && !diagnostics.has_unread() {
        out.write_all(&reporter.page.finish()?)?;
    }
    out.flush()?;
    Ok(output::commit(replacement, diagnostics)?)
}

struct Reporter<'a> {
    args: &'a ReportArgs,
    files: &'a [PathBuf],
    /// The page so far, with the reports of earlier captures.
    page: Page<Vec<u8>>,
    /// The report of the current capture.
    report: Report,
    /// The comparison of two captures.
    comparison: Option<Comparison>,
    /// The names of the captures that were read.
    names: Vec<String>,
}

impl Reporter<'_> {
    /// The comparison, and which of its captures is the current one.
    fn comparison(&mut self) -> Option<(&mut Comparison, Which)> {
        let which = *Which::BOTH.get(self.names.len())?;
        Some((self.comparison.as_mut()?, which))
    }

    fn compare(&mut self, message: &Message<'_>, is_selected: bool) {
        match self.comparison() {
            Some((comparison, which)) if is_selected => comparison.message(which, message),
            Some((comparison, which)) => comparison.note(which, message),
            None => {}
        }
    }
}

/// The counts of one share of the connections.
struct ReportedPart {
    counts: ReportCounts,
    /// Whether all messages are needed in order, because they are compared.
    is_compared: bool,
}

impl EventSink for ReportedPart {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.counts.message(message);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.counts.note(message);
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.counts.other(other);
        Ok(())
    }
}

impl SinkPart for ReportedPart {
    fn held_bytes(&self) -> usize {
        0
    }

    fn connection(&mut self, summary: &Summary) {
        self.counts.connection(summary);
    }

    fn is_in_order(&mut self, message: &Message<'_>) -> bool {
        let before = self.counts.stats().messages().count.saturating_sub(1);
        self.is_compared || Report::is_in_order(message, before)
    }

    fn finish(self: Box<Self>) -> PartResult {
        Box::new(self.counts)
    }
}

impl EventSink for Reporter<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.report.message(message);
        self.compare(message, true);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.report.note(message);
        self.compare(message, false);
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.report.other(other);
        Ok(())
    }
}

impl InputSink for Reporter<'_> {
    fn trouble(&mut self, trouble: Trouble<'_>) {
        match trouble {
            Trouble::Lost(loss) => self.report.lost(loss),
            Trouble::Damaged => self.report.damaged(),
            _ => {}
        }
    }

    fn connection(&mut self, summary: &Summary) {
        self.report.connection(summary);
        if let Some((comparison, which)) = self.comparison() {
            comparison.connection(which, summary);
        }
    }

    fn divide(&self) -> Option<Division> {
        let (counts, is_compared) = (self.report.counts().part(), self.comparison.is_some());
        let begin = move || -> Box<dyn SinkPart> {
            Box::new(ReportedPart { counts: counts.clone(), is_compared })
        };
        let threads = self.args.threads.count();
        Some(Division { threads, begin: Box::new(begin), joining: Joining::Counts })
    }

    fn in_order(&mut self, message: &Message<'_>, is_selected: bool) {
        self.report.in_order(message, is_selected);
        self.compare(message, is_selected);
    }

    fn merge(&mut self, parts: Vec<PartResult>, numbers: &ConnectionNumbers, must: bool) -> bool {
        let add = |counts: &mut ReportCounts, part| counts.merge(part, numbers);
        let counts = merged(self.report.counts(), parts, add);
        let is_taken = must || counts.is_complete();
        if is_taken {
            self.report.set_counts(counts);
        }
        is_taken
    }

    fn end(&mut self, name: &str) -> io::Result<()> {
        let report = mem::take(&mut self.report);
        let read = self.names.len();
        let files = if self.args.inputs.join {
            self.files
        } else {
            self.files.get(read..read.saturating_add(1)).unwrap_or(&[])
        };
        self.names.push(name.to_owned());
        self.page.add(name, &arguments(files), &report)
    }
}

/// The options of this run without `-o`, and `files`, which are some of its inputs, quoted for a
/// shell. Empty if there are no files: pipes and live traffic cannot be read again.
fn arguments(files: &[PathBuf]) -> String {
    let is_kept =
        |path: &PathBuf| !is_stdin(path) && fs::metadata(path).is_ok_and(|it| it.is_file());
    if files.is_empty() || !files.iter().all(is_kept) {
        return String::new();
    }
    // The first argument is the program, the second the command.
    let mut arguments = options(env::args_os().skip(1));
    arguments.extend(files.iter().map(|file| quoted(file.as_os_str())));
    arguments.join(" ")
}

/// The options that `gdwire decode` has, too, in their order and their long form.
fn options(given: impl Iterator<Item = OsString>) -> Vec<String> {
    let command = ReportArgs::augment_args(Command::new("gdwire"));
    // The arguments were parsed before, so this does not fail.
    let Ok(matches) = command.clone().try_get_matches_from(given) else { return Vec::new() };
    let mut options = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        // The number of threads does not change what is shown.
        let is_given =
            matches.value_source(id) == Some(ValueSource::CommandLine) && id != "threads";
        let Some(name) = arg.get_long().filter(|_| is_given) else { continue };
        let places = matches.indices_of(id).into_iter().flatten();
        if !arg.get_action().takes_values() {
            options.extend(places.take(1).map(|place| (place, format!("--{name}"))));
            continue;
        }
        let values = matches.get_raw(id).into_iter().flatten();
        options.extend(places.zip(values).map(|(place, value)| {
            // A value with a hyphen at its start would be read as an option.
            let is_hyphen = value.as_encoded_bytes().starts_with(b"-");
            let separator = if is_hyphen { '=' } else { ' ' };
            (place, format!("--{name}{separator}{}", quoted(value)))
        }));
    }
    options.sort_by_key(|(place, _)| *place);
    options.into_iter().map(|(_, option)| option).collect()
}

/// An argument, quoted for a shell if necessary.
fn quoted(argument: &OsStr) -> String {
    let argument = argument.to_string_lossy();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:=@%+,".contains(it);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.into_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{options, quoted};
    use std::ffi::OsString;

    #[test]
    fn a_shell_reads_one_argument() {
        for (argument, shown) in [
            ("captures/game-1.pcapng", "captures/game-1.pcapng"),
            ("my game.pcapng", "'my game.pcapng'"),
            ("$(reboot); it's", r"'$(reboot); it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(argument.as_ref()), shown);
        }
    }

    #[test]
    fn options_are_those_of_the_run_without_its_output() {
        for given in
            ["-vo r.html --port 7777 x", "-v --port=7777 -or.html x", "x -vor.html --port 7777"]
        {
            let given = ["report"].into_iter().chain(given.split(' ')).map(OsString::from);
            assert_eq!(options(given).join(" "), "--verbose --port 7777");
        }
        // An input may have the name of a value.
        let given = ["report", "--method", "a b", "--src=7777", "7777", "--grep=-x y"];
        let given = given.into_iter().map(OsString::from);
        assert_eq!(options(given).join(" "), "--method 'a b' --src 7777 --grep='-x y'");
    }
}
