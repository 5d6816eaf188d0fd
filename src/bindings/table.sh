#!/bin/bash
# Prints how large the packages for other languages are, and how fast they read values.
#
#   src/bindings/table.sh OUT     OUT is what build.sh has built; what is missing there is left out
#
# The Python package is installed into an environment of its own, with orjson, and the npm package beside
# godot-binary-serialization, with which they are compared. Both registries have to be reachable. PYTHON
# names another Python than `python3`.
set -euo pipefail
if [ $# -ne 1 ]; then
	sed -n '2,/^set/s/^# \?//p' "$0" | sed '/^set/d'
	exit 2
fi
out=$(realpath "$1")
bindings=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A row: what it is, its size, and its size as it is sent over the network.
size() {
	printf '| %s | %d kB | %d kB |\n' "$1" $(($(wc -c <"$2") / 1000)) $(($(gzip -9c "$2" | wc -c) / 1000))
}

shopt -s nullglob
wheel=("$out"/gdwire-*.whl) command=("$out"/gdwire_cli-*.whl) npm=("$out"/gdwire-*.tgz)
echo "| package | size | with gzip -9 |"
echo "|---|---|---|"
if [ ${#wheel[@]} -gt 0 ]; then size "Python" "${wheel[0]}"; fi
if [ ${#command[@]} -gt 0 ]; then size "the command, for Python" "${command[0]}"; fi
if [ ${#npm[@]} -gt 0 ]; then
	size "npm" "${npm[0]}"
	tar xzf "${npm[0]}" -C "$work"
	size "npm: WebAssembly of values" "$work/package/values/gdwire_bg.wasm"
	size "npm: WebAssembly of everything" "$work/package/full/gdwire_bg.wasm"
fi
if [ -f "$out/page/index.html" ]; then size "the page" "$out/page/index.html"; fi

if [ ${#wheel[@]} -gt 0 ]; then
	echo
	"${PYTHON:-python3}" -m venv "$work/venv"
	"$work/venv/bin/pip" install --quiet --disable-pip-version-check orjson "${wheel[0]}"
	# Not the sources beside the script, but what is installed.
	"$work/venv/bin/python" -P "$bindings/python/bench.py"
fi
if [ ${#npm[@]} -gt 0 ]; then
	echo
	cd "$work"
	npm install --silent --no-audit --no-fund godot-binary-serialization
	node "$bindings/javascript/bench.js" package
fi
