#!/bin/bash
# Runs every fuzz target for an equal share of some seconds (by default, an hour), and prints a table:
# tests/fuzz/soak.sh [SECONDS [TARGET…]]
#
# As many targets run at once as JOBS says (by default, as there are cores). It needs nightly Rust and
# cargo-fuzz. It exits with 1 if a target found a problem; then the inputs are in
# tests/fuzz/artifacts/TARGET, and `cargo +nightly fuzz run --fuzz-dir tests/fuzz TARGET FILE` shows what
# happens. Logs are in tests/fuzz/target/soak.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-3600}
shift || true
mapfile -t targets < <(cargo +nightly fuzz list --fuzz-dir .)
if [ $# -gt 0 ]; then targets=("$@"); fi
jobs=${JOBS:-$(nproc)}
share=$((seconds / ((${#targets[@]} + jobs - 1) / jobs)))
programs=target/$(rustc +nightly --print host-tuple)/release

./seed.sh >/dev/null
# The code is safe Rust, except for casts, which Miri checks, and for reads without a check of bounds,
# which debug assertions check here. So no sanitizer slows the targets down.
cargo +nightly fuzz build --sanitizer none --fuzz-dir . >&2
rm -rf target/soak
mkdir -p target/soak

row() {
	printf '%-16s %8s %12s %9s %9s %9s %9s\n' "$@"
}

# Memory that was used once is not given back between two runs.
export MALLOC_TRIM_THRESHOLD_=500000000 MALLOC_MMAP_THRESHOLD_=500000000

# Runs a target with inputs of at most some bytes for some seconds. New inputs go into its corpus. A run may
# take 10 seconds and 1 GiB of memory.
run() {
	"$programs/$1" "corpus/$1" -artifact_prefix="artifacts/$1/" -max_len="$2" -max_total_time="$3" -entropic="$4" \
		-timeout=10 -rss_limit_mb=1024 -print_final_stats=1 >>"target/soak/$1.log" 2>&1
}

# Runs a target and prints its row. Short inputs are quick and reach nearly everything, so they have most of
# the time. They are picked evenly: half the time of a quick target would go into choosing well.
soak() {
	local start=$SECONDS
	mkdir -p "artifacts/$1"
	run "$1" 512 $((share - share / 5)) 0 && run "$1" 16384 $((share / 5)) 1 || touch target/soak/failed
	# The last line of progress: `#1234 DONE cov: 567 ft: 890 corp: 12/34Kb …`
	# shellcheck disable=SC2046
	row "$1" $(awk -v took=$((SECONDS - start)) '
		/^stat::number_of_executed_units/ { runs += $2 }
		match($0, / cov: [0-9]+/) { coverage = substr($0, RSTART + 6, RLENGTH - 6) }
		match($0, / corp: [0-9]+/) { inputs = substr($0, RSTART + 7, RLENGTH - 7) }
		/Test unit written to / { findings++ }
		END { print took, runs + 0, int(runs / (took + !took)), coverage + 0, inputs + 0, findings + 0 }
	' "target/soak/$1.log") | tee -a target/soak/table
}

row target seconds runs runs/s coverage inputs findings
for target in "${targets[@]}"; do
	while [ "$(jobs -r | wc -l)" -ge "$jobs" ]; do wait -n; done
	soak "$target" &
done
wait
# shellcheck disable=SC2046
row all $(awk '{ took += $2; runs += $3; n += $7 } END { print took, runs, int(runs / (took + !took)), "-", "-", n }' target/soak/table)
[ ! -e target/soak/failed ]
