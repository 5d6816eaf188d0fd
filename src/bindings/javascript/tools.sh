#!/bin/bash
# Installs what building the npm package needs, into target/tools: 400 MB of downloads, 1.2 GB on disk.
#
#   src/bindings/javascript/tools.sh
#
#   wasm-bindgen   in the version that Cargo.lock names: Debian sid's, or compiled from crates.io if that
#                  is another version
#   wasm-opt       from Debian sid's binaryen
#   rustc          Debian sid's, with the target wasm32-unknown-unknown and the sources of the standard
#                  library, which make the modules smaller: only where rustup has not installed that
#                  target (`rustup target add wasm32-unknown-unknown; rustup component add rust-src`)
#
# Tools that are there already are not installed again. Nothing outside of target/tools changes. Debian's programs
# need Debian on x86-64 and mmdebstrap.
set -euo pipefail
bindings=$(realpath "$(dirname "$0")/..")
tools=$(realpath -m "$bindings/../../target/tools")
mkdir -p "$tools/bin"

packages=binaryen,wasm-bindgen
[ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] || packages+=,rustc,libstd-rust-dev-wasm32,rust-src
# The programs of sid need the C library of sid, so its loader starts them.
start() {
	cat >"$tools/bin/$2" <<-END
		#!/bin/sh
		root=\$(dirname "\$(realpath "\$0")")/../debian/usr
		exec "\$root/lib64/ld-linux-x86-64.so.2" --library-path "\$root/lib/x86_64-linux-gnu:\$root/lib" \\
			"\$root/bin/$1" "\$@"
	END
	chmod +x "$tools/bin/$2"
}
sources=$tools/debian/usr/lib/rustlib/src
if [ ! -x "$tools/bin/wasm-opt" ] ||
	{ [[ $packages = *rustc* ]] && { [ ! -x "$tools/bin/wasm-rustc" ] || [ ! -d "$sources/rust/library" ]; }; }; then
	unpacked=$(mktemp -d "$tools/unpacked.XXXXXX")
	trap 'rm -rf "$unpacked"' EXIT
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/\?$' || true)
	mmdebstrap --quiet --variant=extract --include="$packages" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		sid "$unpacked/debian" "${mirror:-http://deb.debian.org/debian}"
	rm -rf "$tools/debian" "$unpacked/debian/dev"
	mv "$unpacked/debian" "$tools/debian"
	start wasm-opt wasm-opt
	start wasm-bindgen wasm-bindgen
	if [[ $packages = *rustc* ]]; then
		start rustc wasm-rustc
		# Beside the standard library there are those of the compiler, which are nine tenths.
		rm "$sources/rust"
		mkdir "$sources/rust"
		mv "$tools"/debian/usr/src/rustc-*/library "$sources/rust"
		rm -r "$tools"/debian/usr/src/rustc-*
	fi
fi

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' "$bindings/javascript/Cargo.lock")
if [ "$("$tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
	# Not `--locked`: a mirror of crates.io may lack the newest of the locked versions.
	cargo install --quiet --force --root "$tools" --version "$version" wasm-bindgen-cli
fi
"$tools/bin/wasm-bindgen" --version
"$tools/bin/wasm-opt" --version
