//! The text below the options in each command's help.
//!
//! `-h` ends with the examples; `--help` ends with the examples and the notes. Clap wraps both at
//! the width of the terminal, at most 100 columns, so each paragraph is one line here.

/// Defines two texts: the examples, and the examples followed by the notes.
macro_rules! help {
    ($short:ident, $long:ident, $examples:literal, $($notes:tt)*) => {
        pub(crate) const $short: &str = $examples;
        pub(crate) const $long: &str = concat!($examples, "\n\n", $($notes)*);
    };
}

/// The notes about the options that select messages, up to those that differ.
macro_rules! selection {
    () => {
        "\
Selection:
  A message has to match each option of the selection; if an option is given several times, one of its values has to match. \
Packets that do not match --port and --host are not read at all. All other options select whole messages, so connections are \
followed with the packets of both sides. If no message matches, gdwire says so on standard error; the exit status does not change.

  --where takes a condition in a part of the language of jq. Its input is the object that '--format ndjson' prints: \
a vector is an array and has .x, too; a dictionary is an object. Unlike in jq, a value is neither less nor greater than a value of another type. For example:
    --where '.rpc.method == \"move\" and .rpc.args[0].x > 100'
    --where 'any(.value.players[]?; .hp < 50)'
    --where '.value | type == \"string\" and test(\"^hi\"; \"i\")'
  A condition that fails for a message, because it looks for a field of a number, does not select it; the number of these messages is reported.

  --from and --to take an absolute time, in UTC if it has no zone, a time of the day of the first packet, or a time after the first packet: \
2026-11-21T07:55:51Z, 07:55:51, 1m30s. --to is the first time that is not selected.

"
    };
}

help! {
    GENERAL, GENERAL_LONG,
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
  0  no errors; unrecognized packets, missing unreliable messages, and extra bytes after hex or
     base64 values are errors only with --strict
  1  'diagnose' found an error; or some input could not be decoded, encoded or converted, or other
     data is missing in a capture or lost to a limit such as --max-memory
  2  wrong usage, or a file that cannot be read or written

Results go to standard output; errors and warnings go to standard error. For hex and base64 input, \
'decode' also prints an error among the results for each unreadable line."
}

