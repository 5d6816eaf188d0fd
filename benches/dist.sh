#!/bin/bash
# Builds the command from nothing with the profiles `release` and `dist`, and prints the table of
# src/docs/packaging.rs: how long building takes, the size of the file, and the instructions that it
# executes to read all captures of the corpus. Needs valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fetch --locked --quiet
folder=$(mktemp -d -p target)
trap 'rm -r "$folder"' EXIT
captures=(corpus/captures/*.pcapng)

# Prints the instructions that a command executes.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$folder/callgrind" "$@" >/dev/null 2>"$folder/log" || true
	awk '/Collected/ { printf "%.0f million", $4 / 1e6 }' "$folder/log"
}

echo "| profile | seconds to build | size | \`stats\` | \`decode --format ndjson\` |"
echo "|---|---|---|---|---|"
for profile in release dist; do
	start=$SECONDS
	cargo build --quiet --locked --profile "$profile" --features cli --target-dir "$folder"
	built=$((SECONDS - start))
	command=$folder/$profile/gdwire
	size=$(stat --format %s "$command" | awk '{ printf "%.1f MB", $1 / 1e6 }')
	stats=$(instructions "$command" stats "${captures[@]}")
	decode=$(instructions "$command" decode --threads 1 --format ndjson "${captures[@]}")
	echo "| \`$profile\` | $built | $size | $stats | $decode |"
done
