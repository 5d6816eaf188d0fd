//! `--interface`: starts dumpcap or tcpdump, which have the permission to capture, and reads their
//! output.

use super::interfaces::{CaptureProgram, INSTALL, PROGRAMS, permission, system_name};
use super::live::Live;
use crate::args::{Filters, InputArgs};
use crate::diagnostics::{self, Diagnostics};
use crate::interrupt;
use crate::opened::reason;
use crate::terminal::number;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::process::{Child, ChildStderr, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the program may take to end before it is killed.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A running capture. Dropping it ends the program.
pub struct Capturing {
    child: Child,
    program: &'static CaptureProgram,
    /// The thread that relays the messages of the program.
    relay: Option<JoinHandle<Vec<String>>>,
}

/// The longest name of an interface, in bytes. dumpcap also takes the path of a pipe.
const LONGEST: usize = 4_096;

/// Starts to capture. Returns the stream of the capture, or why there is none.
pub fn capture(
    interface: &str,
    args: &InputArgs,
    filters: &Filters,
    diagnostics: &Diagnostics,
) -> Result<(Live, Capturing), String> {
    if interface.len() > LONGEST {
        return Err(format!("the name of the interface has more than {LONGEST} bytes"));
    }
    let filter = args.capture_filter.clone().or_else(|| filter(filters));
    let system_name = system_name(interface);
    let mut refused = None;
    for program in &PROGRAMS {
        let started = program.start(|mut command| {
            command.args(program.arguments).arg(&system_name);
            if let Some(text) = &filter {
                command.args([program.filter, text]);
            }
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
        });
        let mut child = match started {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                refused = Some((program, error));
                continue;
            }
        };
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(format!("{} gives no output", program.name));
        };
        let relay = relay(interface, program, errors, diagnostics.is_quiet());
        let id = child.id();
        let live = Live::of(output).with_stop(move || terminate(id));
        return Ok((live, Capturing { child, program, relay: Some(relay) }));
    }
    Err(match refused {
        Some((program, error)) => {
            let (name, reason) = (program.name, reason(&error));
            format!("{name} cannot be started: {reason}; {}", permission(program))
        }
        None => INSTALL.to_owned(),
    })
}

/// The capture filter for `--port` and `--host`. It lets all IP fragments through but the first
/// ones, because they have no ports.
fn filter(filters: &Filters) -> Option<String> {
    let any = |terms: Vec<String>| (!terms.is_empty()).then(|| format!("({})", terms.join(" or ")));
    let mut ports: Vec<_> = filters.port.iter().map(|port| format!("port {port}")).collect();
    if !ports.is_empty() {
        ports.extend(["ip[6:2] & 0x1fff != 0".to_owned(), "ip6[6] = 44".to_owned()]);
    }
    let hosts = filters.host.iter().map(ToString::to_string).collect();
    let terms: Vec<_> = [any(ports), any(hosts)].into_iter().flatten().collect();
    (!terms.is_empty()).then(|| terms.join(" and "))
}

/// Copies the messages of the program to standard error, and returns them at its end.
fn relay(
    interface: &str,
    program: &'static CaptureProgram,
    errors: ChildStderr,
    is_quiet: bool,
) -> JoinHandle<Vec<String>> {
    let interface = interface.to_owned();
    thread::spawn(move || {
        let mut messages = Vec::new();
        for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim().to_owned();
            if line.is_empty() || line == "File: -" {
                continue;
            }
            let is_named = line.starts_with(program.name);
            let line = if is_named { line } else { format!("{}: {line}", program.name) };
            if !is_quiet {
                diagnostics::say(&format!("{interface}: {line}"));
                diagnostics::flush();
            }
            messages.push(line);
        }
        messages
    })
}

/// Asks the program to end.
#[cfg(unix)]
fn terminate(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        kill_process(id, Signal::TERM).ok();
    }
}

/// Without signals, the program ends when its output is closed.
#[cfg(not(unix))]
fn terminate(_: u32) {}

impl Capturing {
    /// Waits for the end of the program, which has closed its output or was asked to end, and
    /// reports if it failed or lost packets. `has_output` is whether it has begun to capture.
    pub fn finish(mut self, name: &str, has_output: bool, diagnostics: &mut Diagnostics) {
        let status = self.wait();
        let messages = self.relay.take().and_then(|relay| relay.join().ok()).unwrap_or_default();
        let program = self.program;
        let is_failed = !status.is_ok_and(|status| status.success());
        if is_failed && !has_output {
            if diagnostics.is_quiet() {
                messages.iter().for_each(|line| diagnostics::say(&format!("{name}: {line}")));
            }
            let messages = messages.join(" ").to_lowercase();
            let advice = if messages.contains("permi") || messages.contains("npcap") {
                permission(program).replace("NAME", name)
            } else if messages.contains("filter") || messages.contains("syntax error") {
                "the manual page pcap-filter describes filters".to_owned()
            } else {
                "'gdwire decode --list-interfaces' lists the interfaces".to_owned()
            };
            let problem = format!("{} cannot capture; {advice}", program.name);
            return diagnostics.unreadable(name, &problem);
        }
        if is_failed && !interrupt::is_requested() {
            let problem = format!("{} failed; what was sent after that is missing", program.name);
            diagnostics.failure(name, &problem);
        }
        let dropped: u64 = messages.iter().filter_map(|line| dropped(line)).sum();
        if dropped > 0 {
            let packets = number(dropped, "packet");
            let problem = format!(
                "{packets} arrived too fast to be captured; a capture filter reduces their number"
            );
            diagnostics.failure(name, &problem);
        }
    }

    /// Waits for the end of the program, and kills it after [`TIMEOUT`].
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for Capturing {
    fn drop(&mut self) {
        // If reading ended early, the program is still running.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The number of lost packets in a line such as "3 packets dropped by kernel" or "Packets
/// received/dropped on interface 'lo': 12/3 (pcap:3/...".
fn dropped(line: &str) -> Option<u64> {
    if let Some((_, counts)) = line.split_once("received/dropped on interface") {
        let (_, counts) = counts.rsplit_once("': ")?;
        let dropped = counts.split(' ').next()?.split('/').nth(1)?;
        return dropped.parse().ok();
    }
    let (before, _) = line.split_once(" packets dropped by kernel")?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::dropped;

    #[test]
    fn lost_packets_are_read_from_messages_of_the_programs() {
        for (line, count) in [
            ("tcpdump: 3 packets dropped by kernel", Some(3)),
            ("tcpdump: 12 packets received by filter", None),
            (
                "dumpcap: Packets received/dropped on interface 'Loopback: lo': 12/3 \
                 (pcap:3/dumpcap:0/flushed:0/ps_ifdrop:0) (80.0%)",
                Some(3),
            ),
            ("dumpcap: Capturing on 'Loopback: lo'", None),
        ] {
            assert_eq!(dropped(line), count, "{line}");
        }
    }
}
