//! The examples and notes in the help of `gdwire stats`.

use crate::args::help::{help, selection};

help! {
    "\
Examples:
  gdwire stats game.pcapng
  gdwire stats --interval 1s --port 7777 game.pcapng
  gdwire stats --transport enet game.pcapng
  gdwire stats --top 10 --sort count game.pcapng
  gdwire stats --password-file secret.txt save.dat    a save that the game encrypted
  gdwire stats --total captures/*.pcapng              one result for all files
  gdwire stats --join ring/*.pcapng                   one result for the parts of one capture
  gdwire stats --from 1m --to 2m --path 'Game/Players/**' game.pcapng
  gdwire stats --interface eth0 --port 7777            counts until you press Ctrl-C
  gdwire stats --nodes --path 'World/**' game.pcapng   a row for each node
  gdwire stats --methods methods.txt --recursive captures/
  gdwire stats --format json game.pcapng | jq '.calls[] | select(.count > 100)'",
    "\
Counts:
  Remote calls are counted by node and method, remotely set properties by node and property, and synchronized properties by \
node and by their place among the properties of a packet. A node whose path is not in the capture is shown by its id, such as \
#3, or by its name and spawner. Each peer assigns its own ids, so #3 may stand for several nodes.

  Nodes that are alike share a row, such as 'World/Bomb* (12 nodes of bomb.tscn)': nodes of one scene, if --project tells it, and nodes \
whose names differ only in numbers and that have the same methods and properties. --nodes gives each a row of its own.

  'payload' counts the bytes after the UDP or TCP headers, including those of ENet or WebSocket and retransmissions. 'wire' \
counts whole frames. Messages are counted without any headers, each once. In the tables of kinds and synchronized properties, 'bytes' counts the bytes of values; in the others, those \
of the messages. 'share' is the share of the bytes of all messages, or of those that are selected. 'from' shows who sends: the server, clients or both. Rates are means between the \
first packet and the last.

  --sort and --top apply to tables; '--format json' lists everything.

",
    selection!(),
    "\
\x20 The times, --frames, --src and --dst also select what is lost or not decoded. The packets and bytes of flows are always those of the whole capture.

Intervals:
  The bars show the bytes. More than three empty intervals in a row share one line. A lost message counts in the interval of the next message of its channel. If more than 100,000 intervals have messages or losses, \
neighbouring intervals are merged in pairs."
}
