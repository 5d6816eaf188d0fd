//! The examples and notes in the help of `gdwire annotate`.

use crate::args::help::{help, selection};

help! {
    "\
Examples:
  gdwire annotate game.pcapng -o annotated.pcapng
  gdwire annotate --path 'Game/Players/**' game.pcapng -o annotated.pcapng
  gdwire annotate --where '.value.hp < 50' game.pcapng -o - | wireshark -k -i -
  tshark -r annotated.pcapng -Y 'frame.comment contains \"move\"'",
    "\
Comments:
  Each message becomes a comment on its packet, with the text that 'decode' shows. All start with 'gdwire: '. Losses are \
comments, too; their text starts with 'lost: '. The comment on a message of several packets is at the last of them, with the \
numbers of the first and the last: 'gdwire: frames 7-9: '. The text of a message has at most 128 bytes and 16 for each \
byte of the message, and never more than 4,096; a longer text is cut, and ends with '…'. A packet has about 64 KiB of comments; further messages are only counted.

  In Wireshark, the display filter 'frame.comment contains \"move\"' finds the packets of messages with this text. To see \
the messages in the list of packets, open a packet's comment in the details and choose 'Apply as Column'.

Output:
  The output is pcapng. From a pcapng file, everything else is copied as it is: interfaces, options, your own comments, and \
blocks that are not packets. Only the length of a section, which few programs state, is left out. From a pcap file, \
all packets are copied with their times.

  Annotating a file again replaces the comments that start with 'gdwire: '. A selection that matches no message, such as '--where false', only removes them.

  gdwire reads the capture twice, so it cannot be standard input.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select the losses and, with --all, the unrecognized packets that are commented on."
}
