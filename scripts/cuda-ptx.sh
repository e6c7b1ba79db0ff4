#!/bin/sh
# Makes the .ptx files of examples/cuda from their .cu, by clang alone: no CUDA SDK. 32-bit pointers, no contraction to
# fma, subnormal numbers flushed, no unrolling, so that the text stays close to the source.
#
#   scripts/cuda-ptx.sh [FOLDER]      writes into FOLDER instead; CLANG names another clang
set -eu
cd "$(dirname "$0")/../examples/cuda"
out=${1:-.}
flags="-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_50 -fdeclspec"
flags="$flags -ffp-contract=off -fgpu-flush-denormals-to-zero -O2 -fno-unroll-loops -fno-vectorize -fno-slp-vectorize"
for file in *.cu; do
    "${CLANG:-clang-19}" $flags -m32 -S "$file" -o "$out/${file%.cu}.ptx"
done
# One of them as a GPU's driver takes it, with 64-bit pointers.
"${CLANG:-clang-19}" $flags -S histogram.cu -o "$out/histogram64.ptx"
