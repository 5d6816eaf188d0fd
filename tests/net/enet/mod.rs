//! ENet: datagrams, sessions and their limits.

mod assemble;
#[cfg(feature = "compression")]
mod compressions;
mod damage;
mod datagrams;
mod hostile;
mod limits;
mod measure;
mod missing;
mod random;
mod range_coder;
mod recorded;
mod sessions;
mod stories;
