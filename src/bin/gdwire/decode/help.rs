//! The examples and notes in the help of `gdwire decode`.

use crate::args::help::{help, selection};

help! {
    "\
Examples:
  gdwire decode game.pcapng
  gdwire decode save.dat
  gdwire decode --password-file secret.txt save.dat   a save that the game encrypted
  gdwire decode --project ~/game game.pcapng
  gdwire decode --port 7777 --kind Dictionary --kind Array game.pcapng
  gdwire decode --path 'Game/Players/*' --method 'take_*' game.pcapng
  gdwire decode --where '.value.hp < 50' --from 5s --limit 10 game.pcapng
  gdwire decode --frames 72 --explain game.pcapng
  gdwire decode --format ndjson game.pcapng | jq -c 'select(.rpc.method == \"move\").rpc.args'
  gdwire decode --format ndjson --hex --recursive captures/
  gdwire decode game.pcapng.gz
  gdwire decode --interface lo --port 7777
  gdwire decode --follow game.pcap
  gdwire decode --join ring_00001.pcapng ring_00002.pcapng
  gdwire decode --input raw --dialect pandemonium5 --double value.bin
  echo 0200000007000000 | gdwire decode -",
    "\
Captures:
  gdwire reads pcap and pcapng files, as Wireshark and tcpdump write them, also compressed with gzip, Zstandard or LZ4. A flow is the traffic between two addresses and ports: one connection, or several in turn. gdwire looks at the first packets of a connection, not at its ports, to \
detect what it carries: plain values (over UDP or TCP), ENet or WebSocket. --verbose shows the reason; --transport \
overrides the result.

  To record a game whose server and clients run on one machine, capture the loopback interface:
    tcpdump -i lo -w game.pcap

  A capture is shown in columns: frame number, time, source, destination, and the value or remote \
call. On a terminal, the time is in seconds since the first packet, ends have short names, and long values are shortened to fit the line: \
…+3 stands for three elements that are left out. In pipes and files, lines are whole. Frames are numbered as in Wireshark. The frame number and the time are those of the packet that completed \
the message. If a message arrives late, the messages that waited for it are shown after it, so \
their frame numbers and times may be lower than its own.

  Packets that gdwire does not recognize, such as those of other programs, are counted in one line on \
standard error. Another line counts missing unreliable messages of ENet: the network lost them, or ENet discarded them. \
It also counts reliable messages that were not delivered before the connection or the capture ended. --verbose reports each such message.

  Gaps are bytes that are missing over TCP or WebSocket, and reliable messages or fragments that are missing \
over ENet. Each gap is reported with the frames before and after it. If packets were captured only in part, \
what is lost because of that is one line; --verbose reports each loss.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select the payloads that --all adds, the losses that are reported, and what is counted as not decoded. A loss has the frame and the time of the packet with the next message of its channel, or the next bytes of its stream.

Remote calls:
  A remote call is shown as path.method(arguments). A node whose path is not in the capture is \
shown by its id, such as #3.

Names:
  Godot 4 sends numbers instead of the names of methods, scenes and properties. With --project, \
gdwire reads the names from the scripts and scenes of the game's project. Without it, methods are shown as #7, or \
as own#7 if rpc_config() made them remote.

  When a game announces a node, it also sends a digest of the node's methods. gdwire shows no names that \
contradict the digest, nor names of properties and scenes that values of other types contradict. If the project is not \
the version that was captured, gdwire reports the nodes and scenes that differ, once each.

  If you do not have the project, list the @rpc methods of your nodes in a file, in any order, and pass it with --methods. Each line \
has a pattern of node paths, as gdwire shows them, and all methods of these nodes. In a pattern, * matches any characters within one node name; ** \
matches any number of names, or none. A plus sign stands before methods that rpc_config() made remote:
    Game/Players/*: move, respawn, +wave

Engines:
  A dialect is the format as one engine writes it. With '--dialect auto' gdwire tries all dialects on the first values, and takes the one that reads the most \
of them. In captures, it tries at most --max-undecided-messages values for each connection; in other inputs, 64. If several \
dialects read these values equally well, gdwire looks at up to \
4,096 values, except in captures, on standard input and with --follow. If they still tie, as they do on plain numbers and strings, it assumes Godot 4. \
--verbose shows the result.

Live traffic:
  To see the messages of a running game, let gdwire capture on a network interface. It starts tcpdump or \
dumpcap (a part of Wireshark); only that program needs the permission to capture. For example:
    gdwire decode --interface eth0 --port 7777

  With --port and --host, only their packets are captured; --capture-filter sets another filter, in the \
language of tcpdump. You can also start the capturing program yourself:
    tcpdump -i any -s 0 -U -w - | gdwire decode -

  Messages are shown as their packets arrive. The first messages of a connection may wait up to half a \
second until gdwire knows what it carries; if you name the transport and the dialect, they need not wait for that.

  Press Ctrl-C to end. gdwire then shows what it still holds back, and the number of unrecognized packets. A second Ctrl-C \
ends it at once. After Ctrl-C before the end of a file, the exit status is 130.

Growing files and standard input:
  Captures, hex, base64 and framed values on standard input are read as they arrive. With --follow, a \
file is read in the same way while another program writes it. gdwire looks for new bytes ten times a \
second, and continues with the new content if the file is replaced or shortened.

  With '--dialect auto', output for hex, base64 and framed input starts after the first 64 values, or \
when no value has arrived for a second. Name the dialect to see each value immediately. Raw values on \
standard input are shown only after it has ended, and may have at most 1 GiB (in compressed files 64 MiB); other input has no such limit.

Saves:
  Files that a game wrote with store_var are read as they are. gdwire also unpacks files that it wrote with open_compressed (they begin with 'GCPF'), open_encrypted_with_pass or open_encrypted ('GDEC'), also one inside the other, from files and standard input. Their content may be any input; offsets are those of the content. --recursive does not look for saves, and --follow does not read such saves.

  The password or key is the one that the game passes to the engine. It comes from --password-file, --password or --key; without these, gdwire asks on a terminal, on Unix. A wrong one is an error, as the MD5 in the file shows it. gdwire does not guess passwords. --password and --key can be seen in the list of processes and in the history of your shell; --password-file cannot.

  The content is held in memory, at most --max-unpacked. A file with more is an error.

Captures in several files:
  dumpcap and tcpdump can write a capture as several files. With --join, gdwire reads them as one \
capture, in the order given: connections and frame numbers continue from file to file, as \
after 'mergecap -a'. Without --join, each file is a capture of its own.

Memory:
  gdwire keeps messages that wait for earlier ones, packets of connections that it has not recognized \
yet, and names of nodes. --max-connections, --max-memory and --max-connection-memory limit that. When a limit \
is reached, gdwire drops some of these, reports this once for each limit, and continues; the exit status is then 1. \
The --max-undecided options only limit how long gdwire waits to decide what a connection carries. \
Reaching one of these limits loses nothing and is not reported.

Large files:
  Files of up to 64 MiB are read into memory. Without --follow, larger captures and larger files of raw values are \
mapped into memory instead. Do not overwrite or shorten such a file while gdwire runs: the results may be wrong, or \
the operating system may kill gdwire. If the file was changed, gdwire reports that at the end.

Hex and base64:
  Each line of input gives one line on standard output: a value, or 'error: ' and the reason. With \
--kind, lines with other values are left out. Bytes after \
the end of a value are ignored, as in the engines, and gdwire prints a warning. With --strict they \
are an error."
}
