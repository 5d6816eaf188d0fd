//! The messages of captures, whatever carried them.

mod build;
mod calls;
mod choices;
#[path = "../common/mod.rs"]
mod common;
mod connections;
mod damage;
mod game;
mod hearing;
mod hostile;
mod memory;
mod nodes;
mod others;
mod outcome;
mod pandemonium;
mod parts;
mod places;
mod read;
mod values;
