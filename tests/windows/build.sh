#!/bin/bash
# Builds the command for Windows: target/windows/x86_64-pc-windows-gnu/*/gdwire.exe.
#
#   tests/windows/build.sh           with the profile dev
#   tests/windows/build.sh PROFILE   with another one
#
# tests/windows/tools.sh installs the tools. Rust's target x86_64-pc-windows-gnu is used if rustup has
# installed it.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
rustc=$PWD/target/tools/windows/bin/rustc
if [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
	[ -x "$rustc" ] || {
		echo "Rust's target $target is not installed (rustup target add $target, or tests/windows/tools.sh)" >&2
		exit 1
	}
	export RUSTC=$rustc
fi
# Nothing here is debugged.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=target/windows
cargo build --locked --profile "${1:-dev}" --target $target --all-features --bin gdwire
"${RUSTC:-rustc}" --target $target -C linker=x86_64-w64-mingw32-gcc -o target/windows/helper.exe tests/windows/helper.rs