help! {
    DECODE, DECODE_LONG,
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
standard error. The same line counts missing unreliable messages of ENet: the network lost them, or ENet discarded them. --verbose reports each such message.

  Gaps are bytes that are missing over TCP or WebSocket, and reliable messages or fragments that are missing \
over ENet. Each gap is reported with the frame that revealed it.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select the payloads that --all adds, the losses that are reported, and what is counted as not decoded. A loss counts for the packet at which gdwire noticed it, which may be the last one.

Remote calls:
  A remote call is shown as path.method(arguments). A node whose path is not in the capture is \
shown by its id, such as #3.

Names:
  Godot 4 sends numbers instead of the names of methods, scenes and properties. With --project, \
gdwire reads the names from the scripts and scenes of the game's project. Without it, methods are shown as #7, or \
as own#7 if rpc_config() made them remote.

  When a game announces a node, it also sends a digest of the node's methods. gdwire shows no names that \
contradict the digest. If the project is not the version that was captured, gdwire reports the nodes whose methods differ.

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
ends it at once.

Growing files and standard input:
  Captures, hex, base64 and framed values on standard input are read as they arrive. With --follow, a \
file is read in the same way while another program writes it. gdwire looks for new bytes ten times a \
second, and goes on with the new content if the file is replaced or shortened.

  With '--dialect auto', output for hex, base64 and framed input starts after the first 64 values, or \
when no value has come for a second. Name the dialect to see each value immediately. Raw values on \
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
is reached, gdwire drops some of these, reports this once for each limit, and goes on; the exit status is then 1. \
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

help! {
    ENCODE, ENCODE_LONG,
    "\
Examples:
  echo '{ \"hp\": 87, \"pos\": Vector2( 1, 2 ) }' | gdwire encode -o save.dat -
  gdwire encode --dialect godot4 --output hex values.txt
  gdwire encode --compress zstd -o save.dat values.txt      as open_compressed writes it
  gdwire encode --encrypt --password-file secret.txt -o save.dat values.txt
  gdwire decode --format native save.dat | gdwire encode --input native -o godot3.dat -",
    "\
Values:
  '--input text' reads values as the engines print them with var_to_str or var2str. White \
space separates the values; one value may take several lines. After a mistake, gdwire continues \
with the next line.

  '--input native' reads one JSON document per line, as Godot 4's JSON.from_native writes it and \
'gdwire decode --format native' prints it.

Saves:
  --compress and --encrypt write what the engine of --dialect reads with open_compressed and open_encrypted_with_pass (with --key: open_encrypted). \
The layout of encrypted saves is that of Godot 4 or, for all other dialects, that of Godot 3. With both options, the compressed save is encrypted: no \
engine opens that at once, so the game has to write the decrypted bytes to another file. Without a password or key, gdwire asks for one on a terminal, on Unix. \
The content is held in memory; it may have at most 4 GiB.

Output:
  The bytes go to standard output unless -o names a file. gdwire does not write bytes to a \
terminal; use '--output hex' to see them."
}

help! {
    CONVERT, CONVERT_LONG,
    "\
Examples:
  gdwire convert --to godot4 save.dat -o save4.dat    a Godot 3 save for Godot 4
  gdwire convert --to godot3 --lossy save4.dat -o save.dat
  gdwire convert --to godot4 --encrypt --password-file secret.txt save.dat -o save4.dat
  gdwire convert --output hex save.dat                each value as a line of hex
  gdwire convert -o values.dat game.pcapng            the values of a capture
  gdwire convert --interface lo --output hex          the values of a running game
  echo 02000000ff000000 | gdwire convert --output base64 -",
    "\
Conversion:
  The output has the bytes that the target engine would write for the same value. Padding is zero, \
and each int and float takes the fewest bytes that hold it. If a dictionary key occurs twice, the last value is kept.

  If the target engine cannot express some part of a value, gdwire reports the place of that part as an \
error and leaves the whole value out. With --lossy it writes the nearest value instead: a Vector2 for a Vector2i, null for a \
Callable, an untyped array for a typed one. The number of replaced values is printed on \
standard error.

  Remote calls in a capture are not values, and are not converted; their number is printed on standard error. \
This is an error only if there is nothing else: the exit status is then 1. Without a value, the file of -o is not written.

Saves:
  Compressed and encrypted saves are read as 'decode' does: --password, --password-file or --key decrypts them. The output is neither unless \
--compress or --encrypt says so. --encrypt uses the same password or key, or that of --new-password, --new-password-file or --new-key; if there is none, gdwire asks for one on a terminal, on Unix. \
The layout of encrypted saves is that of Godot 4 or, for all other dialects, that of Godot 3; the first value decides. \
With --compress and --encrypt, the compressed save is encrypted: no engine opens that at once, so the game has to write the decrypted bytes to another file.

  The content of each save is held in memory, at most --max-unpacked: also that of the output.

Output:
  The bytes go to standard output unless -o names a file. gdwire does not write bytes to a \
terminal; use '--output hex' to see them."
}

help! {
    STATS, STATS_LONG,
    "\
Examples:
  gdwire stats game.pcapng
  gdwire stats --interval 1s --port 7777 game.pcapng
  gdwire stats --transport enet game.pcapng
  gdwire stats --top 10 --sort count game.pcapng
  gdwire stats --password-file secret.txt save.dat    a save that the game encrypted
  gdwire stats --total captures/*.pcapng              one result for all files
  gdwire stats --join ring/*.pcapng                   the same, for parts of one capture
  gdwire stats --from 1m --to 2m --path 'Game/Players/**' game.pcapng
  gdwire stats --interface eth0 --port 7777            counts until you press Ctrl-C
  gdwire stats --methods methods.txt --recursive captures/
  gdwire stats --format json game.pcapng | jq '.calls[] | select(.count > 100)'",
    "\
Counts:
  Remote calls are counted by node and method, remotely set properties by node and property, and synchronized properties by \
node and by their place among the properties of a packet. A node whose path is not in the capture is shown by its id, such as \
#3, or by its name and spawner. Each peer assigns its own ids, so #3 may stand for several nodes.

  'payload' counts the bytes after the UDP or TCP headers, including those of ENet or WebSocket and retransmissions. 'wire' \
counts whole frames. Messages are counted without any headers, each once. In the tables of kinds and synchronized properties, 'bytes' counts the bytes of values; in the others, those \
of the messages. 'share' is the share of all messages. 'from' says who sends: the server, clients or both. Rates are means between the \
first packet and the last.

  --sort and --top apply to tables; '--format json' lists everything.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select what is lost or not decoded. Flows are counted as they are in the capture.

Intervals:
  More than three empty intervals in a row share one line. If more than 100,000 intervals have messages, \
neighbouring intervals are merged in pairs."
}

help! {
    DIAGNOSE, DIAGNOSE_LONG,
    "\
Examples:
  gdwire diagnose game.pcapng
  gdwire diagnose --port 7777 --top 3 game.pcapng
  gdwire diagnose --interface eth0 --port 7777        findings when you press Ctrl-C
  gdwire diagnose --format json game.pcapng | jq '.findings[] | select(.severity == \"error\")'",
    "\
Findings:
  The table shows for each end of a connection what it has sent: packets, messages, commands or segments that had to be \
acknowledged ('reliable'), how many of these were sent again, how many messages are missing, and how many came after \
later ones ('overtaken'). 'RTT' is the time from the capture point to the other end and back. Over plain UDP, nothing shows \
what is missing.

  Each finding is one sentence, with its first and last frame and the name of its kind. Below is what usually causes it in \
Godot. An error means that the game cannot work as it was meant to, a warning that something was lost, late or wasted; \
notes ('info') are normal for many games. The page 'diagnose' of the documentation lists all kinds.

Exit status:
  1 if there is a finding of severity error, or if some input could not be decoded."
}

help! {
    ANNOTATE, ANNOTATE_LONG,
    "\
Examples:
  gdwire annotate game.pcapng -o annotated.pcapng
  gdwire annotate --path 'Game/Players/**' game.pcapng -o annotated.pcapng
  gdwire annotate --where '.value.hp < 50' game.pcapng -o - | wireshark -k -i -
  tshark -r annotated.pcapng -Y 'frame.comment contains \"move\"'",
    "\
Comments:
  Each message becomes a comment on its packet, with the text that 'decode' shows. All start with 'gdwire: '. Losses are \
comments, too; their text starts with 'lost: '. A message of several packets is noted at the last of them, with the \
numbers of the first and the last: 'gdwire: frames 7-9: '. The text of a message has at most 128 bytes and 16 for each \
byte of the message, and never more than 4,096; a packet has about 64 KiB of comments. More is cut, which the text shows.

  In Wireshark, the display filter 'frame.comment contains \"move\"' finds the packets of messages with this text. To see \
the messages in the list of packets, open a packet's comment in the details and choose 'Apply as Column'.

Output:
  The output is pcapng. Of a pcapng file, everything else is copied as it is: interfaces, options, comments of yours, and \
blocks that are not packets. Only the length of a section, which few programs state, is left out. Of a pcap file, \
all packets are copied with their times.

  To annotate a file again replaces the comments that start with 'gdwire: '. A selection without a message, such as '--where false', only removes them.

  gdwire reads the capture twice, so it cannot be standard input.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select the losses and, with --all, the unrecognized packets that are commented on."
}

help! {
    REPORT, REPORT_LONG,
    "\
Examples:
  gdwire report game.pcapng -o report.html
  gdwire report --project ~/mygame --port 7777 game.pcapng -o report.html
  gdwire report --join ring/*.pcapng -o report.html   parts of one capture
  gdwire report monday.pcapng tuesday.pcapng -o report.html
  gdwire report --interface eth0 --port 7777 -o report.html    written when you press Ctrl-C",
    "\
The page:
  The page is one file that any browser opens from disk. It loads nothing from the network, and nothing in the capture \
can make it run anything. It has plots of the bandwidth by connection and by command, of message sizes, round-trip times, \
resends and loss; tables of the nodes, methods and properties that use the bandwidth; the findings of 'gdwire diagnose'; \
when nodes were spawned and despawned; and the first 2,000 messages, with a search.

  Point at a plot to see its values, drag to zoom; all plots over time zoom together. In a plot, the arrow keys show values, + \
and - zoom, and Escape shows everything. With several captures, the page shows one at a time.

  What selects messages selects those that are counted and listed. Packets, round-trip times and losses are always those of \
whole connections."
}

#[cfg(feature = "export")]
help! {
    EXPORT, EXPORT_LONG,
    "\
Examples:
  gdwire export game.pcapng -o tables       a folder of Parquet files
  gdwire export -r captures -o tables --partition date,transport
  gdwire export --interface eth0 --port 7777 -o tables --roll-time 5m
  gdwire export --format arrow --columns time,method,len game.pcapng | my-program
  duckdb -c \"select path, sum(len) from 'tables/messages/*.parquet' where command='call' group by 1\"",
    "\
Tables:
  messages     a row for each message: file, frame, time, ends, command, path, method, JSON and bytes
  losses       a row for each thing that is lost, damaged or unreadable
  connections  two rows for each connection: what each end has sent, and what of it is missing
  The documentation of the library describes all columns, in gdwire::docs::tables.

Folder:
  Each table has a folder with Parquet files. A file appears under its name when it is complete: until then its name begins with a \
dot, and no engine reads it. If gdwire is killed, such a file may be left behind; remove it. A folder that has a data set already is an \
error without --append, because the same capture exported twice would count twice.

  With --partition date,transport, the files are in folders such as messages/date=2026-11-21/transport=enet, which engines read as \
columns. The names are date, hour (both in UTC), transport, dialect and direction.

  While a capture is running, --roll-time and --roll-size decide when a file is complete. Then it can be copied elsewhere: it never changes.

Arrow:
  --format arrow writes one table as an Arrow IPC stream to standard output, for a program that starts gdwire.

Selection:
  What selects messages selects their rows. Connections are always counted as a whole; losses are left out if messages are \
selected by what is in them."
}

help! {
    MAN, MAN_LONG,
    "\
Examples:
  gdwire man ~/.local/share/man/man1
  gdwire man | man -l -",
    "\
There is a page for gdwire and one for each command: after the first example, 'man gdwire-decode' shows the page of \
'gdwire decode'. The folder is made if it does not exist, and older pages in it are replaced."
}

help! {
    COMPLETIONS, COMPLETIONS_LONG,
    "\
Examples:
  gdwire completions bash > ~/.local/share/bash-completion/completions/gdwire
  gdwire completions zsh > \"${fpath[1]}/_gdwire\"
  gdwire completions fish > ~/.config/fish/completions/gdwire.fish",
    "\
Start a new shell after you have written the file."
}
