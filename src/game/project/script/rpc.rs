//! How methods are remote.

/// How a remote method is declared: the arguments of `@rpc` or `[Rpc]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct RpcConfig {
    /// Whether any peer may call the method, not only the authority of the node.
    pub any_peer: bool,
    /// Whether a call also runs on the peer that calls.
    pub call_local: bool,
    /// How calls are sent.
    pub transfer: TransferMode,
    /// The channel of calls; none if the script does not give it as a number.
    pub channel: Option<i32>,
}

/// How the calls of a method are sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TransferMode {
    /// Calls may be lost, and may arrive in another order.
    Unreliable,
    /// Calls may be lost. A call that arrives after a later one is dropped.
    UnreliableOrdered,
    /// Calls arrive in order.
    Reliable,
}

impl RpcConfig {
    /// The configuration of an annotation without arguments.
    pub(super) const DEFAULT: RpcConfig = RpcConfig {
        any_peer: false,
        call_local: false,
        transfer: TransferMode::Reliable,
        channel: Some(0),
    };
}
