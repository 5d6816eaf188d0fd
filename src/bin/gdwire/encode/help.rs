//! The examples and notes in the help of `gdwire encode`.

use crate::args::help::help;

help! {
    "\
Examples:
  echo '{ \"hp\": 87, \"pos\": Vector2( 1, 2 ) }' | gdwire encode -o save.dat -
  gdwire encode --dialect godot4 --output hex values.txt
  gdwire encode --compress zstd -o save.dat values.txt      as open_compressed writes it
  gdwire encode --encrypt --password-file secret.txt -o save.dat values.txt
  gdwire decode --format native save.dat | gdwire encode --input native -o godot3.dat -",
    "\
Values:
  '--input text' reads values as the engines print them with var_to_str or var2str. White \
space separates the values; one value may take several lines. After a mistake, gdwire continues \
with the next line. It writes the file of -o only if there was none, unless --skip-errors is given.

  Without --dialect, values that Godot 3 does not have are errors, which name the option to add.

  '--input native' reads one JSON document per line, as Godot 4's JSON.from_native writes it and \
'gdwire decode --format native' prints it.

Saves:
  --compress and --encrypt write what the engine of --dialect reads with open_compressed and open_encrypted_with_pass (with --key: open_encrypted). \
The layout of encrypted saves is that of Godot 4 or, for all other dialects, that of Godot 3. With both options, the compressed save is encrypted: no \
engine opens that at once, so the game has to write the decrypted bytes to another file. Without a password or key, gdwire asks for one on a terminal, on Unix. \
The content is held in memory; it may have at most 4 GiB.

Output:
  The bytes go to standard output unless -o names a file. gdwire does not write bytes to a \
terminal; use '--output hex' to see them."
}
