#!/usr/bin/env bash
# Tries the first commands of the README on a machine with nothing but Rust: a fresh Debian in a folder, entered with chroot.
#
#   ./scripts/bare-machine.sh [--tests]
#
# Puts Debian's smallest system (debootstrap) into build/bare, copies the sources that git knows there, gives it rustup and its toolchains of this machine, and runs scripts/setup.sh,
# a second time to see that it has nothing left to do, then `cargo install`, which must put `bitline` into PATH and nothing else. --tests runs scripts/test.sh to its end, too: hours.
# A warning of Cargo or rustc is a failure. Prints the time of each step. Needs root, and debootstrap, which is installed where it is missing. What was mounted goes with the script.
# DEBIAN (bookworm) names the release; BITLINE_MIRROR where its packages come from, unless it is where this machine has its own from.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh
if [ "$(id -u)" != 0 ]; then
    echo "bare-machine.sh: needs root: debootstrap, mount and chroot do" >&2
    exit 2
fi
case "${1:-}" in "" | --tests) ;; *) echo "bare-machine.sh: $1: must be --tests or nothing" >&2; exit 2 ;; esac
# Mounts in a namespace of their own are gone when the script is, however it ends.
if [ -z "${BITLINE_UNSHARED:-}" ]; then
    BITLINE_UNSHARED=1 exec unshare --mount --propagation private "$0" "$@"
fi
missing() { command -v debootstrap >/dev/null || echo debootstrap; }
install_missing missing
if [ -n "$still_missing" ]; then exit 2; fi

release=${DEBIAN:-bookworm}
sources=$(sed /^#/d /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null) || true
mirror=${BITLINE_MIRROR:-$(grep -om1 'http[^ ]*/debian' <<<"$sources" || echo http://deb.debian.org/debian)}
root=$PWD/build/bare/$release
log=$PWD/build/bare/log
mkdir -p "$root" build/bare
timed() { # timed NAME COMMAND...
    local name=$1 begin=$SECONDS
    shift
    "$@" >"$log.$name" 2>&1 || { tail -30 "$log.$name" >&2; echo "bare-machine.sh: $name failed: build/bare/log.$name" >&2; exit 1; }
    echo "$name: $((SECONDS - begin)) s"
}

say "Debian $release, as small as it gets"
base=build/bare/$release.tar
if [ ! -e "$base" ]; then
    rm -rf "$root"
    timed debootstrap debootstrap --variant=minbase "$release" "$root" "$mirror"
    tar -C "$root" -cf "$base.new" .
    mv "$base.new" "$base"
fi
rm -rf "$root"
mkdir -p "$root"
tar -C "$root" -xf "$base"
if chroot "$root" sh -c 'command -v cc || command -v cargo'; then
    echo "bare-machine.sh: this system is not bare" >&2
    exit 1
fi

say "Sources and Rust"
mkdir -p "$root/work/bitline" "$root/root/.cargo" "$root/root/.rustup" "$root/proc" "$root/dev" "$root/sys"
git ls-files -z | tar --null --files-from=- -c | tar -C "$root/work/bitline" -x
mount --bind "${RUSTUP_HOME:-$HOME/.rustup}" "$root/root/.rustup"
mount -o remount,bind,ro "$root/root/.rustup" 2>/dev/null || true
cp -a "${CARGO_HOME:-$HOME/.cargo}/bin" "$root/root/.cargo/"
mount -t proc proc "$root/proc"
# Serial ports are listed there.
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
cp -L /etc/resolv.conf "$root/etc/"
# The way to the network is this machine's: its certificates beside Debian's, its settings of the programs that fetch.
mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
if [ -d /usr/local/share/ca-certificates ]; then cp -aL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"; fi
if [ -e "${CARGO_HOME:-$HOME/.cargo}/config.toml" ]; then cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$root/root/.cargo/"; fi
if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$root/etc/"; fi
inside() {
    local names=() name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT CARGO_BUILD_JOBS; do
        if [ -n "${!name:-}" ]; then names+=("$name=${!name}"); fi
    done
    chroot "$root" env -i HOME=/root TERM=dumb LANG=C.UTF-8 RUSTUP_AUTO_INSTALL=0 "${names[@]}" \
        PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /work/bitline && $1"
}
quiet() { # no warning in the log of this step
    if grep -n '^warning' "$log.$1" >&2; then
        echo "bare-machine.sh: $1 warns: build/bare/log.$1" >&2
        exit 1
    fi
}

say "The first command of the README"
timed setup inside ./scripts/setup.sh
quiet setup
grep -q '^vc709' "$log.setup" || { echo "bare-machine.sh: setup.sh has not told what it made" >&2; exit 1; }
[ -e "$root/work/bitline/build/vc709/manifest.json" ] || { echo "bare-machine.sh: no design in build/vc709" >&2; exit 1; }
tail -3 "$log.setup"
timed again inside ./scripts/setup.sh
if grep -q '^installing' "$log.again"; then
    echo "bare-machine.sh: setup.sh installs a second time" >&2
    exit 1
fi

say "cargo install"
timed install inside "PATH=/work/installed/bin:\$PATH cargo install --path . --root /work/installed"
quiet install
found=$(ls "$root/work/installed/bin")
if [ "$found" != bitline ]; then
    echo "bare-machine.sh: cargo install puts into PATH:" $found >&2
    exit 1
fi
inside "/work/installed/bin/bitline gen --list" >"$log.list"
echo "in PATH: $found"

if [ "${1:-}" = --tests ]; then
    say "All tests"
    timed test inside "CI=true ./scripts/test.sh"
    tail -3 "$log.test"
fi
say "Nothing but Rust was needed"
