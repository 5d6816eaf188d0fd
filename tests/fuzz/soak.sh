#!/bin/bash
# Runs every fuzz target for an equal share of some seconds (by default, an hour), one at a time,
# and prints a table: tests/fuzz/soak.sh [SECONDS [TARGET…]]
#
# It needs nightly Rust and cargo-fuzz. It exits with 1 if a target found a problem; then the inputs
# are in tests/fuzz/artifacts/TARGET, and `cargo +nightly fuzz run --fuzz-dir tests/fuzz TARGET
# FILE` shows what happens.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-3600}
shift || true
mapfile -t targets < <(cargo +nightly fuzz list --fuzz-dir .)
if [ $# -gt 0 ]; then targets=("$@"); fi
share=$((seconds / ${#targets[@]}))
binaries=target/$(rustc +nightly --print host-tuple)/release

./seed.sh >/dev/null
# The code is safe Rust, except for casts, which Miri checks, and for reads without a check of bounds,
# which debug assertions check here. So no sanitizer slows the targets down.
for target in "${targets[@]}"; do
	cargo +nightly fuzz build --sanitizer none --fuzz-dir . "$target" >&2
done
mkdir -p target/soak

row='%-16s %8s %12s %9s %9s %9s\n'
# shellcheck disable=SC2059
printf "$row" target seconds runs coverage inputs findings
exit=0
for target in "${targets[@]}"; do
	log=target/soak/$target.log
	mkdir -p "corpus/$target" "artifacts/$target"
	# New inputs go into the first folder. Each is at most 16 KiB, takes at most 10 seconds, and at
	# most 1 GiB of memory.
	status=0
	"$binaries/$target" "corpus/$target" -artifact_prefix="artifacts/$target/" -max_total_time="$share" \
		-max_len=16384 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 >"$log" 2>&1 || status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	# The last line of progress: `#1234 DONE cov: 567 ft: 890 corp: 12/34Kb …`
	coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	inputs=$(sed -n 's/.* corp: \([0-9]*\)\/.*/\1/p' "$log" | tail -n 1)
	findings=$(grep -c 'Test unit written to ' "$log" || true)
	took=$(sed -n 's/.*Done [0-9]* runs in \([0-9]*\) second.*/\1/p' "$log")
	if [ "$status" != 0 ]; then exit=1; fi
	# shellcheck disable=SC2059
	printf "$row" "$target" "${took:--}" "${runs:--}" "${coverage:--}" "${inputs:--}" "$findings"
done
exit $exit
