# shellcheck shell=bash
# For scripts that need programs which a machine may lack, which read this file: what is missing comes with apt-get, as root or through sudo.

say() { printf '\n== %s\n' "$*"; }
loud() {
    {
        echo
        echo "************************************************************************"
        printf '** %s\n' "$@"
        echo "************************************************************************"
        echo
    } >&2
}

# Packages that building needs and that are not there: a C compiler, which rustc calls to link, and the certificates with which Cargo fetches crates.
missing_to_build() {
    command -v cc >/dev/null || echo gcc libc6-dev
    [ -e /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
}

# Ends the script if there is no Rust: how it gets onto a machine is its owner's choice.
need_cargo() {
    # A shell that was open while rustup was installed does not know it yet.
    if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"; fi
    if ! command -v cargo >/dev/null; then
        loud "cargo is not installed: see https://rustup.rs"
        exit 2
    fi
}

# install_missing COMMAND: installs the packages that COMMAND prints; those that could not be had are in $still_missing.
install_missing() {
    local need as_root=()
    need=$("$1" | tr '\n' ' ')
    if [ -n "$need" ]; then
        if [ "$(id -u)" != 0 ]; then as_root=(sudo); fi
        if ! command -v apt-get >/dev/null; then
            loud "Missing: $need" "There is no apt-get here: install them by hand."
        elif [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
            loud "Missing: $need" "Neither root nor sudo: run as root: apt-get install $need"
        else
            echo "installing $need"
            # shellcheck disable=SC2086
            if ! { "${as_root[@]}" apt-get update -qq &&
                "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $need; }; then
                loud "apt-get could not install: $need"
            fi
        fi
    fi
    # shellcheck disable=SC2034
    still_missing=$("$1" | tr '\n' ' ')
}
