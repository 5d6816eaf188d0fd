//! The examples and notes in the help of `gdwire man`.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire man ~/.local/share/man/man1
  gdwire man | man -l -",
    "\
There is a page for gdwire and one for each command: after the first example, 'man gdwire-decode' shows the page of \
'gdwire decode'. The folder is created if it does not exist, and older pages in it are replaced."
}
