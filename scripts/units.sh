# shellcheck shell=bash
# For scripts that loop over units, presets and boards, which read this file: the generator GEN, built unless it is there already, and its list. What the
# list says is at `facts` in hdl/emit/list.rs: a new unit, preset or board is in it, and no script names one.
if [ -z "${GEN:-}" ]; then
    cargo build --quiet --release --bin gen
    GEN=${CARGO_TARGET_DIR:-target}/release/gen
fi
export GEN
facts=$("$GEN" --list --facts)

# listed KIND [NAME]: the words of each fact of this kind, or of those about NAME the words after it
listed() {
    local line prefix=$1$'\t'${2:+$2$'\t'}
    while IFS= read -r line; do
        if [[ $line = "$prefix"* ]]; then printf '%s\n' "${line#"$prefix"}"; fi
    done <<<"$facts"
}
# names KIND: the first word of each fact of this kind
names() { listed "$1" | cut -f1; }
