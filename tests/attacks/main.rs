//! Hostile traffic: forged packets, and traffic that is designed to cost time or memory.

mod bounded;

mod cases;
mod forged;
mod limited;
mod many;
mod meter;
mod numbers;
mod search;
mod sessions;

mod wire;
