//! The examples and notes in the help of `gdwire completions`.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire completions bash > ~/.local/share/bash-completion/completions/gdwire
  gdwire completions zsh > \"${fpath[1]}/_gdwire\"
  gdwire completions fish > ~/.config/fish/completions/gdwire.fish",
    "\
Start a new shell after you have written the file."
}
