//! The options for names that no packet contains.

use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct NamesArgs {
    /// A file that lists remote methods, to show Godot 4's calls by name
    ///
    /// Godot 4 sends the number of a method instead of its name. Each line of the file has a
    /// pattern of node paths, as gdwire shows them, and all @rpc methods of these nodes, such as
    /// "Game/Players/*: move, respawn".
    #[arg(long, value_name = "FILE")]
    pub(crate) methods: Option<PathBuf>,
    /// The folder of the game's Godot project, to show calls, scenes and properties by name
    ///
    /// Godot 4 sends numbers for methods, scenes and properties. Their names are read from the
    /// scripts and scenes in the folder. If the capture is of another version of the game, gdwire
    /// reports that. Of a script whose methods differ, no method is shown by name, unless the game has
    /// one or two fewer, or one other that the scripts mention.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,
}
