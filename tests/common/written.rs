//! Results that are written down in a file of the tests.

/// Compares a text with that in a file. After a change that is meant, look through what differs, and
/// write the file anew with `GDWIRE_WRITE_DOWN=1`.
#[track_caller]
pub fn written_down(path: &str, found: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("GDWIRE_WRITE_DOWN").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {number} of {path}");
    }
    assert_eq!(found.len(), expected.len(), "{path}");
}
