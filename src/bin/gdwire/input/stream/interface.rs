//! `--interface`: starts dumpcap or tcpdump, which may capture, and reads what they capture.

use super::live::Live;
use crate::args::{Filters, InputArgs};
use crate::diagnostics::Diagnostics;
use crate::interrupt;
use crate::plain::reason;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A program that captures.
struct Program {
    name: &'static str,
    /// The arguments before the name of the interface.
    arguments: &'static [&'static str],
    /// The argument before the filter.
    filter: Option<&'static str>,
}

/// The programs, the first that is installed is started. They write whole packets to standard
/// output, each at once.
const PROGRAMS: [Program; 2] = [
    Program { name: "dumpcap", arguments: &["-q", "-s", "0", "-w", "-", "-i"], filter: Some("-f") },
    Program {
        name: "tcpdump",
        arguments: &["-s", "0", "-U", "--immediate-mode", "-w", "-", "-i"],
        filter: None,
    },
];

/// How long the program may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// A running capture. Dropping it ends the program.
pub(crate) struct Capturing {
    child: Child,
    program: &'static Program,
    /// The thread that relays what the program says.
    relay: Option<JoinHandle<Vec<String>>>,
}

/// Starts to capture. Returns what is captured, or why that is not possible.
pub(crate) fn capture(
    interface: &str,
    args: &InputArgs,
    filters: &Filters,
    diagnostics: &Diagnostics,
) -> Result<(Live, Capturing), String> {
    let filter = args.capture_filter.clone().or_else(|| filter(filters));
    let mut refused = None;
    for program in &PROGRAMS {
        let mut command = Command::new(program.name);
        command.args(program.arguments).arg(interface);
        if let Some(text) = &filter {
            command.args(program.filter).arg(text);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
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
        None => "neither dumpcap nor tcpdump is installed; install one of them, for example with \
                 'apt install tcpdump'"
            .to_owned(),
    })
}

/// The capture filter for the ports and hosts. Later fragments of IP packets have no ports.
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

/// How to get the permission to capture.
fn permission(program: &Program) -> String {
    let name = program.name;
    if name == "dumpcap" {
        "to get permission, add yourself to the group wireshark with 'sudo usermod -aG wireshark \
         $USER' and log in again, or run 'sudo tcpdump -i NAME -U -w - | gdwire decode -'"
            .to_owned()
    } else {
        format!(
            "to get permission, run 'sudo setcap cap_net_raw,cap_net_admin=eip $(command -v \
             {name})' once, or run 'sudo {name} -i NAME -U -w - | gdwire decode -'"
        )
    }
}

/// Relays on standard error what the program says there, and returns it at the end.
fn relay(
    interface: &str,
    program: &'static Program,
    errors: ChildStderr,
    is_quiet: bool,
) -> JoinHandle<Vec<String>> {
    let interface = interface.to_owned();
    thread::spawn(move || {
        let mut said = Vec::new();
        for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim().to_owned();
            if line.is_empty() || line == "File: -" {
                continue;
            }
            let is_named = line.starts_with(program.name);
            let line = if is_named { line } else { format!("{}: {line}", program.name) };
            if !is_quiet {
                crate::diagnostics::say(&format!("{interface}: {line}"));
            }
            said.push(line);
        }
        said
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

/// The program ends when nobody reads its output.
#[cfg(not(unix))]
fn terminate(_: u32) {}

impl Capturing {
    /// Waits for the end of the program, which has closed its output or was asked to end, and
    /// reports if it failed or lost packets. `has_output` is whether it has begun to capture.
    pub(crate) fn finish(mut self, name: &str, has_output: bool, diagnostics: &mut Diagnostics) {
        let status = self.wait();
        let said = self.relay.take().and_then(|relay| relay.join().ok()).unwrap_or_default();
        let program = self.program;
        let is_failed = !status.is_ok_and(|status| status.success());
        if is_failed && !has_output {
            if diagnostics.is_quiet() {
                said.iter().for_each(|line| crate::diagnostics::say(&format!("{name}: {line}")));
            }
            let said = said.join(" ").to_lowercase();
            let advice = if said.contains("permi") {
                permission(program).replace("NAME", name)
            } else if said.contains("filter") || said.contains("syntax error") {
                "the manual page pcap-filter describes filters".to_owned()
            } else {
                format!("'{} -D' lists the interfaces", program.name)
            };
            let problem = format!("{} cannot capture; {advice}", program.name);
            return diagnostics.unreadable(name, &problem);
        }
        if is_failed && !interrupt::is_requested() {
            let problem = format!("{} failed; what was sent after that is missing", program.name);
            diagnostics.failure(name, &problem);
        }
        let dropped: u64 = said.iter().filter_map(|line| dropped(line)).sum();
        if dropped > 0 {
            let noun = if dropped == 1 { "packet" } else { "packets" };
            let problem = format!(
                "{dropped} {noun} arrived too fast to be captured; a capture filter reduces their number"
            );
            diagnostics.failure(name, &problem);
        }
    }
}

impl Capturing {
    /// Waits for the end of the program, but not for ever.
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
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

/// How many packets were lost, by a line such as "3 packets dropped by kernel" or "Packets
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
    fn lost_packets_are_read_from_what_the_programs_say() {
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
