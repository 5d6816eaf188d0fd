//! ENet.

mod assemble;
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
