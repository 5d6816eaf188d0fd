#!/bin/bash
# Builds the command for Windows, and runs tests with it under Wine.
#
#   tests/windows/test.sh          runs all tests that fit
#   tests/windows/test.sh NAME …   runs the tests with one of these in their names
#
# tests/windows/tools.sh installs the tools. Rust's target x86_64-pc-windows-gnu is used if rustup has
# installed it.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
tools=target/tools/windows/bin
if [ ! -x $tools/wine ]; then
	echo "Wine is not installed (tests/windows/tools.sh)" >&2
	exit 1
fi
(
	[ -d "$(rustc --print target-libdir --target $target)" ] || export RUSTC=$PWD/$tools/rustc
	# Nothing here is debugged.
	export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=target/windows
	cargo build --target $target --all-features --bin gdwire
	"${RUSTC:-rustc}" --target $target -C linker=x86_64-w64-mingw32-gcc -o target/windows/helper.exe tests/windows/helper.rs
)
if [ $# -eq 0 ]; then set -- cli::windows cli::bot cli::proxy cli::mapped; fi
GDWIRE_COMMAND=$PWD/tests/windows/gdwire cargo test --all-features --test command -- "$@"
