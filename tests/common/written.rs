//! Results that are written down in a file of the tests, and numbers for them.

/// Numbers that look random and are always the same.
pub struct Numbers(u32);

impl Numbers {
    pub fn new(seed: u32) -> Numbers {
        Numbers(seed.wrapping_mul(2_654_435_761))
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 12) % bound
    }

    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(u32::try_from(values.len()).unwrap()) as usize]
    }
}

/// Tells, when a test fails, how to write its file again.
const REWRITE: &str = "GDWIRE_WRITE_DOWN=1 writes the file anew, if the change is meant";

/// Compares a text with that in a file.
#[track_caller]
pub fn written_down(path: &str, found: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("GDWIRE_WRITE_DOWN").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    for (number, (found, expected)) in (1..).zip(found.lines().zip(expected.lines())) {
        assert_eq!(found, expected, "line {number} of {path}: {REWRITE}");
    }
    assert_eq!(found.len(), expected.len(), "{path}: {REWRITE}");
}
