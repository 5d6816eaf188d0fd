//! `gdwire bot`: clients that join a game, call its methods, and report what happens.
//!
//! `gdwire::peer::Bots` does the work. `report` prints what they have counted, `record` writes what
//! their sockets send and receive to a file, and `recorded` reads what clients sent in such a file.

mod record;
mod recorded;
mod report;

use crate::args::values::{count, dialect, named, of_width, time};
use crate::args::{NamesArgs, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::interrupt;
use crate::opened::{self, name, reason};
use crate::terminal::number;
use clap::{Args, ValueEnum, ValueHint};
use gdwire::Dialect;
use gdwire::multiplayer::session::SessionOptions;
use gdwire::multiplayer::{MultiplayerProtocol, Names, PeerId};
use gdwire::peer::{
    BotOptions, Bots, EnetCompression, EnetOptions, ScriptedCall, ServerAddress, WebSocketOptions,
};
use record::Recording;
use recorded::{RecordedEnd, recorded_end};
use report::BotReport;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often the bots report what happens, and how often they look whether the user has ended the run.
const REPORTED: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(100);

/// How often WebSocket connections are pinged, to measure round trips.
const PINGS: Duration = Duration::from_millis(500);

#[derive(Args)]
#[command(mut_arg("quiet", |arg| arg.help("Print errors, but no warnings")))]
#[command(mut_arg("verbose", |arg| arg.help("Print all warnings and errors, not only the first 20 of each")))]
pub struct BotArgs {
    /// The server: enet://127.0.0.1:7777, ws://127.0.0.1:8080/path or wss://localhost:8443
    #[arg(value_name = "URL")]
    server: String,
    /// How many clients join
    #[arg(short = 'n', long = "count", value_name = "N", default_value = "1", value_parser = count::<usize>(), conflicts_with = "replay")]
    count: usize,
    /// How many of them join in a second, or a minute: 20/s, 6/min
    #[arg(long, value_name = "RATE", default_value = "50/s", value_parser = rate, conflicts_with = "replay")]
    ramp: Duration,
    /// Leave after this time since the start; without it, after Ctrl-C
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    duration: Option<Duration>,
    /// A call that each bot makes, once or at a rate: 'Main/World.move(Vector2(1, 2)) 20/s' (repeatable)
    ///
    /// The arguments are literals. In them and in the path, $i is the number of the bot, from 1; $id the
    /// id of its peer; $time the seconds since it joined; $random(0, 10) a real number; and $randi(1, 6)
    /// an int.
    #[arg(long, value_name = "CALL", conflicts_with = "replay")]
    call: Vec<ScriptedCall>,
    /// A file with calls, one a line, each after its time since the bot joined: '2s Main/World.say("hi")'
    ///
    /// A call with a rate goes on until the bot leaves, or until a second time:
    /// '2s-5s Main/World.move(Vector2(1, 0)) 20/s'. Lines that begin with # are skipped.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "replay")]
    calls: Option<PathBuf>,
    /// Send what a client sent in this recording, at its times
    ///
    /// Paths and spawned nodes get the ids of the new session, and where the name of a node is or contains the
    /// id of a recorded client, that of its bot. The bots leave when everything is sent.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    replay: Option<PathBuf>,
    /// The clients whose packets --replay sends: client for all of them, each by a bot; 'client 1';
    /// or a client's address
    #[arg(long, value_name = "END", default_value = "client", value_parser = recorded_end, requires = "replay")]
    end: RecordedEnd,
    /// How much faster --replay sends them than they were recorded
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = speed, requires = "replay")]
    speed: f64,
    /// Seed of $random and $randi: the same seed gives the same random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The engine that the bots speak like [default: that of --project, or else godot4]
    #[arg(long, value_parser = dialect())]
    dialect: Option<Dialect>,
    /// The engine was built with double precision
    #[arg(long)]
    double: bool,
    #[command(flatten)]
    names: NamesArgs,
    /// How the server compresses ENet's datagrams [default: none, or range for Godot 3 and Pandemonium, as in the engines]
    #[arg(long, value_name = "NAME", value_parser = compression())]
    compress: Option<EnetCompression>,
    /// The text that each bot sends when the server authenticates it (auth_callback of Godot 4)
    #[arg(long, value_name = "TEXT")]
    auth: Option<String>,
    /// Trust a wss:// server with the certificates in this file, in the format PEM
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    certificates: Option<PathBuf>,
    /// How long a bot waits until it is admitted
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    join_timeout: Duration,
    /// The server is on another computer, and it is your own
    #[arg(long)]
    remote: bool,
    /// Record what the bots send and receive in a new file, which is written at least once a second
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    write: Option<PathBuf>,
    /// The format of the reports
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: BotFormat,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum BotFormat {
    /// A line a second, and a table at the end
    #[default]
    Text,
    /// One JSON object a second, and one at the end
    Ndjson,
}

