//! A program for Windows that tests start.
//!
//! Without arguments of its own it stands for Wireshark's dumpcap: it lists interfaces in dumpcap's
//! form, and writes the recording in `GDWIRE_CAPTURE` as what it captures. `hold FILE` opens a file so
//! that no other program can read it, until standard input ends.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt;

const INTERFACES: &str = r"1. \Device\NPF_{0C4D7B1E-6B2F-4A57-9B3C-5A1D2E3F4A5B} (Ethernet 2)
2. \Device\NPF_{1D5E8C2F-7C30-4B68-8C4D-6B2E3F4A5B6C} (vEthernet (WSL))
3. \Device\NPF_Loopback (Adapter for loopback traffic capture)
4. \\.\USBPcap1 (USBPcap1)
";

fn main() -> io::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["-D"] => io::stdout().write_all(INTERFACES.as_bytes()),
        ["hold", file] => {
            let held = OpenOptions::new().read(true).share_mode(0).open(file)?;
            println!("held");
            io::stdin().read_to_end(&mut Vec::new())?;
            drop(held);
            Ok(())
        }
        _ => {
            eprintln!("Capturing on '{}'", arguments.last().map_or("", String::as_str));
            io::stdout().write_all(&fs::read(env::var("GDWIRE_CAPTURE").unwrap_or_default())?)
        }
    }
}
