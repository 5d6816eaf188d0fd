//! `gdwire diagnose`: finds what is wrong with the traffic of a game.
//!
//! Passes messages, losses and connections to `gdwire::diagnose`. Writes its findings as sentences,
//! after a table of the connections, or as JSON. `versions` compares what the ends announced with the
//! `history` of the project.

mod history;
mod versions;

use crate::args::{InputArgs, NamesArgs, ScreenArgs, SelectionArgs, Threads, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::names::folder_of;
use crate::sink::{
    Division, EventSink, InputSink, Joining, Needs, PartResult, SinkPart, SinkRefusal, Trouble,
    ValuePlace, merged,
};
use crate::terminal::{Columns, Styles, number, plain, wrapped};
use crate::{input, output};
use clap::{Args, ValueEnum};
use gdwire::VariantRef;
use gdwire::diagnose::{Diagnosis, Finding, Severity};
use gdwire::follow::{ConnectionNumbers, Message, Other, Summary, Transport};
use gdwire::net::Side;
use gdwire::stats::Connection;
use gdwire::versions::Announced;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::mem;
use std::net::SocketAddr;
use versions::Versions;

#[derive(Args)]
pub struct DiagnoseArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: DiagnoseFormat,
    /// Show this many nodes or methods of each kind of finding, and this many connections
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub top: usize,
    /// Find the commits of the project whose scripts match what each end announced (needs --project in a
    /// git repository)
    ///
    /// gdwire runs git, which only reads. At most the latest 500 commits that change scripts or scenes are
    /// compared, of all branches.
    #[arg(long, requires = "project")]
    pub find_version: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub screen: ScreenArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DiagnoseFormat {
    /// Sentences for people
    #[default]
    Text,
    /// One JSON object per file
    Json,
}

pub fn run(args: &DiagnoseArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let needs = Needs { names: args.names.read(diagnostics)?, measures: true, ..Needs::default() };
    args.screen.choose_colors();
    let (out, styles) = match args.format {
        DiagnoseFormat::Text => output::text(),
        DiagnoseFormat::Json => (output::json(), Styles::default()),
    };
    let (findings, diagnosis) = (FindingsWriter { out, styles, args }, Diagnosis::new());
    let mut sink = Diagnoser {
        findings,
        diagnosis,
        announced: Announced::new(),
        no_versions: None,
        files: 0,
        values: 0,
        worst: None,
    };
    let files = input::find_files(&args.inputs, diagnostics);
    input::read(args.selection.request(&files, &args.inputs, needs), None, &mut sink, diagnostics)?;
    if let Some(problem) = sink.no_versions.take() {
        sink.findings.out.flush()?;
        return Err(RunError::Usage(problem));
    }
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
    findings: FindingsWriter<'a>,
    /// The findings in the current file.
    diagnosis: Diagnosis,
    /// The methods that the ends of the current file announced.
    announced: Announced,
    /// Why the versions of the project cannot be read.
    no_versions: Option<String>,
    files: u64,
    /// The values in files that are not captures.
    values: u64,
    worst: Option<Severity>,
}

/// The findings of one share of the connections.
struct DiagnosedPart(Diagnosis);

impl EventSink for DiagnosedPart {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.0.message(message);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.0.note(message);
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.0.other(other);
        Ok(())
    }
}

impl SinkPart for DiagnosedPart {
    fn held_bytes(&self) -> usize {
        0
    }

    fn connection(&mut self, summary: &Summary) {
        self.0.close(summary);
    }

    fn finish(self: Box<Self>) -> PartResult {
        Box::new(self.0)
    }
}

impl EventSink for Diagnoser<'_> {
    fn message(&mut self, message: &Message<'_>) -> Result<(), SinkRefusal> {
        self.diagnosis.message(message);
        self.announced.message(message);
        Ok(())
    }

    fn unselected(&mut self, message: &Message<'_>) {
        self.diagnosis.note(message);
        self.announced.message(message);
    }

    fn other(&mut self, other: &Other<'_>) -> io::Result<()> {
        self.diagnosis.other(other);
        Ok(())
    }
}

