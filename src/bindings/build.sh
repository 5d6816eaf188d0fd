#!/bin/bash
# Builds the packages for other languages.
#
#   src/bindings/build.sh OUT            builds all of them into the folder OUT
#   src/bindings/build.sh OUT python     only these: python, cli, javascript, page
#
#   OUT/gdwire-*.whl        the Python package
#   OUT/gdwire_cli-*.whl    the command as a Python package
#   OUT/gdwire-*.tgz        the npm package
#   OUT/page/index.html     the page, which also works from disk
#
# QUICK=true compiles in less time, and what it builds is slower and larger. If a tool is missing, the
# script says how to get it.
set -euo pipefail
if [ $# -eq 0 ]; then
	sed -n '2,/^set/s/^# \?//p' "$0" | sed '/^set/d'
	exit 2
fi
mkdir -p "$1"
out=$(realpath "$1")
shift
root=$(realpath "$(dirname "$0")/../..")
bindings=$root/src/bindings
# Features that browsers and Node have had since 2022.
features="--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/bindings}
if [ "${QUICK:-}" = true ]; then
	module_profile=quick python_profile=dev command_profile=dev smaller=-O1
else
	module_profile=release python_profile=release command_profile=dist smaller=-Oz
fi

need() {
	echo "$1 is missing: $2" >&2
	exit 1
}

# Runs maturin, from the environment that the tests use or from PATH.
maturin() {
	local program=$root/target/venv/bin/maturin
	[ -x "$program" ] || program=$(type -P maturin) || need maturin "pip install 'maturin>=1.9,<2'"
	"$program" build --quiet --locked --out "$out" "$@"
}

build-python() {
	CARGO_TARGET_DIR=$root/target maturin --profile $python_profile --manifest-path "$bindings/python/Cargo.toml"
}

build-cli() {
	(cd "$bindings/python/cli" && CARGO_TARGET_DIR=$root/target maturin --profile $command_profile)
}

# Finds a program in target/tools or on PATH.
tool() {
	local program=$root/target/tools/bin/$1
	[ -x "$program" ] || program=$(type -P "$1") || need "$1" "src/bindings/javascript/tools.sh installs it"
	echo "$program"
}

# Compiles the module with some features, and writes it with its JavaScript into a folder.
module() {
	local target=wasm32-unknown-unknown bindgen optimize built
	bindgen=$(tool wasm-bindgen)
	optimize=$(tool wasm-opt)
	(
		standard=()
		if [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
			RUSTC=$root/target/tools/bin/wasm-rustc
			[ -x "$RUSTC" ] || need "Rust's target $target" "rustup target add $target, or src/bindings/javascript/tools.sh"
			# Debian has no linker beside its compiler.
			CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(rustc --print sysroot)/lib/rustlib/$(rustc --print host-tuple)/bin/rust-lld
			export RUSTC CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
		fi
		if [ $module_profile = release ] && [ -d "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/src/rust/library" ]; then
			# Compiles the standard library, too, for size, and panics without their texts, which nothing shows
			# in WebAssembly. The options are unstable.
			standard=(-Z "build-std=std,panic_abort" -Z build-std-features=optimize_for_size)
			export RUSTC_BOOTSTRAP=1
			export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none"
		elif [ $module_profile = release ]; then
			echo "the module becomes larger without the sources of Rust's standard library:" \
				"rustup component add rust-src, or src/bindings/javascript/tools.sh" >&2
		fi
		CARGO_TARGET_DIR=$CARGO_TARGET_DIR-wasm cargo build --quiet --locked --profile $module_profile --target $target \
			"${standard[@]}" --features "$1" --manifest-path "$bindings/javascript/Cargo.toml"
	)
	built=$CARGO_TARGET_DIR-wasm/$target/$module_profile/gdwire_wasm.wasm
	"$bindgen" --target web --no-typescript --out-dir "$2" --out-name gdwire "$built"
	"$optimize" $smaller $features -g "$2/gdwire_bg.wasm" -o "$2/small.wasm"
	# Functions that look alike have names that look alike: side by side, they compress better.
	"$optimize" --reorder-functions-by-name --strip-debug --strip-producers $features "$2/small.wasm" -o "$2/gdwire_bg.wasm"
	rm "$2/small.wasm"
	printf '%s: %s bytes, %s compressed\n' "$(basename "$2")" "$(wc -c <"$2/gdwire_bg.wasm")" "$(gzip -9c "$2/gdwire_bg.wasm" | wc -c)"
}

build-javascript() {
	local package=$CARGO_TARGET_DIR/package
	rm -rf "$package"
	mkdir -p "$package"
	cp "$bindings"/javascript/package/* "$bindings/javascript/README.md" "$root/LICENSE-MIT" "$package"
	module "" "$package/values"
	module full "$package/full"
	(cd "$package" && npm pack --silent --pack-destination "$out")
}

# The page contains what `javascript` has built.
build-page() {
	node "$bindings/page/build.js" "$CARGO_TARGET_DIR/package" "$out/page/index.html"
}

if [ $# -eq 0 ]; then set -- python cli javascript page; fi
for package in "$@"; do
	type -t "build-$package" >/dev/null || need "the package '$package'" "there are python, cli, javascript and page"
	"build-$package"
done
ls -l "$out"
