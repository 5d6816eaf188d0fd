//! The examples and notes in the help of `gdwire export`.

use crate::args::help::help;

help! {
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
  losses       a row for everything that is lost, damaged or unreadable
  connections  two rows for each connection: what each end has sent, and what is missing
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
  Options that select messages select their rows. Connections are always counted as a whole; losses are left out if messages are \
selected by their content."
}