impl InputSink for Diagnoser<'_> {
    fn value(&mut self, _: ValuePlace, _: VariantRef<'_>) -> Result<(), SinkRefusal> {
        self.values += 1;
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

    fn divide(&self) -> Option<Division> {
        let empty = self.diagnosis.part();
        let begin = move || -> Box<dyn SinkPart> { Box::new(DiagnosedPart(empty.clone())) };
        let threads = self.findings.args.threads.count();
        Some(Division { threads, begin: Box::new(begin), joining: Joining::Counts })
    }

    fn merge(&mut self, parts: Vec<PartResult>, numbers: &ConnectionNumbers, must: bool) -> bool {
        let add = |diagnosis: &mut Diagnosis, part| diagnosis.merge(part, numbers);
        let diagnosis = merged(&self.diagnosis, parts, add);
        let is_taken = must || diagnosis.is_complete();
        if is_taken {
            self.diagnosis = diagnosis;
        }
        is_taken
    }

    fn end(&mut self, file: &str) -> io::Result<()> {
        let announced = mem::take(&mut self.announced);
        let versions = self.versions(&announced);
        let diagnosis = mem::take(&mut self.diagnosis);
        self.worst = self.worst.max(diagnosis.worst());
        let FindingsWriter { out, args, .. } = &mut self.findings;
        match args.format {
            DiagnoseFormat::Text => {
                if self.files > 0 {
                    writeln!(out)?;
                }
                self.findings.write(file, &diagnosis)?;
                if let Some(versions) = versions {
                    let width = self.findings.args.screen.columns();
                    versions.write_text(width, &mut self.findings.out)?;
                }
            }
            DiagnoseFormat::Json => {
                let mut object = Vec::new();
                diagnosis.write_json(file, &mut object)?;
                if let Some(versions) = versions {
                    // The fields stand before the brace that closes the object.
                    object.pop();
                    versions.write_json(&mut object)?;
                    object.push(b'}');
                }
                out.write_all(&object)?;
                writeln!(out)?;
            }
        }
        self.files += 1;
        Ok(())
    }
}

impl Diagnoser<'_> {
    /// The versions of the project that fit the announcements of the ends, if the user wants them.
    fn versions(&mut self, announced: &Announced) -> Option<Versions> {
        let args = self.findings.args;
        let project = args.names.project.as_deref().filter(|_| args.find_version)?;
        match Versions::find(folder_of(project), announced) {
            Ok(versions) => Some(versions),
            Err(problem) => {
                self.no_versions = Some(problem);
                None
            }
        }
    }
}

/// Writes the findings in files.
struct FindingsWriter<'a> {
    out: Box<dyn Write>,
    styles: Styles,
    args: &'a DiagnoseArgs,
}

