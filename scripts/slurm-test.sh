#!/usr/bin/env bash
# A regression under a real Slurm on this machine: an array job of 24 shards on four nodes, of which one shard is killed and requeued while it
# runs and one node is drained. Every case must be there once, with the result that it has without Slurm. Also a Slurm that refuses, and a shared
# folder that fills up. As root, with the packages slurm-wlm and munge (Debian), which scripts/slurm-local.sh needs; minutes.
#
#   ./scripts/slurm-test.sh [PROGRAM]             the program sim; built unless given
set -euo pipefail
cd "$(dirname "$0")/.."
sim=${1:-}
if [ -z "$sim" ]; then
    cargo build --quiet --bin sim
    sim=${CARGO_TARGET_DIR:-target}/debug/sim
fi
sim=$(realpath "$sim")
folder=$(mktemp -d)
chmod 755 "$folder"
cleanup() {
    scripts/slurm-local.sh stop "$folder/slurm" || true
    if mountpoint -q "$folder/small"; then umount "$folder/small"; fi
    rm -rf "$folder"
}
trap cleanup EXIT
fail() { echo "slurm-test: $*" >&2; if [ -f "$folder/shared/log/merge.txt" ]; then tail -n 20 "$folder/shared/log/merge.txt" >&2; fi; exit 1; }
# Runs a command that must end with this status and print this.
expect() { # status text command...
    local status=$1 text=$2 got=0
    shift 2
    "$@" >"$folder/out" 2>&1 || got=$?
    if [ "$got" != "$status" ] || ! grep -qF -- "$text" "$folder/out"; then
        cat "$folder/out" >&2
        fail "$* ended with $got, must end with $status and say: $text"
    fi
}

scripts/slurm-local.sh start "$folder/slurm" 4
export SLURM_CONF=$folder/slurm/slurm.conf
shared=$folder/shared
select=(--campaign array.random,array.boundary,ccs,compute-cache --seeds "${SEEDS:-30}")

echo "== Slurm refuses"
expect 2 "nvalid partition" "$sim" regress "${select[@]}" --slurm --shared "$folder/refused" --sbatch=--partition=nowhere

echo "== 24 shards, one killed and requeued, one node drained"
"$sim" regress "${select[@]}" --slurm --shared "$shared" --shards 24 --wait >"$folder/wait" 2>&1 &
waiting=$!
lines() { if [ -f "$1" ]; then grep -c '"case"' "$1" || true; else echo 0; fi; }
# A shard that runs and has some results, but not all.
victim=
for _ in $(seq 600); do
    for task in $(squeue -h -r -t RUNNING -n bitline-regress -o %K); do
        for file in "$shared/shard-$task".*.0.jsonl; do
            if [ "$(lines "$file")" -ge 1 ]; then victim=$task; break 3; fi
        done
    done
    sleep 0.05
done
[ -n "$victim" ] || fail "no shard had a result while it ran"
job=$(squeue -h -o %F -n bitline-regress | head -1)
scontrol requeue "${job}_$victim"
kept=$(cat "$shared/shard-$victim".*.0.jsonl | grep -c '"case"')
node=$(squeue -h -r -t RUNNING -o %N -n bitline-regress | sort -u | tail -1)
scontrol update NodeName="$node" State=DRAIN Reason=test
echo "killed and requeued shard $victim, which had $kept results; drained $node"
status=0
wait "$waiting" || status=$?
cat "$folder/wait"
sinfo -N -h -o '%N %T'
[ "$status" = 0 ] || { cat "$shared/log/merge.txt" >&2; fail "the regression ended with $status"; }
again=$(cat "$shared/shard-$victim".*.1.jsonl 2>/dev/null | grep -c '"case"' || true)
[ "$again" -ge 1 ] || fail "shard $victim did not run again"
sinfo -h -n "$node" -o %T | grep -q drain || fail "$node is not drained"
tail -n 1 "$shared/log/merge.txt"

echo "== The same without Slurm"
"$sim" regress --plan "$shared/plan.json" --results "$folder/local.jsonl" >"$folder/local"
cases=$(lines "$folder/local.jsonl")
[ "$(cat "$shared"/shard-*.jsonl | grep '"case"' | sed 's/,"status.*//' | sort -u | wc -l)" = "$cases" ] || fail "not every case has a result"
# Two results of a case that differ would be an error; so would be one that is missing.
expect 0 "$cases passed, 0 failed, 0 could not run, 0 not run" "$sim" regress merge --plan "$shared/plan.json" "$folder/local.jsonl" "$shared"/shard-*.jsonl
tail -n 1 "$folder/out"

echo "== A shared folder that fills up"
mkdir "$folder/small"
mount -t tmpfs -o size=64k tmpfs "$folder/small"
dd if=/dev/zero of="$folder/small/rest" bs=4k 2>/dev/null || true
expect 2 "No space left on device" "$sim" regress "${select[@]}" --slurm --shared "$folder/small/shared"
truncate -s 60k "$folder/small/rest"
go=("$sim" regress "${select[@]}" --results "$folder/small/r.jsonl")
expect 2 "small/r.jsonl: No space left on device" "${go[@]}"
kept=$(lines "$folder/small/r.jsonl")
mount -o remount,size=4m "$folder/small"
expect 0 "$kept of $cases cases have results already" "${go[@]}"
echo "full with $kept of $cases cases, and complete once there was room"
echo "All as it must be"
