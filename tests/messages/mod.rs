//! The messages of captures over all transports.

mod build;
mod calls;
mod choices;
mod connections;
mod damage;
mod game;
mod hostile;
mod made;
mod memory;
mod nodes;
mod others;
mod outcome;
mod output;
mod pandemonium;
mod parts;
mod places;
mod read;
mod told;
mod values;
