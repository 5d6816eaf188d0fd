//! The examples and notes in the help of `gdwire report`.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire report game.pcapng -o report.html
  gdwire report --project ~/mygame --port 7777 game.pcapng -o report.html
  gdwire report --join ring/*.pcapng -o report.html   parts of one capture
  gdwire report monday.pcapng tuesday.pcapng -o report.html
  gdwire report --interface eth0 --port 7777 -o report.html    written when you press Ctrl-C",
    "\
The page:
  The page is one file, which any browser can open from disk. It loads nothing from the network, and nothing in the capture \
can make it run code. It has plots of the bandwidth by connection and by command, of message sizes, round-trip times, \
resends and loss; tables of the nodes, methods and properties that use the bandwidth; the findings of 'gdwire diagnose'; \
when nodes were spawned and despawned; and the first 2,000 messages, with a search and the command that shows the others. Messages of a pipe or an interface \
cannot be read again: write them to a file first, and make the report of that file.

  After Ctrl-C or SIGTERM, a page about a pipe or an interface has what came until then, and replaces an older page. While a file \
is read, they leave the older page as it was.

  Point at a plot to see its values, drag to zoom; all plots over time zoom together. In a plot, the arrow keys show values, + \
and - zoom, and Escape shows everything. With several captures, the page shows one at a time.

  The options that select messages apply to those that are counted and listed. Packets, round-trip times and losses are always those of \
whole connections."
}
