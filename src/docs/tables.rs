//! The tables that `gdwire export` and [`export`] make of captures.
//!
//! Every column can be null. Times are in microseconds, which all engines read. A second column has
//! each time in nanoseconds, as an integer: Spark does not read Parquet's timestamps in nanoseconds
//! unless it is configured to. There are no unsigned integers, because Spark has none.
//!
//! # Questions in SQL
//!
//! This command writes the folder `tables`, with one row per message, one row per value of a property,
//! and two smaller tables: what was lost, and the connections. A table without rows has a file, too. The
//! queries are for DuckDB; other engines differ in the functions for JSON. DuckDB shows and truncates times in
//! your time zone; after `set timezone = 'UTC'` it does so in UTC, as `--partition date` does. It takes the column
//! `offset` only in quotes, as the word belongs to SQL.
//!
//! ```sh
//! gdwire export --partition date,transport -o tables corpus/captures/godot4-game-enet.pcapng
//! ```
//!
//! The bandwidth of each method, for each minute:
//!
//! ```sql
//! select date_trunc('minute', time) as minute, path, coalesce(method, '#' || method_number) as method,
//!        sum(len) as bytes
//! from 'tables/messages/**/*.parquet' where command = 'call' group by all order by bytes desc;
//! ```
//!
//! A component of a vector, here the y of the first argument. A vector is an array in JSON.
//!
//! ```sql
//! select time, json_extract(arguments, '$[0][1]')::double as y
//! from 'tables/messages/**/*.parquet' where method = 'move';
//! ```
//!
//! A field of a dictionary that a game sends as a value:
//!
//! ```sql
//! select avg(json_extract(value, '$.health')::double) from 'tables/messages/**/*.parquet'
//! where kind = 'Dictionary';
//! ```
//!
//! The values of a property over time:
//!
//! ```sql
//! select time, path, number from 'tables/states/**/*.parquet' where property = 'health' order by time;
//! ```
//!
//! The captures that lack more than 1% of their messages:
//!
//! ```sql
//! select file, sum(missing_reliable + missing_unreliable) as missing, sum(messages) as messages
//! from 'tables/connections/**/*.parquet' group by file having missing > messages / 100;
//! ```
//!
//! The nodes of a capture whose scripts differ between clients, or between a client and the server:
//!
//! ```sql
//! select file, path, list(distinct digest) as digests from 'tables/messages/**/*.parquet'
//! where command = 'simplify_path' group by file, path having count(distinct digest) > 1;
//! ```
//!
//! # On a Spark cluster
//!
//! The executors of a cluster can decode the captures themselves. This job answers questions about a
//! folder of captures that all executors can read:
//!
//! ```python
//! import sys
//! from pathlib import Path
//! from subprocess import PIPE, Popen
//! import pyarrow as pa
//! from pyspark import SparkFiles
//! from pyspark.sql import SparkSession
//!
//! captures, answers, *questions = sys.argv[1:]
//! spark = SparkSession.builder.getOrCreate()
//! files = [[str(file)] for file in Path(captures).rglob("*.pcap*")]
//! paths = spark.createDataFrame(files, "file string").repartition(len(files))
//!
//! def stream(file, table, columns):
//!     program = SparkFiles.get("gdwire")
//!     if not Path(program).exists():  # so the executors have the Python package
//!         import gdwire
//!         yield from pa.RecordBatchReader.from_stream(gdwire.read(file, table=table, columns=columns))
//!         return
//!     options = ["--format", "arrow", "--table", table, "--columns", ",".join(columns)]
//!     with Popen([program, "export", *options, file], stdout=PIPE) as child:
//!         yield from pa.ipc.open_stream(child.stdout)
//!     if child.returncode not in (0, 1):  # 1: some packets could not be decoded
//!         raise RuntimeError(f"{file}: gdwire ended with exit code {child.returncode}")
//!
//! def export(table, schema):
//!     columns = [column.split()[0] for column in schema.split(", ")]
//!     def rows(batches):
//!         for file in (file for batch in batches for file in batch["file"].to_pylist()):
//!             yield from stream(file, table, columns)
//!     paths.mapInArrow(rows, schema).cache().createOrReplaceTempView(table)
//!
//! export("messages", "file string, time timestamp, direction string, src_address string, "
//!     "src_port int, dst_address string, dst_port int, len bigint, command string, path string, "
//!     "method string, method_number int, digest string, confirmed boolean")
//! export("connections", "file string, messages bigint, missing_reliable bigint, "
//!     "missing_unreliable bigint, missing_parts bigint")
//! for question in map(Path, questions):
//!     spark.sql(question.read_text()).write.json(f"{answers}/{question.stem}")
//! spark.stop()
//! ```
//!
//! `tests/tables/` has this job and three questions in SQL: the bandwidth of each method per minute,
//! the captures with loss, and the clients whose scripts differ from their server's. Spark repeats
//! tasks that fail. Each executor needs Python with pyarrow. Spark copies the command `gdwire` to it:
//!
//! ```sh
//! spark-submit --master spark://head:7077 --files gdwire spark_job.py /captures /answers *.sql
//! ```
//!
//! If the executors have the Python package `gdwire`, leave out `--files gdwire`. Then the job reads the
//! captures with the package, without child processes.
//!
//! The page [fleet](super::fleet) estimates storage and processor cores for thousands of servers.
//!
//! # The table `messages`
//!
//! One row for each message, in the order of `gdwire decode`. Within each row group of a Parquet
//! file, rows are sorted by time.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `file` | text | the name of the input |
//! | `frame` | int64 | the number of the message's last packet in the capture, from 1: Wireshark's `frame.number` |
//! | `first_frame` | int64 | the number of its first packet |
//! | `time` | timestamp (µs, UTC) | when that packet was captured, rounded down to microseconds |
//! | `time_ns` | int64 | the same time in nanoseconds since the start of 1970, UTC, without rounding |
//! | `transport` | text | the transport, as `--transport` names it |
//! | `src_address` | text | the IP address of the sender |
//! | `src_port` | int32 | the UDP or TCP port of the sender |
//! | `dst_address` | text | the IP address of the receiver |
//! | `dst_port` | int32 | the UDP or TCP port of the receiver |
//! | `connection` | int64 | the number of the connection in its file, from 1 |
//! | `community_id` | text | the Community ID of the connection's flow, as Zeek and Suricata know it |
//! | `direction` | text | `to_server` or `to_client`; null if it is not known which end opened the connection |
//! | `channel` | int32 | the ENet channel |
//! | `mode` | text | how the message was sent over ENet: `reliable`, `unreliable` or `unreliable_ordered` |
//! | `source_peer` | int32 | the multiplayer id of the sender: 1 is the server |
//! | `target_peer` | int32 | the multiplayer id of the receiver: 0 means all peers, a negative id all except that peer |
//! | `offset` | int64 | where the message starts, in bytes: in its datagram over UDP and ENet, in its stream over TCP and WebSocket, in the file if that is not a capture |
//! | `len` | int64 | the bytes of the message, without headers |
//! | `wire_len` | int64 | the bytes on the network of the frames that carried it, headers included; a frame with several messages counts for each of them |
//! | `dialect` | text | how the message's values are encoded, as `--dialect` names it; before the messages of a connection show that, one of those that read the message alike (`connections` has what they have shown) |
//! | `kind` | text | the kind of a value, such as `Dictionary`; null for packets of the multiplayer API |
//! | `command` | text | what a packet of the multiplayer API does, such as `call`, or `debugger` for a message of the remote debugger; null for values |
//! | `path` | text | the path of the node; null if it is not known, or if the packet is about several nodes |
//! | `path_id` | int64 | the number that the sender announced for the path, if the packet has it |
//! | `node` | text | the path of the node that is spawned or despawned, known with a project |
//! | `net_id` | int64 | the number of a spawned node |
//! | `method` | text | the name of the called method, of the property that is set, or of the debugger's command, if it is known |
//! | `method_number` | int32 | the number of the method, if its name is not known |
//! | `method_own` | boolean | whether the method is from `rpc_config()` of the node instead of its script; null if there is no method |
//! | `scene` | text | the scene of a spawned node, and in calls and in states of one node the scene of the spawned or added node around it, known with a project |
//! | `digest` | text | the MD5 of the names of a node's methods, in a `simplify_path` of Godot 4 |
//! | `confirmed` | boolean | in a `confirm_path` of Godot 4: whether both ends have the same methods |
//! | `value` | text | the value as plain JSON |
//! | `arguments` | text | the arguments of a call or of a debugger's command, the value that is set, or the values of a node's state, as a JSON array |
//! | `properties` | text | the values of a node's state by the names of its properties, as a JSON object, known with a project |
//! | `rpc` | text | all fields of a packet of the multiplayer API, as the JSON object `rpc` of `--format ndjson` |
//! | `bytes` | bytes | the bytes of the message |
//!
//! # The table `states`
//!
//! One row for each value that a property of a node gets: from spawns, states, deltas and calls and, in
//! Godot 3, from `rset()`. A value that is sent to several peers has several rows.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `file` | text | the name of the input |
//! | `frame` | int64 | the number of the last packet of the message with the value |
//! | `time` | timestamp (µs, UTC) | when that packet was captured, rounded down to microseconds |
//! | `time_ns` | int64 | the same time in nanoseconds since the start of 1970, UTC, without rounding |
//! | `transport` | text | the transport, as `--transport` names it |
//! | `connection` | int64 | the number of the connection in its file, from 1 |
//! | `direction` | text | `to_server` or `to_client`; null if it is not known which end opened the connection |
//! | `source_peer` | int32 | the multiplayer id of the sender: 1 is the server |
//! | `command` | text | the packet with the value: `spawn`, `sync`, `delta`, `set` or `call` |
//! | `path` | text | the path of the node; for a spawned node without a known path its name, for other nodes their id |
//! | `property` | text | the name of the property, such as `level`, or its place, such as `sync#0`; for a call the name of the method, with the place of the argument if it has several: `move[0]` |
//! | `value` | text | the value as plain JSON |
//! | `number` | float64 | the value if it is an int or a float |
//!
//! # The table `losses`
//!
//! One row for each loss (something that was sent and is not in the capture), for each damaged
//! place in a file, and with `--all` for each packet and message that was not decoded.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `file` | text | the name of the input |
//! | `frame` | int64 | the number of the packet that shows the loss: it carried what follows in the channel or stream, if that is known |
//! | `time` | timestamp (µs, UTC) | when that packet was captured, rounded down to microseconds |
//! | `time_ns` | int64 | the same time in nanoseconds since the start of 1970, UTC, without rounding |
//! | `after_frame` | int64 | the number of the packet after which it was sent; null if it belongs to the packet `frame` |
//! | `after_time` | timestamp (µs, UTC) | when the packet `after_frame` was captured, rounded down to microseconds |
//! | `transport` | text | the transport, as `--transport` names it |
//! | `src_address` | text | the IP address of the sender of what was lost |
//! | `src_port` | int32 | the UDP or TCP port of the sender |
//! | `dst_address` | text | the IP address of the receiver |
//! | `dst_port` | int32 | the UDP or TCP port of the receiver |
//! | `connection` | int64 | the number of the connection in its file, from 1 |
//! | `community_id` | text | the Community ID of the connection's flow, as Zeek and Suricata know it |
//! | `direction` | text | `to_server` or `to_client`; null if it is not known which end opened the connection |
//! | `channel` | int32 | the ENet channel |
//! | `mode` | text | how missing ENet messages were sent |
//! | `what` | text | `lost`: sent, but not in the capture; `damaged`: a damaged place in the file; `unread`: not decoded; `omitted`: left out of another table because of a limit |
//! | `reason` | text | the reason, as `gdwire stats` counts it |
//! | `count` | int64 | how often: the number of messages, or 1 |
//! | `offset` | int64 | the place in bytes: in the stream over TCP and WebSocket, in the file if the file is damaged or not a capture |
//! | `bytes` | int64 | how many bytes, if that is known |
//! | `text` | text | the whole loss as a sentence |
//!
//! # The table `connections`
//!
//! Two rows for each connection, one for the traffic that each end sent. Sums over all rows are
//! sums over all traffic. The rows of a connection are written when it is over.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `file` | text | the name of the input |
//! | `connection` | int64 | the number of the connection in its file, from 1 |
//! | `community_id` | text | the Community ID of the connection's flow, as Zeek and Suricata know it |
//! | `direction` | text | `to_server` or `to_client`; null if it is not known which end opened the connection |
//! | `transport` | text | the transport, as `--transport` names it; null if no known message was found |
//! | `src_address` | text | the IP address of this end |
//! | `src_port` | int32 | the UDP or TCP port of this end |
//! | `dst_address` | text | the IP address of the other end |
//! | `dst_port` | int32 | the UDP or TCP port of the other end |
//! | `tunnel_src_address` | text | the IP address that sent the tunnel through which the first packet was mirrored; null if it came through none |
//! | `tunnel_dst_address` | text | the IP address to which the tunnel goes |
//! | `dialect` | text | how the values are encoded |
//! | `multiplayer` | boolean | whether the messages are packets of the high-level multiplayer API |
//! | `first_frame` | int64 | the number of the connection's first packet |
//! | `last_frame` | int64 | the number of its last packet |
//! | `time` | timestamp (µs, UTC) | when its first packet was captured, rounded down to microseconds |
//! | `time_ns` | int64 | the same time in nanoseconds since the start of 1970, UTC, without rounding |
//! | `end_time` | timestamp (µs, UTC) | when its last packet was captured, rounded down to microseconds |
//! | `end_time_ns` | int64 | the same time in nanoseconds since the start of 1970, UTC, without rounding |
//! | `closed` | text | why the connection is over: `closed` by its ends, `replaced` by another one between the same ends, `limit` if gdwire stopped following it because of a limit, `end` if the capture ended |
//! | `packets` | int64 | the datagrams or segments that this end has sent |
//! | `payload_bytes` | int64 | the bytes of these packets after their UDP or TCP headers |
//! | `wire_bytes` | int64 | the bytes of these packets on the network, headers included |
//! | `messages` | int64 | the messages that the transport carried, readable or not |
//! | `message_bytes` | int64 | the bytes of these messages, without headers |
//! | `missing_reliable` | int64 | reliable ENet messages that the capture lacks |
//! | `undelivered` | int64 | reliable ENet messages that were not acknowledged before the connection or the capture ended |
//! | `missing_unreliable` | int64 | unreliable ENet messages that never arrived, in any unreliable mode |
//! | `missing_parts` | int64 | ENet messages of which some fragments are missing |
//! | `missing_bytes` | int64 | bytes of the stream that are missing, over TCP and WebSocket |
//! | `resent` | int64 | the ENet commands or TCP segments that were sent again; null if resends were not measured |
//! | `round_trip_us` | int64 | the median round-trip time from the capture point to the other end and back, in microseconds; null if none was measured |
//!
#![cfg_attr(feature = "export", doc = "[`export`]: crate::export")]
#![cfg_attr(not(feature = "export"), doc = "[`export`]: crate#features")]