impl FindingsWriter<'_> {
    /// Writes the findings in a file.
    fn write(&mut self, file: &str, diagnosis: &Diagnosis) -> io::Result<()> {
        let findings = diagnosis.findings();
        self.line(&format!("{}: {}", plain(file), summary(diagnosis, &findings)), 2)?;
        self.connections(diagnosis)?;
        self.engines(diagnosis)?;
        for of_kind in findings.chunk_by(|one, other| one.kind == other.kind) {
            self.findings(of_kind)?;
        }
        Ok(())
    }

    fn connections(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let mut connections: Vec<&Connection> = diagnosis.connections().iter().collect();
        // Connections of other programs are left out.
        connections.retain(|connection| connection.transport().is_some());
        connections.sort_by_key(|connection| Reverse(connection.summary().traffic().packets));
        let header = ["source", "destination", "transport", "packets", "messages", "reliable"];
        let measured = ["resent", "missing", "overtaken", "RTT min", "median", "95%", "max"];
        let width = self.args.screen.columns();
        let mut table = Columns::new(&[&header[..], &measured].concat(), 3..13, width)
            .with_optional(&[2, 9, 12, 3, 11, 8, 5]);
        for connection in connections.iter().take(self.args.top) {
            directions(connection).for_each(|row| table.row(row));
        }
        table.write(&mut self.out)?;
        let listed = connections.len().min(self.args.top) as u64;
        let all = (connections.len() as u64).saturating_add(diagnosis.further_connections());
        match all.saturating_sub(listed) {
            0 => Ok(()),
            more => writeln!(self.out, "  and {}", number(more, "more connection")),
        }
    }

    /// Writes the versions of the engine that fit, a line for each range.
    fn engines(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let mut ends: BTreeMap<String, BTreeSet<SocketAddr>> = BTreeMap::new();
        for connection in diagnosis.connections() {
            let summary = connection.summary();
            for (side, src, _) in summary.flow().directions() {
                let engine = diagnosis.engine(summary.connection(), side);
                if let Some(engine) = engine.filter(|engine| !engine.is_any()) {
                    ends.entry(engine.to_string()).or_default().insert(src);
                }
            }
        }
        for (engine, ends) in ends {
            let shown: Vec<_> = ends.iter().take(self.args.top).map(ToString::to_string).collect();
            let more = match ends.len().saturating_sub(shown.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.line(&format!("  {engine}: {}{more}", shown.join(", ")), 4)?;
        }
        Ok(())
    }

    /// Writes findings of one kind.
    fn findings(&mut self, findings: &[Finding<'_>]) -> io::Result<()> {
        writeln!(self.out)?;
        for Finding { kind, severity, text, first_frame, last_frame, .. } in
            findings.iter().take(self.args.top)
        {
            let style = self.styles.of(*severity);
            let frames = if first_frame == last_frame {
                format!("frame {first_frame}")
            } else {
                format!("frames {first_frame} to {last_frame}")
            };
            let rest = format!(": {text} ({frames}) [{kind}]");
            let severity = severity.to_string();
            let line = wrapped(&format!("{severity}{rest}"), self.args.screen.columns(), 2);
            let rest = line.get(severity.len()..).unwrap_or(&rest);
            writeln!(self.out, "{style}{severity}{style:#}{rest}")?;
        }
        if let Some(more) = findings.get(self.args.top..).filter(|more| !more.is_empty()) {
            writeln!(self.out, "  and {} of this kind", number(more.len() as u64, "more finding"))?;
        }
        let cause = findings.first().map_or("", |finding| finding.kind.usual_cause());
        self.line(&format!("  {cause}"), 2)
    }

    /// Writes a line. A long one is wrapped, with this indentation.
    fn line(&mut self, line: &str, indent: usize) -> io::Result<()> {
        writeln!(self.out, "{}", wrapped(line, self.args.screen.columns(), indent))
    }
}

/// A summary on one line.
fn summary(diagnosis: &Diagnosis, findings: &[Finding<'_>]) -> String {
    let known = || diagnosis.connections().iter().filter(|it| it.transport().is_some());
    let directions = || {
        let sides = [Side::First, Side::Second];
        known().flat_map(move |it| sides.map(|side| it.summary().direction(side)))
    };
    let messages = directions().map(|it| it.messages).fold(0, u64::saturating_add);
    let missing = directions().map(|it| it.missing.total()).fold(0, u64::saturating_add);
    let mut text = number(known().count() as u64, "connection");
    text += &format!(", {}", number(messages, "message"));
    // Over plain UDP, missing messages cannot be noticed.
    if known().any(|it| it.transport() != Some(Transport::Udp)) {
        text += &format!(", {missing} missing");
    }
    for (severity, noun) in
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")]
    {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            text += &format!(", {}", number(count as u64, noun));
        }
    }
    text + if findings.is_empty() { ", no findings" } else { "" }
}

/// The rows of a connection: one for each end that sent packets.
fn directions(connection: &Connection) -> impl Iterator<Item = Vec<String>> {
    let transport = connection.transport();
    let summary = connection.summary();
    summary.flow().directions().into_iter().filter_map(move |(side, src, dst)| {
        let direction = summary.direction(side);
        let measured = connection.measured(side).unwrap_or_default();
        let missing = direction.missing.total();
        let mut row = vec![src.to_string(), dst.to_string()];
        row.push(transport.map_or("-", |transport| transport.name()).to_owned());
        row.extend([direction.packets, direction.messages].map(|count| count.to_string()));
        let counts = [measured.reliable, measured.resent, missing, measured.out_of_order];
        let is_udp = transport == Some(Transport::Udp);
        row.extend(counts.map(|count| if is_udp { "-".to_owned() } else { count.to_string() }));
        row.extend(match measured.round_trips {
            Some(times) => times.values().map(|time| format!("{:.1} ms", time as f64 / 1e3)),
            None => [(); 4].map(|()| "-".to_owned()),
        });
        (direction.packets > 0).then_some(row)
    })
}
