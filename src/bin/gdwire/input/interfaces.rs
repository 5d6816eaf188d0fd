//! The programs that capture packets, where they are, and the network interfaces that they list.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that captures packets.
pub struct CaptureProgram {
    pub name: &'static str,
    /// The arguments before the name of the interface.
    pub arguments: &'static [&'static str],
    /// The argument before the filter, which could look like an option.
    pub filter: &'static str,
}

/// The programs; the first that can be started is used. They write each packet to standard output
/// as soon as it is captured. The option `-B` lets the system keep 32 MiB of packets that they have
/// not read yet, instead of 2: dumpcap takes MiB, tcpdump KiB.
pub const PROGRAMS: [CaptureProgram; 2] = [
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

/// How to install a program that captures packets, for the error when there is none.
pub const INSTALL: &str = if cfg!(windows) {
    "dumpcap is not installed; install Wireshark from https://www.wireshark.org, whose installer also \
     offers Npcap, which captures need"
} else if cfg!(target_os = "macos") {
    "neither dumpcap nor tcpdump can be started; install Wireshark from https://www.wireshark.org, or \
     add /usr/sbin, where tcpdump is, to PATH"
} else {
    "neither dumpcap nor tcpdump is installed; install one of them, for example with 'apt install \
     tcpdump'"
};

impl CaptureProgram {
    /// Starts the program that is on `PATH`, or else the one where Wireshark's installer puts it.
    pub fn start<T>(&self, start: impl Fn(Command) -> io::Result<T>) -> io::Result<T> {
        let mut result = start(Command::new(self.name));
        for folder in folders() {
            if !matches!(&result, Err(error) if error.kind() == ErrorKind::NotFound) {
                break;
            }
            result = start(Command::new(folder.join(self.name)));
        }
        result
    }
}

/// The folders of Wireshark, which its installers do not add to `PATH`.
fn folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        let roots = ["ProgramW6432", "ProgramFiles", "ProgramFiles(x86)"];
        let roots = roots.iter().filter_map(std::env::var_os);
        roots.map(|root| Path::new(&root).join("Wireshark")).collect()
    } else if cfg!(target_os = "macos") {
        vec![PathBuf::from("/Applications/Wireshark.app/Contents/MacOS")]
    } else {
        Vec::new()
    }
}

/// A network interface that packets can be captured from.
#[derive(PartialEq, Eq, Debug)]
pub struct NetworkInterface {
    /// Its number in the list of the program, which the program takes in place of the name.
    number: u32,
    /// The name that the system gives it.
    name: String,
    /// The name that people see, if it has another one.
    title: Option<String>,
}

/// Interfaces that dumpcap and tcpdump list and that carry no traffic of games, by the beginning of their
/// names.
const OTHERS: [&str; 6] = ["bluetooth", "dbus-", "nflog", "nfqueue", "usbmon", r"\\.\USBPcap"];

/// The interfaces that a program lists, or why there are none.
pub fn interfaces() -> Result<Vec<NetworkInterface>, String> {
    let mut problem = INSTALL.to_owned();
    for program in &PROGRAMS {
        let listed = program.start(|mut command| command.arg("-D").stdin(Stdio::null()).output());
        let output = match listed {
            Ok(output) => output,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                let reason = crate::opened::reason(&error);
                problem = format!("{} cannot be started: {reason}", program.name);
                continue;
            }
        };
        let lines = String::from_utf8_lossy(&output.stdout);
        let mut interfaces: Vec<_> = lines.lines().filter_map(NetworkInterface::listed).collect();
        interfaces.retain(|it| !OTHERS.iter().any(|other| it.name.starts_with(other)));
        if !interfaces.is_empty() {
            return Ok(interfaces);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let advice = permission(program);
        problem = format!("{} lists no interface: {said}; {advice}", program.name);
    }
    Err(problem)
}

impl NetworkInterface {
    /// The interface on a line such as `2. lo (Loopback)`, `2.lo [Up, Running, Loopback]` or
    /// `1. \Device\NPF_{4D36…} (Ethernet)`.
    fn listed(line: &str) -> Option<NetworkInterface> {
        let (number, rest) = line.split_once('.')?;
        let number = number.trim().parse().ok()?;
        let (name, rest) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let rest = rest.trim_start();
        let (rest, flags) = match rest.rsplit_once('[') {
            Some((rest, flags)) if flags.ends_with(']') => (rest.trim_end(), flags),
            _ => (rest, ""),
        };
        let title = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let title = title.or_else(|| flags.contains("Loopback").then_some("Loopback"));
        Some(NetworkInterface { number, name: name.to_owned(), title: title.map(str::to_owned) })
    }

    /// Its shorter name: that of the system, or what people call it if that name is a path, as on
    /// Windows. `--interface` takes both.
    pub fn label(&self) -> &str {
        let is_path = self.name.starts_with('\\');
        self.title.as_deref().filter(|_| is_path).unwrap_or(&self.name)
    }

    /// Its other name, if it has one.
    pub fn other_name(&self) -> Option<&str> {
        if self.label() == self.name { self.title.as_deref() } else { Some(&self.name) }
    }

    /// The name for `--interface`, without braces, because Wireshark gives them a meaning.
    pub fn value(&self) -> String {
        if self.name.contains(['{', '}']) { self.number.to_string() } else { self.name.clone() }
    }