fn rate(text: &str) -> Result<Duration, String> {
    gdwire::peer::parse_rate(text)
        .ok_or_else(|| "expected a rate, such as 20/s or 6/min".to_owned())
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "expected a number such as 2 or 0.5".to_owned())
}

fn compression() -> impl clap::builder::TypedValueParser<Value = EnetCompression> {
    named(EnetCompression::ALL.iter().map(|it| (*it, it.name(), it.description())).collect())
}

pub fn run(args: &BotArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let server = ServerAddress::resolve(&args.server)
        .map_err(|error| format!("{}: {}", args.server, reason(&error)))?;
    if !args.remote && !server.is_local() {
        return Err(format!(
            "{server} is on another computer; --remote says that the server is your own and that you \
             may load it"
        )
        .into());
    }
    if args.compress.is_some() && !server.is_enet() {
        return Err("--compress needs an address that begins with enet://".into());
    }
    let names = args.names.read(diagnostics)?;
    let mut dialect = args.dialect.map(|dialect| of_width(dialect, args.double));
    let mut replays = Vec::new();
    if let Some(path) = &args.replay {
        replays = recorded::read(path, args.end, names.clone(), dialect, diagnostics)?;
        dialect = dialect.or_else(|| Some(replays.first()?.dialect()));
    }
    let dialect = dialect.unwrap_or_else(|| {
        let project = args.names.project.as_deref();
        of_width(project.and_then(dialect_of).unwrap_or(Dialect::GODOT_4), args.double)
    });
    let calls = calls(args, dialect, names.as_deref(), diagnostics)?;
    let compression = args.compress.unwrap_or(usual_compression(dialect));
    let is_enet = server.is_enet();
    let mut options = options(args, server, dialect, names)?.with_calls(calls);
    options = options.with_enet(EnetOptions::default().with_compression(compression));
    if args.replay.is_some() {
        options = options.with_replays(replays, args.speed);
    }
    raise_file_limit(args.count);
    let mut bots = Bots::new(options);
    let recording = args.write.as_deref().map(|path| Recording::start(path, &mut bots));
    let recording = recording.transpose()?;
    let compression = is_enet.then_some(compression);
    let result = play(args, compression, &mut bots, recording.as_ref(), diagnostics);
    if let Some(problem) = recording.and_then(Recording::end) {
        diagnostics.fatal(&problem);
    }
    result
}

/// How servers of the engine compress ENet's datagrams if nobody says otherwise.
fn usual_compression(dialect: Dialect) -> EnetCompression {
    if is_of_godot4(dialect) { EnetCompression::None } else { EnetCompression::RangeCoder }
}

fn is_of_godot4(dialect: Dialect) -> bool {
    MultiplayerProtocol::of(dialect) == MultiplayerProtocol::Godot4
}

/// Why the server has admitted no bot, as far as bots can know it.
fn not_admitted(
    args: &BotArgs,
    compression: Option<EnetCompression>,
    has_answered: bool,
) -> String {
    let compresses = compression.map(|it| format!("does it compress as they do (--compress {it})"));
    let problem = match (has_answered, compresses) {
        (false, None) => "the server does not answer; is it running there?".to_owned(),
        (false, Some(it)) => {
            format!("the server does not answer the bots; is it running there, and {it}?")
        }
        (true, None) => {
            "the server answers, but has not admitted the bots; does it wait for --auth?".to_owned()
        }
        (true, Some(it)) => format!(
            "the server answers, but has not admitted the bots; {it}, or does it wait for --auth?"
        ),
    };
    format!("{}: {problem}", args.server)
}

/// Lets the bots play until the end, and writes their recording every second. ENet's datagrams have the compression.
fn play(
    args: &BotArgs,
    compression: Option<EnetCompression>,
    bots: &mut Bots,
    recording: Option<&Recording>,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    let mut report = BotReport::new(args.format);
    let deadline = args.duration.unwrap_or(Duration::MAX);
    let (mut next, mut is_leaving) = (REPORTED, false);
    loop {
        bots.advance().map_err(|error| no_socket(&error))?;
        let now = bots.time();
        if bots.are_gone() {
            break;
        }
        if !is_leaving
            && (bots.have_replayed()
                || interrupt::is_requested()
                || now >= deadline
                || bots.is_server_absent())
        {
            is_leaving = true;
            bots.leave();
        }
        if now >= next {
            if !is_leaving {
                report.line(&bots.counts())?;
            }
            // Nothing later than this is lost if the program is killed.
            recording.inspect(|recording| recording.flush());
            next = now.saturating_add(REPORTED);
        }
        let end = if is_leaving { Duration::MAX } else { deadline };
        bots.wait(next.min(end).min(now.saturating_add(LOOK)));
    }
    let counts = bots.counts();
    report.end(&counts)?;
    let has_answered = counts.bytes_received > 0;
    if counts.is_server_silent() {
        diagnostics.fatal(&not_admitted(args, compression, has_answered));
    } else if counts.has_failures() {
        if counts.joined == 0 && counts.refused == 0 && counts.not_joined > 0 {
            diagnostics.note(&not_admitted(args, compression, has_answered));
        }
        diagnostics.note_failure();
    }
    let has_reason = |part: &str| counts.reasons.iter().any(|(reason, _)| reason.contains(part));
    if has_reason("the server has other methods") {
        diagnostics.note(
            &"the bots need the methods that the server has: name its project, in the same version, with \
              --project; if scripts make methods remote with rpc_config(), list all methods of that \
              node with --methods, such as 'Main/Chat: say, +wave'",
        );
    }
    if args.replay.is_some() && has_reason("has no remote method") {
        diagnostics.note(
            &"--replay needs the methods that the game had when it was recorded: name its project \
              with --project, or use a list that fits with --methods",
        );
    }
    Ok(())
}

