//! The text below the options in each command's help.
//!
//! `-h` ends with the examples; `--help` ends with the examples and the notes. Clap wraps both at
//! the width of the terminal, at most 100 columns, so each paragraph is one line here.

/// Defines two texts: `EXAMPLES`, and `HELP`, which is the examples followed by the notes.
macro_rules! help {
    ($examples:literal, $($notes:tt)*) => {
        pub(crate) const EXAMPLES: &str = $examples;
        pub(crate) const HELP: &str = concat!($examples, "\n\n", $($notes)*);
    };
}

/// The notes about the options that select messages, up to those that differ.
macro_rules! selection {
    () => {
        "\
Selection:
  A message has to match each option of the selection; if an option is given several times, one of its values has to match. \
Packets that do not match --port and --host are not read at all. All other options select whole messages, so connections are \
followed with the packets of both sides. If no message matches, gdwire says so on standard error; the exit status does not change.

  --where takes a condition in a part of the language of jq. Its input is the object that '--format ndjson' prints: \
a vector is an array and has .x, too; a dictionary is an object; .src and .dst are equal to their names on a terminal, too. Unlike in jq, a value is neither less nor greater than a value of another type. For example:
    --where '.rpc.method == \"move\" and .rpc.args[0].x > 100'
    --where 'any(.value.players[]?; .hp < 50)'
    --where '.value | type == \"string\" and test(\"^hi\"; \"i\")'
  A condition that fails for a message, because it looks for a field of a number, does not select it; the number of these messages is reported.

  --from and --to take an absolute time, in UTC if it has no zone, a time of the day of the first packet, or a time after the first packet: \
2026-11-21T07:55:51Z, 07:55:51, 1m30s. A message at exactly the time of --from is selected; a message at exactly the time of --to is not.

"
    };
}

pub(crate) use {help, selection};
