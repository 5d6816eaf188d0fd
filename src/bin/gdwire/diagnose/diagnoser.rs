//! Passes what the inputs contain to the diagnosis of each file.

use super::args::{DiagnoseArgs, DiagnoseFormat};
use super::findings::Findings;
use crate::diagnostics::Diagnostics;
use crate::input;
use crate::output;
use crate::sink::{Needs, Position, Refusal, Sink, Trouble};
use crate::stop::Stop;
use crate::terminal::{Styles, number};
use gdwire::VariantRef;
use gdwire::capture::{Message, Other, Summary};
use gdwire::diagnose::{Diagnosis, Severity};
use gdwire::multiplayer::Names;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

pub(crate) fn run(args: &DiagnoseArgs, diagnostics: &mut Diagnostics) -> Result<(), Stop> {
    let names = args.names.read(diagnostics)?;
    args.screen.choose_colors();
    let (out, styles) = match args.format {
        DiagnoseFormat::Text => output::text(),
        DiagnoseFormat::Json => (output::json(), Styles::default()),
    };
    let (findings, diagnosis) = (Findings { out, styles, args }, Diagnosis::new());
    let mut sink = Diagnoser { findings, names, diagnosis, files: 0, values: 0, worst: None };
    let files = input::files(&args.inputs, diagnostics);
    input::read(&args.selection.request(&files, &args.inputs), None, &mut sink, diagnostics)?;
    if sink.worst >= Some(Severity::Error) {
        diagnostics.note_failure();
    }
    if sink.values > 0 {
        let values = number(sink.values, "value");
        diagnostics.note(&format!("{values} in files that are not captures were not examined"));
    }
    Ok(sink.findings.out.flush()?)
}

struct Diagnoser<'a> {
    findings: Findings<'a>,
    names: Option<Arc<Names>>,
    /// The findings in the current file.
    diagnosis: Diagnosis,
    files: u64,
    /// The values in files that are not captures.
    values: u64,
    worst: Option<Severity>,
}

impl Sink for Diagnoser<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Refusal> {
        self.diagnosis.message(message);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.diagnosis.note(message);
    }

    fn value(&mut self, _: Position, _: VariantRef<'_>) -> Result<(), Refusal> {
        self.values = self.values.saturating_add(1);
        Ok(())
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.diagnosis.other(other);
        Ok(())
    }

    fn trouble(&mut self, trouble: Trouble<'_>) {
        if let Trouble::Lost(loss) = trouble {
            self.diagnosis.lost(loss);
        }
    }

    fn connection(&mut self, summary: &Summary) {
        self.diagnosis.connection(summary);
    }

    fn needs(&self) -> Needs {
        Needs { names: self.names.clone(), measures: true, ..Needs::default() }
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        let diagnosis = mem::take(&mut self.diagnosis);
        self.worst = self.worst.max(diagnosis.worst());
        let Findings { out, args, .. } = &mut self.findings;
        match args.format {
            DiagnoseFormat::Text => {
                if self.files > 0 {
                    writeln!(out)?;
                }
                self.findings.write(file, &diagnosis)?;
            }
            DiagnoseFormat::Json => {
                diagnosis.write_json(file, &mut *out)?;
                writeln!(out)?;
            }
        }
        self.files = self.files.saturating_add(1);
        Ok(())
    }
}
