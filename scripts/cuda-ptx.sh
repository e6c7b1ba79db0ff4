#!/bin/sh
# Makes the .ptx files of examples/cuda, those of tests of calls, numbers and parameters, and that of the trial's
# kernels, from their .cu, by clang alone: no CUDA SDK.
# 32-bit pointers, no contraction to fma, subnormal numbers flushed, no unrolling, so that the text stays close to the
# source.
#
#   scripts/cuda-ptx.sh [FOLDER]      writes into FOLDER instead; CLANG names another clang
set -eu
cd "$(dirname "$0")/../examples/cuda"
calls=../../hdl/compile/tests/calls
out=${1:-.}
clang=${CLANG:-clang-19}
# The host's code is read, too: the C library's headers name one for 32 bits that no kernel needs.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/gnu"
: >"$work/gnu/stubs-32.h"
flags="-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_50 -Xclang -target-feature -Xclang +ptx60 -fdeclspec -I../../scripts/cuda"
flags="$flags -Xclang -target-sdk-version=11.0 -Wno-unknown-cuda-version"
flags="$flags -isystem $work -isystem /usr/include/$("$clang" -print-target-triple | sed s/-pc-/-/)"
flags="$flags -ffp-contract=off -fgpu-flush-denormals-to-zero -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize"
for file in *.cu; do
    "$clang" $flags -m32 -S "$file" -o "$out/${file%.cu}.ptx"
done
# One of them as a GPU's driver takes it, with 64-bit pointers.
"$clang" $flags -S histogram.cu -o "$out/histogram64.ptx"
# Functions that are called, with both sizes of pointers, and as clang leaves them that optimises nothing; and the same
# functions as part of their kernels.
out=${1:-$calls}
"$clang" $flags -m32 -S "$calls/calls.cu" -o "$out/inlined.ptx"
"$clang" $flags -m32 -DCALLED -S "$calls/calls.cu" -o "$out/called.ptx"
"$clang" $flags -DCALLED -S "$calls/calls.cu" -o "$out/called64.ptx"
"$clang" $flags -m32 -DCALLED -O0 -S "$calls/calls.cu" -o "$out/unoptimized.ptx"
# Numbers of other widths, for a GPU that has instructions for them; those of 128 bits there are with 64-bit pointers.
numbers=../../hdl/compile/tests/numbers
out=${1:-$numbers}
newer=$(echo "$flags" | sed "s/sm_50/sm_90/; s/ptx60/ptx78/; s/-fgpu-flush-denormals-to-zero//")
"$clang" $newer -S "$numbers/numbers.cu" -o "$out/numbers.ptx"
# Structures that are parameters, with both sizes of pointers, and as clang leaves them that optimises nothing.
parameters=../../hdl/compile/tests/parameters
out=${1:-$parameters}
"$clang" $flags -S "$parameters/parameters.cu" -o "$out/parameters.ptx"
"$clang" $flags -m32 -S "$parameters/parameters.cu" -o "$out/parameters32.ptx"
"$clang" $flags -O0 -S "$parameters/parameters.cu" -o "$out/parameters-unoptimized.ptx"
# Kernels of the trial that the compiler is measured beside.
trial=../../hdl/compile/tests/trial
"$clang" $flags -m32 -S "$trial/trial.cu" -o "${1:-$trial}/trial.ptx"
