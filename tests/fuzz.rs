//! The fuzz targets without a fuzzer: each gets the inputs that `tests/fuzz/keep.sh` has kept in
//! `tests/fuzz/inputs`.

#![allow(unused_attributes, reason = "each target is also a program, which has no `main`")]
#![allow(clippy::duplicate_mod, reason = "targets share files, but each is a program of its own")]

// The targets find the macro `fuzz_target` below where that of libFuzzer is.
extern crate self as libfuzzer_sys;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

macro_rules! targets {
    ($($name:ident)*) => {
        #[path = "fuzz/fuzz_targets"]
        mod targets {
            $(pub mod $name;)*
        }

        const TARGETS: &[&str] = &[$(stringify!($name)),*];

        mod kept {
            $(
                #[test]
                fn $name() {
                    super::read_inputs(stringify!($name), super::targets::$name::run);
                }
            )*
        }
    };
}

targets! {
    capture compressed_save decompress dropped encrypted_save enet expression follower multiplayer
    outputs parse project session sessions tcp text values websocket
}

/// The file has an input on each line, as hexadecimal digits.
fn read_inputs(target: &str, run: fn(&[u8])) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/inputs").join(target);
    let inputs = fs::read_to_string(&file).unwrap();
    assert!(!inputs.is_empty());
    for (number, line) in (1..).zip(inputs.lines()) {
        let input = data_encoding::HEXLOWER.decode(line.as_bytes()).unwrap();
        let result = catch_unwind(|| run(&input));
        assert!(result.is_ok(), "the target fails with line {number} of {}", file.display());
    }
}

#[test]
fn every_target_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/fuzz_targets");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<_> = files.map(|file| file.file_stem().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, TARGETS);
}

/// Makes a function of the body of a target.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: &[u8]| $body:block) => {
        pub fn run($input: &[u8]) $body
    };
}
