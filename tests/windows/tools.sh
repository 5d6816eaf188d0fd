#!/bin/bash
# Installs what building for Windows and running there needs, into target/tools/windows: 600 MB of
# downloads, 2 GB on disk.
#
#   tests/windows/tools.sh
#
#   bin/rustc        Rust with the target x86_64-pc-windows-gnu
#   bin/wine         runs a program of Windows, without a screen
#   bin/wineserver   the server that all programs under Wine share
#
# Both are from Debian sid. It has Rust's standard library for that target only as source, which is
# compiled here. What is there already is not installed again. Nothing outside of target/tools/windows
# changes. It needs Debian on x86-64, mmdebstrap and gcc-mingw-w64-x86-64-win32.
set -euo pipefail
tools=$(realpath -m "$(dirname "$0")/../../target/tools/windows")
target=x86_64-pc-windows-gnu
usr=$tools/debian/usr
libraries=$usr/lib/x86_64-linux-gnu
mkdir -p "$tools"

if [ ! -d "$tools/debian" ]; then
	unpacked=$(mktemp -d "$tools/unpacked.XXXXXX")
	trap 'rm -rf "$unpacked"' EXIT
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/\?$' || true)
	# The packages and what they depend on are unpacked but not set up. The release files of a
	# mirror that is a snapshot have expired.
	mmdebstrap --quiet --variant=extract --include=rustc,rust-src,wine64,patchelf \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		sid "$unpacked/debian" "${mirror:-http://deb.debian.org/debian}"
	# Programs with 32 bits and information for debuggers take half of the space.
	rm -rf "$unpacked"/debian/{dev,var,usr/share/doc,usr/share/locale,usr/share/man,usr/lib/x86_64-linux-gnu/wine/i386-windows}
	find "$unpacked"/debian/usr/lib/x86_64-linux-gnu/wine/x86_64-windows -type f -exec x86_64-w64-mingw32-strip --strip-debug {} + 2>/dev/null || true
	# The server of Wine looks here for tables of characters.
	ln -s . "$unpacked/debian/usr/share/wine/wine"
	mv "$unpacked/debian" "$tools/debian"
fi

# The programs of sid need the C library of sid, so its loader starts them. Those of Wine start each
# other, so the path of the loader is written into them, again when the folder was moved.
if [ "$(cat "$tools/place" 2>/dev/null)" != "$tools" ]; then
	loader=$usr/lib64/ld-linux-x86-64.so.2
	for program in "$libraries"/wine/{wine,wineserver}; do
		"$loader" --library-path "$libraries" "$usr/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
	done
	rm -rf "$tools/bin" "$tools/prefix"
	mkdir -p "$tools/bin" "$tools/prefix/drive_c/windows/system32"
	cat >"$tools/bin/rustc" <<-END
		#!/bin/sh
		exec "$loader" --library-path "$libraries:$usr/lib" "$usr/bin/rustc" "\$@"
	END
	for program in wine wineserver; do
		cat >"$tools/bin/$program" <<-END
			#!/bin/sh
			# Wine does not look for its add-ons, nor for menus of a desktop.
			export WINEPREFIX="$tools/prefix" WINEDEBUG="\${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="
			exec "$libraries/wine/$program" "\$@"
		END
	done
	chmod +x "$tools/bin"/*
	cp "$usr/x86_64-w64-mingw32/lib/zlib1.dll" "$tools/prefix/drive_c/windows/system32"
	"$tools/bin/wine" wineboot --init 2>/dev/null
	echo "$tools" >"$tools/place"
fi

# As Rust's own build compiles it, but only what programs without debug information link: not the library
# that is linked at the start, the crates `test` and `proc_macro`, nor what prints functions of a backtrace.
library=$usr/lib/rustlib/$target/lib
if [ ! -d "$library" ]; then
	source=$(realpath "$usr/lib/rustlib/src/rust/library")
	sed -i 's/^crate-type = \["dylib", "rlib"\]/crate-type = ["rlib"]/' "$source/std/Cargo.toml"
	export RUSTC=$tools/bin/rustc RUSTC_BOOTSTRAP=1
	(
		cd "$source"
		CARGO_TARGET_DIR=$tools/std CARGO_PROFILE_RELEASE_DEBUG=0 RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes" \
			cargo build --quiet --release --target $target --package std --features panic-unwind
	)
	rm -rf "$library.part"
	mkdir -p "$library.part"
	cp "$tools/std/$target/release/deps"/*.rlib "$library.part"
	for object in rsbegin rsend; do
		"$RUSTC" --target $target --emit=obj -o "$library.part/$object.o" "$source/rtstartup/$object.rs"
	done
	mv "$library.part" "$library"
	rm -rf "$tools/std"
fi
"$tools/bin/rustc" --version
"$tools/bin/wine" --version
