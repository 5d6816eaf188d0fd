//! `--interface`: starts dumpcap or tcpdump, which have the permission to capture, and reads their
//! output.

use super::live::Live;
use crate::args::{Filters, InputArgs};
use crate::diagnostics::{self, Diagnostics};
use crate::interrupt;
use crate::opened::reason;
use crate::terminal::number;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A program that captures packets.
struct CaptureProgram {
    name: &'static str,
    /// The arguments before the name of the interface.
    arguments: &'static [&'static str],
    /// The argument before the filter, which could look like an option.
    filter: &'static str,
}

/// The programs; the first that can be started is used. They write each packet to standard output
/// as soon as it is captured. The option `-B` lets the system keep 32 MiB of packets that they have
/// not read yet, instead of 2: dumpcap takes MiB, tcpdump KiB.
const PROGRAMS: [CaptureProgram; 2] = [
    CaptureProgram {
        name: "dumpcap",
        arguments: &["-q", "-s", "0", "-B", "32", "-w", "-", "-i"],
        filter: "-f",
    },
    CaptureProgram {
        name: "tcpdump",
        arguments: &["-s", "0", "-B", "32768", "-U", "--immediate-mode", "-w", "-", "-i"],
        filter: "--",
    },
];

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
    let mut refused = None;
    for program in &PROGRAMS {
        let mut command = Command::new(program.name);
        command.args(program.arguments).arg(interface);
        if let Some(text) = &filter {
            command.args([program.filter, text]);
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

/// A network interface that packets can be captured from.
#[derive(PartialEq, Eq, Debug)]
pub struct NetworkInterface {
    /// What `--interface` takes.
    pub name: String,
    /// What people call it.
    pub title: String,
}

/// Interfaces that dumpcap and tcpdump list and that carry no traffic of games, by the beginning of their
/// names.
const OTHERS: [&str; 5] = ["bluetooth", "dbus-", "nflog", "nfqueue", "usbmon"];

/// The interfaces that dumpcap or tcpdump lists. There are none if neither can be started.
pub fn interfaces() -> Vec<NetworkInterface> {
    let listed = PROGRAMS.iter().find_map(|program| {
        let mut command = Command::new(program.name);
        let output = command.arg("-D").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let interfaces: Vec<_> = text.lines().filter_map(NetworkInterface::listed).collect();
        (!interfaces.is_empty()).then_some(interfaces)
    });
    let mut interfaces = listed.unwrap_or_default();
    interfaces.retain(|it| !OTHERS.iter().any(|other| it.name.starts_with(other)));
    interfaces
}

impl NetworkInterface {
    /// The interface on a line such as `2. lo (Loopback)`, `2.lo [Up, Running]` or
    /// `1. \Device\NPF_{4D36…} (Ethernet)`.
    fn listed(line: &str) -> Option<NetworkInterface> {
        let (number, rest) = line.split_once('.')?;
        number.trim().parse::<u32>().ok()?;
        let (name, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
        if name.contains(['{', '}']) {
            // The programs also take the number, which does not look like syntax.
            let title = rest.trim().trim_start_matches('(').trim_end_matches(')');
            return Some(NetworkInterface { name: number.trim().into(), title: title.into() });
        }
        Some(NetworkInterface { name: name.to_owned(), title: name.to_owned() })
    }
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

/// Advice how to get the permission to capture.
fn permission(program: &CaptureProgram) -> String {
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
            let advice = if messages.contains("permi") {
                permission(program).replace("NAME", name)
            } else if messages.contains("filter") || messages.contains("syntax error") {
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
    use super::{NetworkInterface, dropped};

    #[test]
    fn interfaces_are_read_from_lists_of_the_programs() {
        for (line, expected) in [
            ("2. lo (Loopback)", Some(("lo", "lo"))),
            ("1.eth0 [Up, Running, Connected]", Some(("eth0", "eth0"))),
            ("12. any", Some(("any", "any"))),
            (r"3. \Device\NPF_{4D36} (Ethernet 2)", Some(("3", "Ethernet 2"))),
            ("dumpcap: no interfaces", None),
            ("", None),
        ] {
            let expected = expected.map(|(name, title)| NetworkInterface {
                name: name.to_owned(),
                title: title.to_owned(),
            });
            assert_eq!(NetworkInterface::listed(line), expected, "{line}");
        }
    }

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
