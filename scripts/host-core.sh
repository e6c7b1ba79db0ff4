#!/bin/sh
# Fetches the processor for tb/host.rs into build/host-core: PicoRV32 (ISC licence), out of the wheel pythondata-cpu-picorv32 (PyPI).
# It is no part of this project and is never committed.
#
# Needs python3 with pip. What is there already, and is right, is kept.
set -eu
cd "$(dirname "$0")/.."
folder=build/host-core
version=1.0.post218
wheel_sum=c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd
core_sum=0836050971b3c6cdd28ac3b1e5719a67fb645161912bef1e472e63995ceb0622

right() { # right SUM FILE
    echo "$1  $2" | sha256sum --check --status 2>/dev/null
}

if [ -f "$folder/picorv32.v" ] && right "$core_sum" "$folder/picorv32.v"; then
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$work" \
    "pythondata-cpu-picorv32==$version"
wheel=$(echo "$work"/*.whl)
if ! right "$wheel_sum" "$wheel"; then
    echo "error: $wheel: not the file that this script knows (SHA-256 $wheel_sum)" >&2
    exit 1
fi
python3 - "$wheel" "$work" <<'EOF'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in 'picorv32.v', 'COPYING':
        with open(f'{sys.argv[2]}/{name}', 'wb') as out:
            out.write(wheel.read(f'pythondata_cpu_picorv32/verilog/{name}'))
EOF
right "$core_sum" "$work/picorv32.v"
mkdir -p "$folder"
# The core last: it tells that all is there.
mv "$work/COPYING" "$folder/"
mv "$work/picorv32.v" "$folder/"
