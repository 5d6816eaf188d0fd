//! `gdwire extcap`: makes gdwire one of Wireshark's interfaces.
//!
//! Wireshark starts the programs in its folders for external captures, and asks each for its
//! interfaces, for the link types and options of an interface, and for packets. `install` puts a script
//! there, which passes these calls on to this command.

mod install;

use crate::annotate::AnnotationForm;
use crate::annotate::messages::{self, MessagesRequest};
use crate::args::{Input, InputArgs, NamesArgs, ReadingArgs, SelectionArgs, VerbosityArgs};
use crate::diagnostics::{Diagnostics, RunError};
use crate::input::{NetworkInterface, interfaces};
use crate::output;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ExtcapArgs {
    /// Put gdwire among the interfaces of Wireshark and tshark, for this user
    #[arg(long, conflicts_with_all = ["uninstall", "capture"])]
    install: bool,
    /// Remove it from there
    #[arg(long, conflicts_with = "capture")]
    uninstall: bool,
    /// The folder for that [default: the personal extcap folder that 'tshark -G folders' names]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    calls: ExtcapCalls,
    /// Show only 'messages' in Wireshark, or 'both' messages and packets
    #[arg(
        long = "as",
        value_enum,
        default_value = "messages",
        value_name = "FORM",
        hide_possible_values = true
    )]
    form: AnnotationForm,
    #[command(flatten)]
    names: NamesArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    pub verbosity: VerbosityArgs,
}

/// The options that Wireshark passes.
#[derive(Args)]
struct ExtcapCalls {
    /// Print the interfaces
    #[arg(long, hide = true)]
    extcap_interfaces: bool,
    /// The version of Wireshark
    #[arg(long, hide = true, value_name = "VERSION")]
    extcap_version: Option<String>,
    /// The interface of the other calls
    #[arg(long, hide = true, value_name = "NAME")]
    extcap_interface: Option<String>,
    /// Print the link types of the interface
    #[arg(long, hide = true)]
    extcap_dlts: bool,
    /// Print the options of the interface
    #[arg(long, hide = true)]
    extcap_config: bool,
    /// Write packets of the interface to --fifo
    #[arg(long, hide = true, requires = "fifo")]
    capture: bool,
    /// The capture filter of the user
    #[arg(long, hide = true, value_name = "FILTER")]
    extcap_capture_filter: Option<String>,
    /// The pipe for the packets
    #[arg(long, hide = true, value_name = "PIPE")]
    fifo: Option<PathBuf>,
}

/// The prefix of the names of interfaces in Wireshark.
const PREFIX: &str = "gdwire-";

/// The link type of messages as packets, and its name in the registry.
const LINK_TYPE: (u16, &str) = (252, "WIRESHARK_UPPER_PDU");

/// An option in Wireshark's dialog.
struct DialogOption {
    option: &'static str,
    title: &'static str,
    /// How the option is entered, as Wireshark's documentation of the calls lists it.
    kind: &'static str,
    tip: &'static str,
}

/// The choices of `--as` in the dialog. The first one is the default.
const FORMS: [(&str, &str); 2] = [("messages", "Messages"), ("both", "Packets and messages")];

/// The dialog. All options may be left empty.
const DIALOG: [DialogOption; 8] = [
    DialogOption {
        option: "port",
        title: "Port of the game",
        kind: "{type=unsigned}{range=1,65535}",
        tip: "Read only packets from or to this port",
    },
    DialogOption {
        option: "project",
        title: "Folder of the Godot project",
        kind: "{type=string}",
        tip: "Shows methods and properties of Godot 4 by name",
    },
    DialogOption {
        option: "as",
        title: "Show",
        kind: "{type=selector}",
        tip: "Messages alone, or each after the packet that carried it",
    },
    DialogOption {
        option: "method",
        title: "Methods",
        kind: "{type=string}",
        tip: "Show only calls of these methods, such as take_*",
    },
    DialogOption {
        option: "path",
        title: "Nodes",
        kind: "{type=string}",
        tip: "Show only packets about nodes with this path, such as Game/Players/*",
    },
    DialogOption {
        option: "command",
        title: "Command",
        kind: "{type=string}",
        tip: "Show only messages with this command, such as call or value",
    },
    DialogOption {
        option: "where",
        title: "Condition",
        kind: "{type=string}",
        tip: "Show only messages for which this holds, such as .value.hp < 50",
    },
    DialogOption {
        option: "grep",
        title: "Text",
        kind: "{type=string}",
        tip: "Show only messages whose text matches this regular expression",
    },
];

