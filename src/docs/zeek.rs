//! Zeek, Suricata and Elastic: joining the tables of `gdwire export` with the logs of other tools.
//!
//! Tools that watch the traffic of a fleet give each flow the same name, its [Community ID]. gdwire
//! gives it, too: as `community_id` in the lines of `decode --format ndjson`, in the JSON of `stats` and
//! `diagnose`, in conditions (`--where '.community_id == "1:…"'`), and in all tables of `export`. The
//! seed is 0, as in Zeek and Suricata.
//!
//! [Community ID]: https://github.com/corelight/community-id-spec
//!
//! The name has only the addresses, the ports and the protocol of a flow. Two connections that follow
//! each other between the same ports share it, so a join also needs the time.
//!
//! # Messages and Zeek's connections
//!
//! Zeek writes Community IDs into `conn.log` after `@load
//! policy/protocols/conn/community-id-logging`, and JSON after `@load policy/tuning/json-logs`.
//! These views of DuckDB name the columns of gdwire as Zeek does: `orig` is the client and `resp`
//! the server. If it is not known which end opened the connection, `orig` is the sender.
//!
//! ```sql
//! create view godot_messages as select
//!     epoch_us(time) / 1e6 as ts, community_id,
//!     case direction when 'to_client' then dst_address else src_address end as "id.orig_h",
//!     case direction when 'to_client' then dst_port else src_port end as "id.orig_p",
//!     case direction when 'to_client' then src_address else dst_address end as "id.resp_h",
//!     case direction when 'to_client' then src_port else dst_port end as "id.resp_p",
//!     direction is distinct from 'to_client' as is_orig,
//!     transport as service, command, path, method, len
//! from 'tables/messages/**/*.parquet';
//!
//! create view conn as select * from read_json('conn.log');
//! ```
//!
//! This query lists the methods that each of Zeek's connections called, and how many bytes that
//! took:
//!
//! ```sql
//! select conn.uid, godot.method, count(*) as messages, sum(godot.len) as bytes
//! from godot_messages as godot join conn
//!     on conn.community_id = godot.community_id
//!     and godot.ts between conn.ts - 1 and conn.ts + coalesce(conn.duration, 0) + 1
//! where godot.method is not null group by all order by bytes desc, method;
//! ```
//!
//! Suricata writes Community IDs with `community-id: yes` in the settings of `eve-log`; there the
//! field has the same name.
//!
//! # Names of the Elastic Common Schema
//!
//! ```sql
//! create view ecs_messages as select
//!     time as "@timestamp", community_id as "network.community_id",
//!     src_address as "source.ip", src_port as "source.port",
//!     dst_address as "destination.ip", dst_port as "destination.port",
//!     case when transport in ('udp', 'enet') then 'udp' else 'tcp' end as "network.transport",
//!     transport as "network.protocol", len as "network.bytes",
//!     file as "log.file.path", command as "event.action",
//!     path as "godot.node", method as "godot.method", arguments as "godot.arguments"
//! from 'tables/messages/**/*.parquet';
//!
//! create view ecs_connections as select
//!     time as "event.start", end_time as "event.end", community_id as "network.community_id",
//!     src_address as "source.ip", src_port as "source.port",
//!     dst_address as "destination.ip", dst_port as "destination.port",
//!     packets as "source.packets", wire_bytes as "source.bytes",
//!     transport as "network.protocol", file as "log.file.path"
//! from 'tables/connections/**/*.parquet';
//! ```
//!
//! Each connection has two rows, one for each end. gdwire's own columns keep their names: see
//! [tables](super::tables).
