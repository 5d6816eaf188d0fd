//! The examples and notes in the help of `gdwire diagnose`.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire diagnose game.pcapng
  gdwire diagnose --port 7777 --top 3 game.pcapng
  gdwire diagnose --interface eth0 --port 7777        findings when you press Ctrl-C
  gdwire diagnose --format json game.pcapng | jq '.findings[] | select(.severity == \"error\")'",
    "\
Findings:
  The table shows for each end of a connection what it has sent: packets, messages, commands or segments that had to be \
acknowledged ('reliable'), how many of these were sent again, how many messages are missing, and how many arrived after \
later ones ('overtaken'). 'RTT' is the time from the capture point to the other end and back. Over plain UDP, nothing shows \
what is missing.

  Each finding is one sentence, with its first and last frame and the name of its kind. Below is what usually causes it in \
Godot. An error means that the game cannot work as it was meant to, a warning that something was lost, late or wasted; \
notes ('info') are normal for many games. The page 'diagnose' of the documentation lists all kinds.

Exit status:
  1 if there is a finding of severity error, or if some input could not be decoded."
}
