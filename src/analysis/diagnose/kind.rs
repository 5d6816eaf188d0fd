//! The kinds of findings: what each means, and what usually causes it in Godot.

use core::fmt;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; a game that works can have it.
    Info,
    /// Something was lost, late or wasted, or looks wrong.
    Warning,
    /// The game cannot work as it was meant to.
    Error,
}

impl Severity {
    /// The name in lower case, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Defines the kinds with their names and their usual causes.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal: $cause:literal,)*) => {
        /// A kind of problem in the traffic of a game.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[$doc])* $kind,)*
        }

        impl FindingKind {
            /// All kinds.
            pub const ALL: &'static [FindingKind] = &[$(FindingKind::$kind,)*];

            /// The name, as in JSON. Names do not change.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $name,)*
                }
            }

            /// The usual cause in Godot, in one or two sentences.
            #[must_use]
            pub const fn usual_cause(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $cause,)*
                }
            }
        }
    };
}

kinds! {
    /// A call or state refers to a node by an id that its sender never announced.
    UnknownNode = "unknown_node":
        "If the capture began in the middle of the game or lacks packets, it lacks the announcement: a sender announces each node once, and again to a client that joins again. If it is complete, the receiver ignores the packet. In Godot 3, a client that has just joined gets what other clients send to all before they have announced the node to it. Godot 4 sends the states of a node also if it could not send its spawn, because one of the properties to spawn does not exist ('Unable to retrieve spawn state'). Otherwise, the packet is forged.",
    /// A receiver has confirmed a node's path, but the node has other methods there than at the
    /// sender.
    MethodsDiffer = "methods_differ":
        "The two ends run different versions of the script. Calls by number reach other methods, or none.",
    /// The two ends run versions of the engine that do not fit each other.
    EnginesDiffer = "engines_differ":
        "The versions write packets in different ways: Godot 4.3 changed how paths are confirmed. The receiver refuses such packets, for example with 'Size too small'. Export the client and the server with the same version.",
    /// A method is called whose number is out of range: in the names that the user gave, the node
    /// has fewer methods.
    MethodOutOfRange = "method_out_of_range":
        "The project folder or the list of methods is of another version of the game than the sender's, or the call is forged.",
    /// A client calls a method that only the authority of the node may call.
    RefusedCall = "refused_call":
        "The method is declared without any_peer, and no script makes a client the authority of the node with set_multiplayer_authority(). The receiver refuses the call and reports an error, unless it runs another project in which the method has any_peer.",
    /// A packet contradicts the names that the user gave: the methods or properties of a node
    /// differ.
    OtherVersion = "other_version":
        "The project folder or the list of methods is of another version of the game than the one that was captured.",
    /// A peer has sent states of a node that another peer has spawned.
    ForeignState = "foreign_state":
        "A peer sends states without the authority over the node. The receiver ignores them.",
    /// A node was called before its spawn arrived.
    CallBeforeSpawn = "call_before_spawn":
        "The call used another channel or an unreliable mode and overtook the spawn, or it was made in the same frame before the node was added. The receiver reports that the node was not found.",
    /// A node was called after it was despawned.
    CallAfterDespawn = "call_after_despawn":
        "The caller had not heard of the despawn yet, or kept a reference to the node. The receiver reports that the node was not found.",
    /// A receiver has never confirmed the path of a node that was announced to it.
    UnconfirmedNode = "unconfirmed_node":
        "The receiver had no such node when the announcement came: it had not loaded the scene yet, or the node has another name or place there. It reports that the node was not found. Later calls contain the whole path, and a MultiplayerSynchronizer sends no states to it. Send to a peer only after it has said that it is ready, and give nodes that scripts add the same names at all peers.",
    /// A state is larger than the engine sends by default, or nearly as large.
    LargeState = "large_state":
        "A synchronizer has too many properties or large ones. The engine does not send sync states above max_sync_packet_size (1,350 bytes) and delta states above max_delta_packet_size (65,535 bytes), and reports an error at the sender.",
    /// A sync state was sent many times without changing.
    UnchangedState = "unchanged_state":
        "The replication mode of the properties is Always. With On Change they are sent only when they change.",
    /// One method makes up most of the traffic.
    Flood = "flood":
        "Often, such a method is called every frame. Call it less often, or send only what changed. In Godot 4, a MultiplayerSynchronizer can do that.",
    /// An argument contains an object with its class and properties.
    ObjectArgument = "object_argument":
        "The game encodes full objects. A receiver that allows them can be made to run code by anybody who can send to it.",
    /// A message is neither a value nor a packet of the multiplayer API.
    UnreadablePayload = "unreadable_payload":
        "The game also sends bytes of its own with put_packet, a peer runs another version of the engine, or the packet was damaged.",
    /// A vector, rectangle, transform or another math value contains NaN or an infinity.
    NotFinite = "not_finite":
        "A division by zero, or a vector of length zero that was normalized. The value spreads through physics and rendering of all peers.",
    /// A typed array or dictionary contains a value of another type.
    WrongElementType = "wrong_element_type":
        "The sender is not the engine, or has damaged the value. The engine refuses such a value.",
    /// Round trips take long.
    SlowRoundTrips = "slow_round_trips":
        "A long route, a slow or congested connection, or an end that reads the network late, for example because of a low frame rate.",
    /// Reliable messages or segments were sent again.
    Resent = "resent":
        "The network lost packets or acknowledgements, or they were late. Everything after them in the channel or stream waits.",
    /// Unreliable messages were sent, but never seen.
    UnreliableMissing = "unreliable_missing":
        "The network lost packets, or ENet's throttle dropped messages at the sender. Games that use unreliable modes have to expect that.",
    /// Reliable messages, or bytes of a stream, are not in the capture.
    ReliableMissing = "reliable_missing":
        "The capture lost packets, which the ends received. Use a larger capture buffer, or a capture filter.",
    /// Reliable messages were not acknowledged before the connection or the capture ended.
    NotDelivered = "not_delivered":
        "The network lost them, and the connection or the capture ended before they were sent again. A game that closes a connection right after its last calls may lose these.",
    /// A stream, or the capture, ended within a message.
    UnfinishedMessage = "unfinished_message":
        "The recording was stopped or the program was closed while it sent. The message is not decoded.",
    /// Messages or segments arrived after later ones.
    OutOfOrder = "out_of_order":
        "Packets take several routes through the network. In the mode unreliable_ordered, the receiver discards messages that were overtaken.",
    /// An end has changed ENet's bandwidth, or how ENet throttles unreliable messages.
    ThrottleChanged = "throttle_changed":
        "The game set a bandwidth limit or called throttle_configure(). With a limit, ENet drops unreliable messages at the sender.",
    /// UDP datagrams are larger than the usual MTU.
    LargeDatagrams = "large_datagrams":
        "Large values sent over PacketPeerUDP, or a changed MTU. The network splits such datagrams, and loses all of a datagram with any of its parts.",
    /// An end stopped answering.
    TimedOut = "timed_out":
        "The program crashed or was closed without disconnecting, or the network was interrupted.",
    /// An end has closed the connection.
    Disconnected = "disconnected":
        "The game called close() or disconnect_peer(), or refused the connection.",
    /// Compressed messages over WebSocket cannot be decompressed.
    Compressed = "compressed":
        "The capture began after the connection, or lacks packets: compressed messages refer to earlier ones. Start the capture before the game connects.",
    /// Packets were captured only in part. Losses that follow from this are not other findings.
    CapturedInPart = "captured_in_part":
        "The capture has a length limit. Record whole packets, for example with tcpdump -s 0.",
    /// A limit was reached, so that something was not read or not counted.
    LimitReached = "limit_reached":
        "There is more traffic than the limits allow. The limits can be raised.",
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
