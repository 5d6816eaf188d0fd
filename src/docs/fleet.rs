//! How much storage and how many processor cores the traffic of a fleet of game servers needs.
//!
//! The example is a fleet of 10,000 servers, each of which sends and receives 100 kB/s, headers
//! included. All numbers follow from measurements of one recording, so they are a first estimate:
//! measure a capture of your own game with the commands below.
//!
//! # What was measured
//!
//! `godot4-game-enet.pcapng` in `corpus/captures/` has 6 seconds of a small Godot 4 game with one
//! client. Its messages are short, like those of most games: 55 bytes on average. In the table,
//! GAME stands for this file.
//!
//! | measured | result | command |
//! |---|---|---|
//! | traffic on the network | 64,690 bytes | `gdwire stats --format json GAME`, the sum of `wire_bytes` |
//! | messages | 478, so 135 bytes of traffic for each | the same, `messages` |
//! | the capture | 88,884 bytes, 1.37 times the traffic | `ls -l GAME` |
//! | the capture, compressed | 22,128 bytes, 25% of it | `gzip < GAME \| wc -c` |
//! | Parquet, all columns | 69 bytes for each message | `gdwire export --project corpus/project/arena -o tables GAME`, then in DuckDB the sum of `total_compressed_size` from `parquet_metadata('tables/messages/*.parquet')`, divided by 478 |
//! | Parquet, without `rpc`, `arguments` and `bytes` | 26 bytes for each message | the same, without these columns |
//! | NDJSON, compressed | 40 bytes for each message | `gdwire decode --format ndjson --project corpus/project/arena GAME \| gzip \| wc -c` |
//!
//! With all columns, Parquet is larger than compressed NDJSON, because it has the content of a
//! message three times: as all fields (`rpc`), as the arguments alone, and as bytes. An engine
//! reads only the columns that a question needs, and `--columns` leaves out columns that you never
//! need.
//!
//! # What that means for the fleet
//!
//! | | each server | 10,000 servers |
//! |---|---|---|
//! | traffic | 100 kB/s, 8.6 GB a day | 1 GB/s, 86 TB a day |
//! | captures | 11.9 GB a day | 119 TB a day |
//! | captures, compressed | 3.0 GB a day | 30 TB a day |
//! | messages | 740 a second, 64 million a day | 7.4 million a second, 639 billion a day |
//! | Parquet, all columns | 4.4 GB a day | 44 TB a day |
//! | Parquet, without `rpc`, `arguments` and `bytes` | 1.6 GB a day | 16 TB a day |
//! | sums per minute for 50 methods | 72,000 rows a day | 720 million rows a day |
//!
//! # Processor cores
//!
//! A release build wrote 500 copies of GAME, 32 MB of traffic with 239,000 messages, as Parquet in 2.2
//! seconds of one core (`time gdwire export --threads 1 -o tables GAME GAME …`, on a virtual
//! machine with two cores of an AMD EPYC). As an Arrow stream of three columns (`--format arrow
//! --columns time,method_number,len`) it took 0.8 seconds, and `decode --format ndjson` took 1.2.
//!
//! | | traffic for each second of a core | cores for 10,000 servers | share of a core on each server |
//! |---|---|---|---|
//! | Parquet, all columns | 14 MB | 70 | 0.7% |
//! | Arrow, three columns | 42 MB | 24 | 0.2% |
//!
//! So the servers can write Parquet themselves, with `gdwire export --interface eth0 -o tables`,
//! and copy complete files to their storage. The captures, which are nearly three times as large,
//! then stay where they are. Alternatively, the executors of a cluster decode stored captures, as
//! [this job](super::tables#on-a-spark-cluster) for Spark does.
//!
//! # What to keep
//!
//! - **Captures**: the last hours, on each server, as a ring buffer: `dumpcap -b filesize:100000 -b
//!   files:50` keeps 5 GB, which is 10 hours. They contain what no table has, such as packets that
//!   were not recognized. Keep a capture for longer if its row in `connections` shows loss, or if
//!   players complained.
//! - **Messages** as Parquet: the last days, with the columns that you need. `--partition date`
//!   makes it easy to delete old days.
//! - **Losses and connections**: as long as you like. They have a few rows for each session.
//! - **Sums** per minute and method: as long as you like.
