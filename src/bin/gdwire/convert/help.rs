//! The examples and notes in the help of `gdwire convert`.

use crate::args::help::help;

help! {
    "\
Examples:
  gdwire convert --to godot4 save.dat -o save4.dat    a Godot 3 save for Godot 4
  gdwire convert --to godot3 --lossy save4.dat -o save.dat
  gdwire convert --to godot4 --encrypt --password-file secret.txt save.dat -o save4.dat
  gdwire convert --output hex save.dat                each value as a line of hex
  gdwire convert -o values.dat game.pcapng            the values of a capture
  gdwire convert --interface lo --output hex          the values of a running game
  echo 02000000ff000000 | gdwire convert --output base64 -",
    "\
Conversion:
  The output has the bytes that the target engine would write for the same value. Padding is zero, \
and each int and float takes the fewest bytes that hold it. If a dictionary key occurs twice, the last value is kept.

  If the target engine cannot express some part of a value, gdwire reports the place of that part as an \
error. With --lossy it writes the nearest value instead: a Vector2 for a Vector2i, null for a \
Callable, an untyped array for a typed one. The number of replaced values is printed on \
standard error.

  Remote calls in a capture are not values, and are not converted; their number is printed on standard error. \
This is an error only if there is nothing else: the exit status is then 1. Without a value, the file of -o is not written.

Saves:
  Compressed and encrypted saves are read as in 'decode': --password, --password-file or --key decrypts them. The output is neither compressed nor encrypted unless \
--compress or --encrypt is given. --encrypt uses the same password or key, or that of --new-password, --new-password-file or --new-key; if there is none, gdwire asks for one on a terminal, on Unix. \
The layout of encrypted saves is that of Godot 4 or, for all other dialects, that of Godot 3; the first value decides. \
With --compress and --encrypt, the compressed save is encrypted: no engine opens that at once, so the game has to write the decrypted bytes to another file.

  The content of each save is held in memory, at most --max-unpacked: also that of the output.

Output:
  The bytes go to standard output unless -o names a file, which may be the only input. The file is written only if all \
values are in it: a game would take the next value for a missing one. With --skip-errors, values with errors are left out; \
the exit status is 1. On standard output they are always left out, so after '> FILE' that file may lack values: look at the exit status, or use -o. gdwire does not write bytes to a terminal; use '--output hex' to see them."
}