fn no_socket(error: &io::Error) -> String {
    let advice = if opened::are_used_up(error) {
        "; each bot needs one: allow more with 'ulimit -n', or start fewer bots"
    } else {
        ""
    };
    format!("no socket for a bot: {}{advice}", reason(error))
}

/// The options of the bots.
fn options(
    args: &BotArgs,
    server: ServerAddress,
    dialect: Dialect,
    names: Option<Arc<Names>>,
) -> Result<BotOptions, RunError> {
    let mut session = SessionOptions::client(dialect, PeerId::new(2));
    if let Some(names) = names {
        session = session.with_names(names);
    }
    let mut websocket = WebSocketOptions::default().with_pings(PINGS);
    if let Some(path) = &args.certificates {
        let certificates = opened::read(path).and_then(|pem| websocket.with_certificates(&pem));
        websocket = certificates.map_err(|error| format!("{}: {}", name(path), reason(&error)))?;
    }
    let mut options = BotOptions::new(server, session)
        .with_websocket(websocket)
        .with_count(args.count, args.ramp)
        .with_seed(args.seed)
        .with_join_timeout(args.join_timeout);
    if let Some(text) = &args.auth {
        if !is_of_godot4(dialect) {
            return Err("--auth needs Godot 4; other engines have no authentication".into());
        }
        options = options.with_authentication(text.as_bytes());
    }
    Ok(options)
}

/// The calls of the options, whose methods exist.
fn calls(
    args: &BotArgs,
    dialect: Dialect,
    names: Option<&Names>,
    diagnostics: &Diagnostics,
) -> Result<Vec<ScriptedCall>, RunError> {
    let mut calls = args.call.clone();
    if let Some(path) = &args.calls {
        let text =
            opened::read(path).map_err(|error| format!("{}: {}", name(path), reason(&error)))?;
        let text = String::from_utf8(text).map_err(|_| {
            format!("{}: the text is not UTF-8; save the file in UTF-8", name(path))
        })?;
        let listed = ScriptedCall::parse_list(&text);
        let listed = listed.map_err(|error| format!("{}: {error}", name(path)))?;
        let is_late = |call: &&ScriptedCall| args.duration.is_some_and(|end| call.start() > end);
        let late = listed.iter().filter(is_late);
        if let Some(first) = late.clone().min_by_key(|call| call.start()) {
            let calls = number(late.count() as u64, "call");
            let (path_of, method, at) = (first.path(), first.method(), first.start());
            diagnostics.warning(
                &name(path),
                &format!(
                    "the bots leave (--for) before they make {calls}, such as {path_of}.{method} at {at:?}"
                ),
            );
        }
        calls.extend(listed);
    }
    if MultiplayerProtocol::of(dialect) == MultiplayerProtocol::Godot4 {
        for call in &calls {
            call.check(names).map_err(|problem| match names {
                Some(_) => problem.to_string(),
                None => format!("{problem}: see --project and --methods"),
            })?;
            if let Some(doubt) = names.and_then(|names| call.doubt(names)) {
                diagnostics.note(&format!("the game will most likely ignore a call: {doubt}"));
            }
        }
    }
    Ok(calls)
}

/// The dialect of the engine that a project is for, if its file says it.
fn dialect_of(project: &Path) -> Option<Dialect> {
    let file = if project.is_dir() { project.join("project.godot") } else { project.to_owned() };
    let text = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&text);
    let version = text.lines().find_map(|line| line.trim().strip_prefix("config_version="))?;
    match version.trim() {
        "4" => Some(Dialect::GODOT_3),
        "5" => Some(Dialect::GODOT_4),
        _ => None,
    }
}

/// Each bot has a socket. Systems allow many more than they give to a program that does not ask.
#[cfg(unix)]
fn raise_file_limit(count: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    const OTHER_FILES: u64 = 64;
    let needed = u64::try_from(count).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(limit.maximum.map_or(needed, |maximum| maximum.min(needed)));
        // If it fails, the bot that gets no socket reports that.
        setrlimit(Resource::Nofile, limit).ok();
    }
}

#[cfg(not(unix))]
fn raise_file_limit(_: usize) {}