pub fn run(args: &ExtcapArgs, diagnostics: &mut Diagnostics) -> Result<(), RunError> {
    let calls = &args.calls;
    let mut out = output::json();
    if args.install {
        let message = install::install(args.folder.as_deref(), diagnostics)?;
        return Ok(writeln!(out, "{message}")?);
    }
    if args.uninstall {
        let message = install::uninstall(args.folder.as_deref())?;
        return Ok(writeln!(out, "{message}")?);
    }
    if calls.extcap_interfaces {
        return Ok(print_interfaces(&interfaces().unwrap_or_default(), &mut out)?);
    }
    let Some(interface) = &calls.extcap_interface else {
        let problem = "Wireshark calls this command; 'gdwire extcap --install' puts gdwire among its \
                       interfaces";
        return Err(problem.into());
    };
    if calls.extcap_dlts {
        let (number, name) = LINK_TYPE;
        let title = "Messages of Godot games";
        return Ok(writeln!(out, "dlt {{number={number}}}{{name={name}}}{{display={title}}}")?);
    }
    if calls.extcap_config {
        return Ok(print_dialog(&mut out)?);
    }
    match &calls.fifo {
        Some(fifo) if calls.capture => capture(args, interface, fifo, diagnostics),
        _ => Err("expected one of --extcap-dlts, --extcap-config and --capture".into()),
    }
}

fn print_interfaces(interfaces: &[NetworkInterface], out: &mut dyn Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "extcap {{version={version}}}{{display=gdwire}}")?;
    for interface in interfaces {
        let (value, label) = (interface.value(), interface.label());
        writeln!(out, "interface {{value={PREFIX}{value}}}{{display=Godot: {label}}}")?;
    }
    Ok(())
}

fn print_dialog(out: &mut dyn Write) -> io::Result<()> {
    for (number, DialogOption { option, title, kind, tip }) in DIALOG.iter().enumerate() {
        write!(out, "arg {{number={number}}}{{call=--{option}}}{{display={title}}}")?;
        writeln!(out, "{{tooltip={tip}}}{kind}")?;
        if *option == "as" {
            for (at, (value, display)) in FORMS.iter().enumerate() {
                write!(out, "value {{arg={number}}}{{value={value}}}{{display={display}}}")?;
                writeln!(out, "{{default={}}}", at == 0)?;
            }
        }
    }
    Ok(())
}

/// Writes live traffic to Wireshark's pipe, until Wireshark closes it or asks the program to end.
fn capture(
    args: &ExtcapArgs,
    interface: &str,
    fifo: &Path,
    diagnostics: &mut Diagnostics,
) -> Result<(), RunError> {
    if args.form == AnnotationForm::Comments {
        return Err("live traffic has no comments; use '--as messages' or '--as both'".into());
    }
    let name = interface.strip_prefix(PREFIX).unwrap_or(interface);
    let filter = args.calls.extcap_capture_filter.clone().filter(|filter| !filter.is_empty());
    let inputs = InputArgs {
        files: Vec::new(),
        input: Input::Capture,
        interface: Some(name.to_owned()),
        list_interfaces: false,
        capture_filter: filter,
        follow: false,
        join: false,
        recursive: false,
        reading: args.reading.clone(),
    };
    // Wireshark shows everything on standard error as an error.
    diagnostics.silence();
    let request = MessagesRequest {
        files: &[],
        inputs: &inputs,
        selection: &args.selection,
        names: &args.names,
        output: fifo,
        has_packets: args.form == AnnotationForm::Both,
        all: false,
    };
    messages::write(request, diagnostics)
}
