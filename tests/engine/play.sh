#!/bin/bash
# Asks the engines new questions for some seconds, until one of them disagrees with this crate.
#
#   tests/engine/play.sh SECONDS [TEST...]
#
# A TEST is a part of the name of a test, such as `godot_4::` or `damaged`. Prints each seed.
# GDWIRE_SEED=7 cargo test --all-features --test engines repeats the questions of seed 7.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
shift
cargo test --all-features --test engines --no-run
SECONDS=0
while [ "$SECONDS" -lt "$seconds" ]; do
	GDWIRE_SEED=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
	export GDWIRE_SEED
	echo "seed $GDWIRE_SEED, after $SECONDS s"
	if ! output=$(GDWIRE_ENGINE_TESTS=required cargo test --quiet --all-features --test engines -- "${@:-godot}" 2>&1); then
		echo "$output"
		echo "seed $GDWIRE_SEED: see above"
		exit 1
	fi
done
echo "all engines agreed for $SECONDS s"
