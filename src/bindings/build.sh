#!/bin/bash
# Builds the packages for other languages.
#
#   src/bindings/build.sh OUT            builds all of them into the folder OUT
#   src/bindings/build.sh OUT python     only these: python, cli
#
#   OUT/gdwire-*.whl        the Python package
#   OUT/gdwire_cli-*.whl    the command as a Python package
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
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/bindings}
if [ "${QUICK:-}" = true ]; then profile=quick command_profile=dev; else profile=release command_profile=dist; fi

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
	maturin --profile $profile --manifest-path "$bindings/python/Cargo.toml"
}

build-cli() {
	(cd "$bindings/python/cli" && CARGO_TARGET_DIR=$root/target maturin --profile $command_profile)
}

if [ $# -eq 0 ]; then set -- python cli; fi
for package in "$@"; do
	type -t "build-$package" >/dev/null || need "the package '$package'" "there are python and cli"
	"build-$package"
done
ls -l "$out"
