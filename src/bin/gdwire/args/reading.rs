//! How values and captures are read, and how much of a capture is kept in memory.

use super::dialect::{DialectChoice, DialectParser};
use super::units::{count, size, time};
use clap::Args;
use gdwire::capture::Limits;
use std::time::Duration;

/// How values and captures are read.
#[derive(Args, Clone)]
pub(crate) struct ReadingArgs {
    /// The engine that wrote the values
    #[arg(long, value_parser = DialectParser { has_auto: true }, default_value = "auto")]
    pub(crate) dialect: DialectChoice,
    /// Read math types with 8-byte numbers, whatever gdwire detects (no effect on Godot 4's values, which state the size)
    #[arg(long)]
    pub(crate) double: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Report unrecognized packets, missing unreliable messages, streams that end within a message,
    /// and bytes after a hex or base64 value, as errors
    #[arg(long)]
    pub(crate) strict: bool,
}

/// How much is kept of a capture. The defaults are those of [`Limits`].
#[derive(Args, Clone)]
pub(crate) struct LimitArgs {
    /// Follow at most this many connections at the same time
    ///
    /// If there are more, gdwire stops following the one that has been idle longest. It only counts
    /// the later packets of that connection, until there is room or another one is idle. Over plain
    /// UDP, all traffic between two addresses and ports counts as one connection.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = count::<usize>())]
    max_connections: usize,
    /// Use at most this much memory for all connections, such as 512M or 2G
    ///
    /// The memory holds messages that wait for earlier ones, packets of connections that gdwire
    /// has not recognized yet, and names of nodes.
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    max_memory: usize,
    /// Use at most this much memory for one connection
    ///
    /// This also limits the length of a message: over TCP to a quarter of SIZE, over WebSocket to
    /// an eighth, and over ENet to nearly a half.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
    max_connection_memory: usize,
    /// Decide what a connection carries after at most this many messages
    ///
    /// gdwire finds out from a connection's first messages which transport and engine it uses.
    /// If they do not show that for certain, gdwire takes the best guess as soon as one of the
    /// three --max-undecided limits is reached.
    #[arg(long, value_name = "N", default_value = "64", value_parser = count::<u32>())]
    max_undecided_messages: u32,
    /// Decide what a connection carries after at most this many bytes of messages
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = size)]
    max_undecided_bytes: usize,
    /// In live traffic, decide what a connection carries after at most this time
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = time)]
    max_undecided_time: Duration,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> Limits {
        Limits::default()
            .with_flows(self.max_connections)
            .with_total_bytes(self.max_memory)
            .with_flow_bytes(self.max_connection_memory)
            .with_undecided_messages(self.max_undecided_messages)
            .with_undecided_bytes(self.max_undecided_bytes)
            .with_undecided_time(self.max_undecided_time)
    }
}

#[cfg(test)]
mod tests {
    use super::LimitArgs;
    use clap::Parser;
    use gdwire::capture::Limits;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        limits: LimitArgs,
    }

    fn limits(options: &str) -> Limits {
        let options = ["gdwire"].into_iter().chain(options.split_whitespace());
        Options::parse_from(options).limits.limits()
    }

    #[test]
    fn every_limit_has_an_option_and_its_default() {
        assert_eq!(limits(""), Limits::default());
        let others = limits(
            "--max-connections 1 --max-memory 1M --max-connection-memory 128K \
             --max-undecided-messages 2 --max-undecided-bytes 64K --max-undecided-time 2s",
        );
        let [default, others] = [Limits::default(), others].map(|limits| format!("{limits:?}"));
        let mut fields = default.split(", ").zip(others.split(", "));
        assert!(fields.all(|(default, other)| default != other), "{default} {others}");
    }
}
