//! Collects what each capture contains, and writes the page.

use super::again;
use super::args::ReportArgs;
use crate::args::Input;
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output::{self, Replaced};
use crate::plain::is_stdin;
use crate::sink::{Needs, Refusal, Sink, Trouble};
use crate::stop::Stop;
use gdwire::capture::{Message, Other, Summary};
use gdwire::multiplayer::Names;
use gdwire::report::{Page, Report};
use std::io::{self, IsTerminal, Write, stdout};
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(args: &ReportArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    if args.inputs.input != Input::Capture {
        let problem = "a report needs captures; 'gdwire stats' counts the values in other files";
        return Err(Stop::Usage(problem.to_owned()));
    }
    let names = args.names.read(diagnostics)?;
    let files = input::files(&args.inputs, diagnostics);
    let file = args.file.as_deref().filter(|path| !is_stdin(path));
    if file.is_none() && stdout().is_terminal() {
        let problem = "a report is a page for a browser; name its file with -o report.html";
        return Err(Stop::Usage(problem.to_owned()));
    }
    let (mut out, replacement) = output::open_or_stdout(file, Replaced::Other, "")?;
    let page = Page::begin(Vec::new())?;
    let mut reporter =
        Reporter { args, files: &files, names, page, report: Report::new(), read: 0 };
    input::read(&args.selection.request(&files, &args.inputs), None, &mut reporter, diagnostics)?;
    if reporter.read > 0 && !diagnostics.has_unread() {
        out.write_all(&reporter.page.finish()?)?;
    }
    out.flush()?;
    Ok(output::commit(replacement, diagnostics)?)
}

struct Reporter<'a> {
    args: &'a ReportArgs,
    files: &'a [PathBuf],
    names: Option<Arc<Names>>,
    /// The page so far, with the reports of earlier captures.
    page: Page<Vec<u8>>,
    /// The report of the current capture.
    report: Report,
    /// How many captures were read.
    read: usize,
}

impl Sink for Reporter<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.report.message(message);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.report.note(message);
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.report.other(other);
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        match trouble {
            Trouble::Lost(loss) => self.report.lost(loss),
            Trouble::Damaged => self.report.damaged(),
            _ => {}
        }
    }

    fn connection(&mut self, summary: &Summary) {
        self.report.connection(summary);
    }

    fn needs(&self) -> Needs {
        Needs { names: self.names.clone(), measures: true, ..Needs::default() }
    }

    fn end(&mut self, name: &str) -> io::Result<()> {
        let report = mem::take(&mut self.report);
        let files = if self.args.inputs.join {
            self.files
        } else {
            self.files.get(self.read..self.read.saturating_add(1)).unwrap_or(&[])
        };
        self.read = self.read.saturating_add(1);
        self.page.add(name, &again::arguments(files), &report)
    }
}
