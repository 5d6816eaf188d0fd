//! The examples and notes in the help of gdwire itself.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire decode game.pcapng         every value and remote call in a capture, as text
  gdwire decode save.dat            every value in a file written with store_var
  gdwire stats game.pcapng          flows, kinds of values and remote calls, counted
  gdwire diagnose game.pcapng       what is wrong: loss, slow round trips, impossible calls
  gdwire decode --interface lo      the messages of a running game, as they are sent
  gdwire convert --to godot4 save.dat -o save4.dat
  echo 0200000007000000 | gdwire decode -
  echo '[1, 2]' | gdwire encode --output hex -",
    "\
Run 'gdwire <COMMAND> --help' for the options, examples and notes of a command.

Exit status:
  0  no errors; unrecognized packets, missing unreliable messages, messages that were not
     delivered before the end of a connection, and extra bytes after hex or base64 values are
     errors only with --strict
  1  'diagnose' found an error; or some input could not be decoded, encoded or converted, or other
     data is missing in a capture or lost to a limit such as --max-memory
  2  wrong usage, or a file that cannot be read or written
  130  interrupted before the end of a file

Results go to standard output; errors and warnings go to standard error. For hex and base64 input, \
'decode' also prints an error among the results for each unreadable line."
}
