//! Hostile traffic: forged packets, and cases that are made to cost time or memory.

mod bounded;

mod cases;
mod forged;
mod many;
mod meter;
mod numbers;
mod search;

mod wire;
