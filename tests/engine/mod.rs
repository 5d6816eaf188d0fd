//! Real engines read what this crate writes, and write what it reads.
//!
//! Without an engine, its tests print a note and pass, unless `GDWIRE_ENGINE_TESTS=required` is set.
//! `tests/engine/install.sh` installs the engines.

mod agreement;
mod arena;
#[cfg(feature = "peer")]
mod bot;
mod classes;
mod games;
mod lines;
mod live;
mod multiplayer;
mod peer;
mod proxy;
mod saves;
mod stage;

use crate::common::Godot;
use agreement::{Asked, Question};
use std::fs;
use std::path::{Path, PathBuf};

/// The transport in the table of `table.sh`; tests name it by its compression, or by its options.
fn transport_name(name: &str) -> String {
    match name.strip_prefix("enet").unwrap_or(name).trim_start_matches('-') {
        "" | "none" => "ENet".to_owned(),
        "tcp" => "TCP".to_owned(),
        "udp" => "UDP".to_owned(),
        "websocket" => "WebSocket".to_owned(),
        compression => format!("ENet with {compression}"),
    }
}

/// A new folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The tests of values, for each engine.
macro_rules! agreement {
    ($($module:ident: $godot:expr),*) => {$(
        mod $module {
            use super::{Asked, Godot, Question};

            static ASKED: Asked = Asked::new(&$godot);

            #[test]
            fn values_that_it_makes_are_read_and_spelled() {
                ASKED.check("values that it writes", |question| matches!(question, Question::Make(_)));
            }

            #[test]
            fn values_that_this_crate_makes_are_read_and_spelled() {
                ASKED.check("values that gdwire writes, and their spellings", |question| matches!(question, Question::Spell { .. }));
            }

            #[test]
            fn damaged_values_are_read_alike() {
                ASKED.check("verdicts about damaged values", |question| matches!(question, Question::Read(_)));
            }

            #[test]
            fn node_paths_are_alike() {
                ASKED.check("node paths", |question| matches!(question, Question::Path(_)));
            }

            #[test]
            fn its_saves_are_read() {
                ASKED.check("saves that it writes", |question| matches!(question, Question::Pack { .. }));
            }

            #[test]
            fn it_reads_saves_of_this_crate() {
                ASKED.check("saves that gdwire writes", |question| matches!(question, Question::Unpack { .. }));
            }
        }
    )*};
}

agreement!(
    godot_3: Godot::V3,
    godot_3_6: Godot::V3_6,
    godot_4: Godot::V4,
    godot_4_in_a_browser: Godot::WEB
);