    fn is_loopback(&self) -> bool {
        let title = self.title.as_deref().unwrap_or_default().to_ascii_lowercase();
        matches!(self.name.as_str(), "lo" | "lo0" | r"\Device\NPF_Loopback")
            || title.contains("loopback")
    }

    /// The name for the system of the interface that the user calls `given`; `lo` and `loopback` mean
    /// the loopback interface of every system.
    fn find<'n>(interfaces: &'n [NetworkInterface], given: &'n str) -> &'n str {
        let is_given = |name: &str| name.eq_ignore_ascii_case(given);
        let find = |test: &dyn Fn(&NetworkInterface) -> bool| interfaces.iter().find(|it| test(it));
        let found = find(&|it| it.name == given)
            .or_else(|| find(&|it| is_given(&it.name)))
            .or_else(|| find(&|it| it.title.as_deref().is_some_and(is_given)));
        let means_loopback = is_given("lo") || is_given("loopback");
        let found = found.or_else(|| find(&|it| means_loopback && it.is_loopback()));
        found.map_or(given, |it| &it.name)
    }
}

/// The name that the capturing programs take for what the user calls an interface.
pub fn system_name(given: &str) -> String {
    // Linux has a folder for each interface, so the list is not needed there.
    let is_there = || given == "any" || Path::new("/sys/class/net").join(given).exists();
    if cfg!(target_os = "linux") && is_there() {
        return given.to_owned();
    }
    NetworkInterface::find(&interfaces().unwrap_or_default(), given).to_owned()
}

/// Advice how to get the permission to capture.
pub fn permission(program: &CaptureProgram) -> String {
    let name = program.name;
    if cfg!(windows) {
        "captures need Npcap, which Wireshark's installer offers; if Npcap was installed for \
         administrators only, start gdwire as administrator"
            .to_owned()
    } else if cfg!(target_os = "macos") {
        format!(
            "to get permission, install ChmodBPF, which comes with Wireshark, or run 'sudo {name} -i \
             NAME -w - | gdwire decode -'"
        )
    } else if name == "dumpcap" {
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

#[cfg(test)]
mod tests {
    use super::NetworkInterface;

    /// Lines of dumpcap on Linux and on Windows, and of tcpdump.
    const LINES: [(&str, &str, Option<&str>, &str); 7] = [
        ("2. lo (Loopback)", "lo", Some("Loopback"), "lo"),
        ("1.eth0 [Up, Running, Connected]", "eth0", None, "eth0"),
        ("3.lo0 [Up, Running, Loopback]", "lo0", Some("Loopback"), "lo0"),
        ("12.any (Pseudo-device) [Up, Running]", "any", Some("Pseudo-device"), "any"),
        (r"3. \Device\NPF_{4D36} (Ethernet 2)", r"\Device\NPF_{4D36}", Some("Ethernet 2"), "3"),
        (
            r"4. \Device\NPF_{A0} (vEthernet (WSL))",
            r"\Device\NPF_{A0}",
            Some("vEthernet (WSL)"),
            "4",
        ),
        (
            r"9. \Device\NPF_Loopback (Adapter for loopback traffic capture)",
            r"\Device\NPF_Loopback",
            Some("Adapter for loopback traffic capture"),
            r"\Device\NPF_Loopback",
        ),
    ];

    #[test]
    fn interfaces_are_read_from_lists_of_the_programs() {
        for (line, name, title, value) in LINES {
            let interface = NetworkInterface::listed(line).expect(line);
            assert_eq!((interface.name.as_str(), interface.title.as_deref()), (name, title));
            assert_eq!(interface.value(), value);
        }
        for line in ["dumpcap: no interfaces", "", "x. lo"] {
            assert_eq!(NetworkInterface::listed(line), None, "{line}");
        }
    }

    #[test]
    fn interfaces_are_found_by_either_name() {
        let interfaces = |lines: &[usize]| -> Vec<_> {
            lines.iter().filter_map(|at| NetworkInterface::listed(LINES[*at].0)).collect()
        };
        let linux = interfaces(&[0, 1]);
        let windows = interfaces(&[4, 5, 6]);
        let macos = interfaces(&[2]);
        for (interfaces, given, name) in [
            (&linux, "eth0", "eth0"),
            (&linux, "loopback", "lo"),
            (&linux, "3", "3"),
            (&windows, "ethernet 2", r"\Device\NPF_{4D36}"),
            (&windows, r"\device\npf_{4d36}", r"\Device\NPF_{4D36}"),
            (&windows, "vEthernet (WSL)", r"\Device\NPF_{A0}"),
            (&windows, "Adapter for loopback traffic capture", r"\Device\NPF_Loopback"),
            (&windows, "lo", r"\Device\NPF_Loopback"),
            (&windows, "Loopback", r"\Device\NPF_Loopback"),
            (&windows, "eth7", "eth7"),
            (&macos, "lo", "lo0"),
        ] {
            assert_eq!(NetworkInterface::find(interfaces, given), name, "{given}");
        }
        let shown: Vec<_> = windows.iter().map(|it| (it.label(), it.other_name())).collect();
        assert_eq!(shown[0], ("Ethernet 2", Some(r"\Device\NPF_{4D36}")));
        assert_eq!((linux[0].label(), linux[0].other_name()), ("lo", Some("Loopback")));
        assert_eq!((linux[1].label(), linux[1].other_name()), ("eth0", None));
    }
}
