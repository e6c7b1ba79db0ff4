#!/usr/bin/env bash
# Measures what the manual's figures say, and puts it there.
#
#   ./scripts/figures.sh NAME ...     names: see below; without one it lists them
#
# Each NAME is a command. Its output goes to docs/results/NAME.md, under a line that says which command on which commit it is from, and into the page that has the marks
# `<!-- begin NAME -->` and `<!-- end NAME -->`. A test compares the two (tb/documents.rs): nobody types a figure. Speeds depend on the machine: measure them on a quiet one.
# BITLINE names the program, if it is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

bitline() {
    if [ -n "${BITLINE:-}" ]; then "$BITLINE" "$@"; else cargo run --quiet --release -- "$@"; fi
}
text() { # the output of a script, as text of fixed width
    echo '```text'
    "$@"
    echo '```'
}
coverage() { # a line for each unit's presets, then Verilator's count beside that of the small array
    echo '| unit | preset | bits toggled | arms taken | states held |'
    echo '|---|---|--:|--:|--:|'
    local unit preset
    for unit in array/tiny array/default compute-cache/tiny compute-cache/l1 ccs/small; do
        preset=${unit#*/}
        unit=${unit%/*}
        bitline sim coverage --unit "$unit" --preset "$preset" --seeds 4 | sed -n "s/^| \*\*all\*\* |/| $unit | $preset |/p"
    done
    echo
    echo 'The array `tiny`, one seed, beside Verilator:'
    echo
    bitline sim coverage --verilator | sed -n '/^| bits that change/,$p'
}
duality() { # kernels by hand, with one port to memory and with one a bank, and on the whole unit
    local options='duality --kernel all --engine rtl --preset small'
    echo 'One port to memory for all banks:'
    echo
    bitline sim $options
    echo
    echo 'A port for each bank:'
    echo
    bitline sim $options --port-a-bank
    echo
    echo 'On the whole unit, with 40 cycles from the address of a burst to its first beat:'
    echo
    bitline sim duality --kernel all --engine unit --preset small --latency 40
    echo
    echo 'With one control block (`tiny`) and with two (`pair`), decoupled:'
    echo
    echo '| kernel | data | threads | cycles, one | two | one over two |'
    echo '|---|---|--:|--:|--:|--:|'
    local preset
    for preset in tiny pair; do bitline sim duality --kernel all --engine unit --preset "$preset" --mode decoupled; done |
        awk -F' *[|] *' '$5 != "decoupled" { next }
            !($2 in one) { one[$2] = $6; next }
            { printf "| %s | %s | %s | %d | %d | %.2f |\n", $2, $3, $4, one[$2], $6, one[$2] / $6; ratio += log(one[$2] / $6); n++ }
            END { printf "| geometric mean | | | | | %.2f |\n", exp(ratio / n) }'
}
kernels_of_cuda() { # file, kernel, blocks, threads of a block, arguments
    cat <<'EOF'
vecadd vecadd 4 256 random:f32:1000:1:-4..4 random:f32:1000:2:-4..4 zero:f32:1000 s32:1000
nn nn 5 64 random:f32:600:22:-90..90 zero:f32:300 s32:300 f32:12.5 f32:-7
histogram histogram 3 96 random:u8:1000:21:0..255 zero:s32:256 s32:1000
gameoflife generation 4,3 8,4 random:u8:300:16:0..1 zero:u8:300 s32:30 s32:10
pathfinder pathfinder 2 256 random:s32:2500:10:0..9 random:s32:500:11:0..99 zero:s32:500 s32:500 s32:2 s32:3
gaussian multipliers 2 16 random:f32:400:14:-4..4 zero:f32:400 s32:20 s32:3
gaussian eliminate 3,3 8,8 random:f32:400:14:-4..4 random:f32:20:15:-4..4 random:f32:400:16:-4..4 s32:20 s32:3
backprop layer 1,4 16,16 random:f32:64:4:-4..4 random:f32:1024:5:-4..4 zero:f32:64 s32:16
backprop adjust 1,2 16,16 random:f32:512:5:-4..4 random:f32:512:6:-4..4 random:f32:16:7:-4..4 random:f32:32:4:-4..4 s32:16 f32:0.3 f32:0.75
hotspot hotspot 2,2 16,16 random:f32:525:8:-4..4 random:f32:525:9:-4..4 zero:f32:525 s32:25 s32:21 f32:0.5 f32:0.1 f32:0.2 f32:0.05 f32:3.0
blackscholes blackscholes 3 64 random:f32:150:31:5..30 random:f32:150:32:1..100 random:f32:150:33:0.25..10 zero:f32:150 zero:f32:150 s32:150 f32:0.02 f32:0.065 f32:0.3
matvec matvec 3 32 random:f32:2310:17:-4..4 random:f32:33:18:-4..4 zero:f32:70 s32:70 s32:33
matmul matmul 2,2 16,16 random:f32:1024:19:-4..4 random:f32:1024:20:-4..4 zero:f32:1024 s32:32
EOF
}
cuda() { # a line for each kernel of examples/cuda
    echo 'Arrays of a thread as the compiler chooses them, on `small`:'
    echo
    echo '| file | kernel | threads | arrays | waves | words | rows | spill rows | cycles | compute | memory | both | neither |'
    echo '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    local file kernel grid block arguments argument one
    kernels_of_cuda | while read -r file kernel grid block arguments; do
        launched small |
            awk -v file="$file" -v kernel="$kernel" '
                NR == 1 { words = $2; rows = $4; spilled = $9; arrays = $12 }
                NR == 2 { threads = $1; waves = $4 }
                / cycles: / { print "| " file " | " kernel " | " threads " | " arrays " | " waves " | " words " | " rows " | " spilled " | " $1 " | " $3 " | " $5 " | " $7 " | " $9 " |" }'
    done
    echo
    echo 'One array and four, on `cb`, for each wave: all cycles, those in which windows are at work on anything but memory (moves and masks included), words of memory, moves, and windows that compute at the same time (moves and masks apart). *Plain* is `--simple`. *At most* is what no schedule of a piece without jumps can beat, with any number of arrays, moves that take no time and rows for everything: computing one word after the other, over the longest chain of words of which each needs the one before; as often as the compiler takes pieces to run. Where the turns of a loop overlap it can be passed:'
    echo
    echo '| file | kernel | cycles, 1 | 4 | compute, plain | 1 | 4 | plain over 4 | 1 over 4 | at most | memory words, 1 | 4 | moves, 4 | windows at a time, 4 |'
    echo '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    kernels_of_cuda | while read -r file kernel grid block arguments; do
        for one in --simple '--arrays 1' '--arrays 4'; do launched cb $one --format json; done |
            jq -rs --arg file "$file" --arg kernel "$kernel" '
                map({ cycles: (.cycles.all / .waves), compute: ((.cycles.compute + .cycles.overlapped) / .waves), ilp: .cycles.ilp, most: (.bound.serial / .bound.least),
                      memory: ((.executed.memory // 0) / .waves), moves: ((.executed.move // 0) / .waves) }) as [$plain, $one, $four] |
                def n: round | tostring;
                def r: . * 100 | round / 100 | tostring;
                "| \($file) | \($kernel) | \($one.cycles | n) | \($four.cycles | n) | \($plain.compute | n) | \($one.compute | n) | \($four.compute | n) | \($plain.compute / $four.compute | r) | \($one.compute / $four.compute | r) | \($four.most | r) | \($one.memory | n) | \($four.memory | n) | \($four.moves | n) | \($four.ilp | r) |"'
    done | awk -F'|' '{ print; ratio += log($9); one += log($10); most += log($11); memory[1] += log($12 + 1); memory[4] += log($13 + 1); ilp += log($15); n++ }
        END { printf "| geometric mean | | | | | | | %.2f | %.2f | %.2f | | ×%.2f | | %.2f |\n", exp(ratio / n), exp(one / n), exp(most / n), exp((memory[4] - memory[1]) / n), exp(ilp / n) }'
}
launched() { # PRESET OPTION ...: runs the kernel at hand on hardware
    local given=() preset=$1
    shift
    for argument in $arguments; do given+=(--arg "$argument"); done
    bitline sim cuda "${folder:-examples/cuda}/$file.ptx" --kernel "$kernel" --engine "${ENGINE:-rtl}" --preset "$preset" --grid "$grid" --block "$block" "${given[@]}" "$@" </dev/null
}
trial_data() { # FOLDER: a graph of 1,800 nodes with up to six edges each, and a tree of 17 entries a node under two levels
    awk -v out="$1/" 'BEGIN {
        seed = 1; nodes = 1800
        for (v = 0; v <= nodes; v++) { print edges + 0 > (out "first.csv"); seed = seed * 16807 % 2147483647; edges += seed % 7 }
        for (e = 0; e < edges; e++) { seed = seed * 16807 % 2147483647; print seed % nodes > (out "edges.csv") }
        for (level = 0; level <= 2; level++) {
            below = first + 16 ^ level; apart = 16 ^ (2 - level)
            for (node = 0; node < 16 ^ level; node++) for (way = 0; way < 17; way++) {
                key = node * apart * 16 + way * apart
                print key > (out "keys.csv")
                print (level < 2 && way < 16 ? below + node * 16 + way : key) > (out "under.csv")
            }
            first = below
        }
    }'
}
trial_kernels() { # kernel, blocks, threads of a block, cycles and parallelism of the trial, arguments
    cat <<EOF
vecadd 6 256 1128 0.95 random:f32:1500:1:-2..2 random:f32:1500:2:-2..2 zero:f32:1500 s32:1500
nn 6 256 2065 1.44 random:f32:2600:3:-2..2 zero:f32:1300 s32:1300 f32:0.25 f32:-0.5
backprop 1,5 16,16 6663 0.95 random:f32:80:4:-2..2 random:f32:1280:5:-2..2 zero:f32:80 s32:16
bfs 4 512 12104 1.20 csv:s32:$1/first.csv csv:s32:$1/edges.csv random:u8:1800:6:0..1 zero:u8:1800 random:u8:1800:7:0..1 zero:s32:1800 zero:s32:1 s32:1800
btree 5 256 24896 1.21 csv:s32:$1/keys.csv csv:s32:$1/under.csv random:s32:1100:8:0..4095 zero:s32:1100 s32:2 s32:1100
multipliers 1 64 1592 0.98 random:f32:1600:9:0.5..2 zero:f32:1600 s32:40 s32:3
eliminate 3,3 16,16 1903 1.59 random:f32:1600:9:0.5..2 random:f32:40:10:-2..2 random:f32:1600:11:-2..2 s32:40 s32:3
hotspot 3,3 16,16 6369 1.49 random:f32:1600:12:0..1 random:f32:1600:13:70..90 zero:f32:1600 s32:40 s32:40 f32:0.5 f32:0.1 f32:0.2 f32:0.05 f32:80
hotspot3d 1,3 32,4 19815 2.43 random:f32:2688:14:-2..2 random:f32:2688:15:-2..2 zero:f32:2688 s32:32 s32:12 s32:5 f32:0.4 f32:0.1 f32:0.1 f32:0.1 f32:2
pathfinder 4 256 13426 1.34 random:s32:10800:16:0..9 random:s32:900:17:0..99 zero:s32:900 s32:900 s32:10 s32:1
lud 4,4 16,16 21364 1.02 random:f32:6400:18:-2..2 s32:80 s32:0
kmeans 5 256 46835 1.00 random:f32:7200:19:-2..2 random:f32:30:20:-2..2 zero:s32:1200 s32:1200 s32:5 s32:6
pgain 3 256 17838 1.08 random:f32:5600:21:-2..2 random:f32:700:22:0..2 random:f32:700:23:0..20 random:s32:700:24:0..3 random:s32:4:25:0..3 zero:f32:3500 zero:u8:700 s32:700 s32:8 s32:17 s32:4
EOF
}
cuda_trial() { # beside what the trial of a compiler counted for the same kernels (design/ptx-compiler.md, section 6)
    local folder=hdl/compile/tests/trial file=trial kernel grid block trial parallel arguments radix work
    work=$(mktemp -d)
    trial_data "$work"
    for radix in 2 4; do printf 'base = "cb"\nrows = 256\nradix = %d\n' $radix >"$work/radix$radix.toml"; done
    echo '| kernel | trial | radix 4 | over the trial | at least | over it | radix 2 | windows at a time, trial | radix 4 | at most | spill rows | a port a bank | over one port | at least |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    trial_kernels "$work" | while read -r kernel grid block trial parallel arguments; do
        {
            launched "$work/radix4.toml" --arrays 4 --format json
            launched "$work/radix2.toml" --arrays 4 --format json
            launched "$work/radix4.toml" --arrays 4 --port-a-bank --format json
        } | jq -rs --arg kernel "$kernel" --argjson trial "$trial" --arg parallel "$parallel" '
            def r: . * 100 | round / 100 | tostring;
            map(.cycles.all / .waves) as [$four, $two, $ports] |
            map(.bound.executed / .waves) as [$least, $_, $ported] |
            "| \($kernel) | \($trial) | \($four | round) | \($four / $trial | r) | \($least | round) | \($four / $least | r) | \($two | round) | \($parallel) | \(.[0].cycles.ilp | r) | \(.[0].bound.ilp | r) | \(.[0].spill_rows) | \($ports | round) | \($ports / $four | r) | \($ported / $four | r) |"'
    done | awk -F'|' '{ print; over += log($5); least += log($7); theirs += log($9); ours += log($10); most += log($11); spilled += $12; ports += log($14); ported += log($15); n++ }
        END { printf "| geometric mean | | | %.2f | | %.2f | | %.2f | %.2f | %.2f | %d in all | | %.2f | %.2f |\n", exp(over / n), exp(least / n), exp(theirs / n), exp(ours / n), exp(most / n), spilled, exp(ports / n), exp(ported / n) }'
    rm -r "$work"
}
middle() { sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
speed_kernels() { # the same kernels, but for larger launches where a launch is over before the machine is warm
    kernels_of_cuda | grep -E '^(backprop layer|hotspot|blackscholes|matvec|matmul) '
    cat <<'EOF'
vecadd vecadd 80 256 random:f32:20000:1:-4..4 random:f32:20000:2:-4..4 zero:f32:20000 s32:20000
nn nn 80 64 random:f32:10000:22:-90..90 zero:f32:5000 s32:5000 f32:12.5 f32:-7
histogram histogram 24 96 random:u8:20000:21:0..255 zero:s32:256 s32:20000
gameoflife generation 16,16 8,4 random:u8:8192:16:0..1 zero:u8:8192 s32:128 s32:64
pathfinder pathfinder 16 256 random:s32:20000:10:0..9 random:s32:4000:11:0..99 zero:s32:4000 s32:4000 s32:2 s32:3
gaussian multipliers 16 256 random:f32:65536:14:-4..4 zero:f32:65536 s32:256 s32:3
gaussian eliminate 8,8 16,16 random:f32:16384:14:-4..4 random:f32:128:15:-4..4 random:f32:16384:16:-4..4 s32:128 s32:3
EOF
}
cuda_pointers() { # what kernels of examples/cuda take with pointers of 32 bits, as they are there, and of 64, as clang makes them unless told
    local folder work file kernel grid block arguments narrow wide
    work=$(mktemp -d)
    echo '| file | kernel | cycles, 32-bit pointers | 64-bit pointers | 64 over 32 |'
    echo '|---|---|--:|--:|--:|'
    kernels_of_cuda | while read -r file kernel grid block arguments; do
        [ -e "$work/$file.ptx" ] || bitline ptx "examples/cuda/$file.cu" --clang-option -fcuda-flush-denormals-to-zero --text >"$work/$file.ptx" </dev/null
        narrow=$(launched small --compare wave --format json | jq .cycles.all)
        wide=$(folder=$work launched small --compare wave --format json | jq .cycles.all)
        awk -v f="$file" -v k="$kernel" -v n="$narrow" -v w="$wide" 'BEGIN { printf "| %s | %s | %d | %d | %.3f |\n", f, k, n, w, w / n }'
    done | awk -F'|' '{ print; sum += log($6); n++ } END { printf "| geometric mean | | | | %.3f |\n", exp(sum / n) }'
    rm -r "$work"
}
cuda_speed() { # how fast compiler, interpreter of words and hardware are, each the median of five runs
    local file kernel grid block arguments i when cycle wave ms
    echo '| file | kernel | compiler, ms | `rtl` on `small`, thousand cycles a second | `--compare wave` |'
    echo '|---|---|--:|--:|--:|'
    speed_kernels | while read -r file kernel grid block arguments; do
        ms=$(for i in 1 2 3 4 5; do ENGINE=words launched cb --format json | jq '.seconds.compile * 1000'; done | middle)
        for when in cycle wave; do
            for i in 1 2 3 4 5; do launched small --compare $when --format json | jq '.cycles.all / .seconds.run / 1000'; done | middle
        done | paste -sd ' ' | { read -r cycle wave; printf '| %s | %s | %.0f | %.0f | %.0f |\n' "$file" "$kernel" "$ms" "$cycle" "$wave"; }
    done | awk -F'|' '{ print; ms += log($4); cycle += log($5); wave += log($6); n++ } END { printf "| geometric mean | | %.0f | %.0f | %.0f |\n", exp(ms / n), exp(cycle / n), exp(wave / n) }'
    echo
    read -r file kernel grid block arguments < <(large_kernels)
    speed() { for i in 1 2 3 4 5; do ENGINE=words launched cb --arrays "$1" --format json | jq '.waves / .seconds.run'; done | middle; }
    printf 'The interpreter of words takes %.0f runs a second of a control block of `cb` with 1,024 threads in four arrays each, and %.0f with 4,096 threads in one array each, on `%s`.\n' "$(speed 4)" "$(speed 1)" "$kernel"
}
beside_hardware() { # PRESET: the model of the system beside the whole unit, kernels by hand, each way that words leave
    echo '| kernel | mode | cycles, hardware | model | model over hardware |'
    echo '|---|---|--:|--:|--:|'
    local engine
    for engine in unit system; do bitline sim duality --kernel all --preset "$1" --latency 40 --engine "$engine"; done |
        awk -F' *[|] *' '$5 !~ /^(lockstep|decoupled)$/ { next }
            !(($2, $5) in cycles) { cycles[$2, $5] = $6; next }
            { ratio = $6 / cycles[$2, $5]; printf "| %s | %s | %d | %d | %.3f |\n", $2, $5, cycles[$2, $5], $6, ratio
              off = ratio > 1 ? ratio - 1 : 1 - ratio; most = off > most ? off : most; sum += off; n++ }
            END { printf "\nOff by %.1f %% in the mean, by %.1f %% at most.\n", 100 * sum / n, 100 * most }'
}
large_kernels() { # as kernels_of_cuda, with threads for many control blocks
    cat <<'EOF'
vecadd vecadd 4096 256 random:f32:1048576:1:-4..4 random:f32:1048576:2:-4..4 zero:f32:1048576 s32:1048576
nn nn 4096 256 random:f32:2097152:22:-90..90 zero:f32:1048576 s32:1048576 f32:12.5 f32:-7
histogram histogram 1024 256 random:u8:4194304:21:0..255 zero:s32:256 s32:4194304
gameoflife generation 64,256 16,4 random:u8:1048576:16:0..1 zero:u8:1048576 s32:1024 s32:1024
hotspot hotspot 32,32 16,16 random:f32:262144:8:-4..4 random:f32:262144:9:-4..4 zero:f32:262144 s32:512 s32:512 f32:0.5 f32:0.1 f32:0.2 f32:0.05 f32:3.0
matmul matmul 16,16 16,16 random:f32:65536:19:-4..4 random:f32:65536:20:-4..4 zero:f32:65536 s32:256
EOF
}
system() { # how far the model is from the hardware, and what it says of many control blocks
    echo 'Beside the whole unit on `small`, with 40 cycles from the address of a burst to its first beat:'
    echo
    beside_hardware small
    echo
    echo 'CUDA kernels on control blocks of `cb`, by the model, in cycles: with one control block, with 280 in 14 slices and with 560 in 28, which are those of one and of two sockets in the paper. Each slice has ten cache ways; `ddr4` is behind them, in the last but one column `gddr5`, each as one socket has it in all columns. Words of memory that begin at other times meet others, so that a few per cent say nothing. *At work* is how many control blocks have a wave, in the mean over the cycles with 280; *memory* is the share of their time in which a word of memory is at work.'
    echo
    echo '| file | threads | waves | cycles, 1 | 280 | 1 over 280 | at work | memory | 560 | 280, gddr5 | ddr4 over gddr5 |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    local file kernel grid block arguments one
    large_kernels | while read -r file kernel grid block arguments; do
        local given=()
        for argument in $arguments; do given+=(--arg "$argument"); done
        for one in '1 --slices 1 --memory ddr4' '280 --slices 14 --memory ddr4' '560 --slices 28 --memory ddr4' '280 --slices 14 --memory gddr5'; do
            bitline sim cuda "examples/cuda/$file.ptx" --kernel "$kernel" --engine system --preset cb --ways 10 --blocks $one --grid "$grid" --block "$block" "${given[@]}" --format json </dev/null
        done | jq -rs --arg file "$file" '
            def r: . * 100 | round / 100 | tostring;
            map(.cycles) as [$one, $all, $more, $fast] |
            "| \($file) | \(.[0].threads) | \(.[0].waves) | \($one.all) | \($all.all) | \($one.all / $all.all | r) | \($all.control_blocks / $all.all | r) | \($all.word_of_memory / $all.control_blocks | r) | \($more.all) | \($fast.all) | \($all.all / $fast.all | r) |"'
    done
}
counted() { # a line for each operation of the cycle table, n or format, on block RAM and on behavioural memory: COLUMN OPERATION ...
    local column=$1 ops=()
    shift
    for argument in "$@"; do ops+=(--op "$argument"); done
    echo "| operation | $column | papers | block RAM | behavioural | scratch rows |"
    echo '|---|---|--:|--:|--:|--:|'
    bitline sim cycles "${ops[@]}" --set fast --sensing two_port --radix 2 --format md | awk -F' *[|] *' '
        /^### / { ram = /block_ram/ }
        $5 ~ /^[0-9]+$/ { key = $2 "|" $3; if (!(key in scratch)) order[++n] = key; scratch[key] = $4; paper[key] = $8; cycles[key, ram] = $5 }
        END { for (i = 1; i <= n; i++) { k = order[i]; split(k, p, "|"); printf "| `%s` | %s | %s | %s | %s | %s |\n", p[1], p[2], paper[k], cycles[k, 1], cycles[k, 0], scratch[k] } }'
}
of_format() { counted format "$@"; }
of_width() { counted n "$@"; }
float_cycles() { # what operations take on both memories, with radix 2, and their scratch rows
    echo '| format | sum | product | quotient | square root | fused | less than | scratch rows |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|'
    bitline sim cycles --op fadd,fmul,fdiv,fsqrt,ffma,flt --width 8,16,32,64 --sensing two_port --radix 2 --set fast --format json | jq -r '. as $all |
        ("e4m3", "e5m2", "f16", "bf16", "f32", "f64") as $format |
        def of(op; memory): $all[] | select(.op == op and .format == $format and .memory == memory);
        "| `\($format)` | " + (["fadd", "fmul", "fdiv", "fsqrt", "ffma", "flt"] | map(. as $op | "\(of($op; "block_ram").rtl_cycles) / \(of($op; "behavioural").rtl_cycles)") | join(" | ")) +
            " | " + (["fadd", "fdiv", "fsqrt", "ffma"] | map(. as $op | of($op; "behavioural").scratch_rows | tostring) | join(" / ")) + " |"'
}
float_skip() { # what the set `skip` takes of floating-point operations on different data, on block RAM
    echo '| operation | format | `fast` | `skip`, worst case | close exponents | uniform bits |'
    echo '|---|---|--:|--:|--:|--:|'
    local kind
    for kind in fast.worst skip.worst skip.near skip.uniform; do
        bitline sim cycles --op fadd,fmul,fdiv,fsqrt,ffma,frcp,frsqrt --width 16,32,64 --sensing two_port --memory block_ram --radix 2 --set "${kind%.*}" --data "${kind#*.}" --format json
    done | jq -rs '[.[] | map({ key: "| `\(.op)` | \(.format) |", cycles: .rtl_cycles })] | transpose[] | "\(.[0].key) " + (map(.cycles | tostring) | join(" | ")) + " |"'
}
float_papers() { # sums, products and quotients by the papers' algorithms beside the other sets, on both cells
    echo '| operation | format | cell | `fast` | `skip`, close exponents | `baseline`, worst case | close exponents | uniform bits | worst case over close | close, over `fast` |'
    echo '|---|---|---|--:|--:|--:|--:|--:|--:|--:|'
    local cell kind
    for cell in two_port.block_ram and_nor.behavioural; do
        for kind in fast.worst skip.near baseline.worst baseline.near baseline.uniform; do
            bitline sim cycles --op fadd,fmul,fdiv --width 16,32,64 --sensing "${cell%.*}" --memory "${cell#*.}" --radix 2 --set "${kind%.*}" --data "${kind#*.}" --format json
        done | jq -rs 'def ratio: . * 100 | round / 100 | tostring;
            [.[] | map({ key: "| `\(.op)` | \(.format) | `\(.sensing)` |", cycles: .rtl_cycles })] | transpose[] | map(.cycles) as [$fast, $skip, $worst, $close, $uniform] |
            "\(.[0].key) \($fast) | \($skip) | \($worst) | \($close) | \($uniform) | \($worst / $close | ratio) | \($close / $fast | ratio) |"'
    done
}
unpacked() { # sums of unpacked numbers beside `fadd`, and a sum of eight terms
    local measured
    measured=$(bitline sim cycles --op funpack,fsum,fpack,fadd --width 16,32 --set fast --format json)
    echo '| format | `funpack` | `fsum` | `fpack` | `fadd` | `and_nor`: `funpack` / `fsum` / `fpack` / `fadd` | scratch rows |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    jq -r '. as $all | ["f32", "f16", "bf16"][] | . as $format |
        def of(op; sensing; memory): first($all[] | select(.format == $format and .op == op and .sensing == sensing and .memory == memory and .radix == 2));
        def each(ops; sensing; memory): ops as $op | memory as $memory | of($op; sensing; $memory);
        def both(op): [each(op; "two_port"; "block_ram", "behavioural").rtl_cycles] | join(" / ");
        "| `\($format)` | \(both("funpack")) | \(both("fsum")) | \(both("fpack")) | \(both("fadd")) | \([each("funpack", "fsum", "fpack", "fadd"; "and_nor"; "behavioural").rtl_cycles] | join(" / ")) | \([each("funpack", "fsum", "fpack"; "two_port"; "block_ram").scratch_rows] | join(" / ")) |"' <<<"$measured"
    echo
    echo 'A sum of eight terms on block RAM: eight `funpack`, seven `fsum` and one `fpack`, or without the first if the terms are unpacked already, beside seven `fadd`, and seven of those that flush subnormal numbers, on columns with radix 4:'
    echo
    echo '| format | packed terms | unpacked terms | seven `fadd` | flushed, radix 4 |'
    echo '|---|--:|--:|--:|--:|'
    { printf '%s' "$measured"; bitline sim cycles --op fadd --width 16,32 --sensing two_port --set fast --flushed --format json; } | jq -rs 'add as $all | ["f32", "f16", "bf16"][] | . as $format |
        def rows(op; radix; flushed): $all[] | select(.format == $format and .op == op and .sensing == "two_port" and .memory == "block_ram" and .radix == radix and .flushed == flushed);
        def of(op): first(rows(op; 2; false)).rtl_cycles;
        (7 * of("fadd")) as $packed | (7 * of("fsum") + of("fpack")) as $sum |
        def share: "\(.) (\(. / $packed * 100 | round) %)";
        "| `\($format)` | \(8 * of("funpack") + $sum | share) | \($sum | share) | \($packed) | \([rows("fadd"; 4; true) | 7 * .rtl_cycles | share][0] // "–") |"'
}
float_flushed() { # operations to nearest, with subnormal numbers flushed, beside those of all modes, on both memories
    echo '| operation | format | sensing | radix | all modes | flushed | of it | behavioural memory |'
    echo '|---|---|---|--:|--:|--:|--:|--:|'
    local mode
    for mode in '' --flushed; do
        bitline sim cycles --op fadd,fmul,fdiv,fsqrt,frcp --width 8,16,32,64 --set fast $mode --format json
    done | jq -rs 'add | [.[] | select(.flushed)] as $own | . as $all | $own[] | select(.memory == "block_ram") |
        . as $row | def of(memory; flushed; radix): $all[] | select(.op == $row.op and .format == $row.format and .sensing == $row.sensing and .radix == radix and .memory == memory and .flushed == flushed) | .rtl_cycles;
        first(of("block_ram"; false; $row.radix), of("block_ram"; false; 2)) as $kept |
        "| `\(.op)` | \(.format) | `\(.sensing)` | \(.radix) | \($kept) | \(.rtl_cycles) | \(.rtl_cycles / $kept * 100 | round) % | \(of("behavioural"; true; $row.radix)) |"'
}
exhaustive() { # floating point on the netlist alone: all pairs of binary16, and ten million binary32 numbers an operation; takes an hour or two
    echo '| what | columns | mode | results, none wrong | minutes | processors |'
    echo '|---|---|---|--:|--:|--:|'
    BITLINE_DEEP=1 cargo test --quiet --workspace --lib campaign::numbers -- --nocapture --test-threads=1 >build/exhaustive.log || return 1
    sed -n 's/^[^|]*\(| [`a].* |\)$/\1/p' build/exhaustive.log
}
bounds() { # flushed operations with radix 4 beside what columns of this kind take at least (DESIGN.md says how that is found)
    echo '| operation | format | passes of the algorithm | operands, exponents and result | at least | measured | of it |'
    echo '|---|---|--:|--:|--:|--:|--:|'
    bitline sim cycles --op fadd,fmul,fdiv,fsqrt --width 16,32,64 --sensing two_port --memory behavioural --set fast --flushed --format json |
        jq -r '{"f32": [24, 8], "f64": [53, 11], "f16": [11, 5], "bf16": [8, 8]} as $formats |
            def halves: (. / 2 | floor);
            def passes(s): if . == "fadd" then 4 * s + 4 elif . == "fmul" then (s + 1 | halves) * s
                elif . == "fdiv" then ((s + 1 | halves) + 1) * s else ([range(1; (s + 1 | halves) + 1) | 2 * . + 1] | add) end;
            def others(s; m): if . == "fadd" then (s - 1 + m) + 2 * m + 1 else s + m end;
            .[] | .format as $format | select(.radix == 4 and $formats[$format]) | $formats[$format] as [$s, $m] |
            (.op | passes($s)) as $passes | (.op | others($s; $m)) as $others |
            "| `\(.op)` | \($format) | \($passes) | \($others) | \($passes + $others) | \(.rtl_cycles) | \(.rtl_cycles / ($passes + $others) * 100 | round) % |"'
}
scratch() { # binary32 operations with more than 48 scratch rows beside what their numbers take at once (DESIGN.md)
    echo '| operation | columns | scratch rows | at once, beside d |'
    echo '|---|---|--:|--:|'
    { bitline sim cycles --width 32 --format json; bitline sim cycles --op f32_from_int,f32_to_int --width 64 --format json; } | jq -rs 'add | 26 as $n | 8 as $m |
        def at_once: if . == "fexp" or . == "fexp2" then ($n + 8) + ($n + $m + 8) + ($m + 2) + 4
            elif . == "flog" or . == "flog2" then ($n + 8) + ($n + $m + 8) + 4
            elif . == "fsin" or . == "fcos" or . == "ftan" then 2 * ($n + 6) + ($n + 11) + 6
            elif . == "fatan" then 2 * ($n + 13) + 12 + 8
            elif . == "ftanh" then 2 * 40 + 25 + 9
            else error("nothing is known of \(.)") end;
        [.[] | select(.format == "f32" and .scratch_rows > 48)] | group_by([.op, .width, .scratch_rows]) | .[] |
        "| `\(.[0].op)`\(if .[0].width == 64 then " of 64 bits" else "" end) | \([.[] | "`\(.sensing)`" + if .radix == 4 then " with radix 4" else "" end] | unique | join(", ")) | \(.[0].scratch_rows) | \((.[0].op | at_once) - ($n + $m - 2)) |"'
}
float_rom() { # read-only memories of the sequencer, without floating point and with it, from the emitted Verilog
    local work name config
    work=$(mktemp -d)
    echo '| design | control | flow | setup | constants | all, Kbit | of it without floating point |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    while IFS='|' read -r name config; do
        printf '%b' "$config" >"$work/design.toml"
        bitline gen --target generic --config "$work/design.toml" --out "$work/$name" >/dev/null
        awk -v design="$name" '
            FNR == 1 { file = FILENAME; sub(/.*bl_/, "", file) }
            /^ *reg \[[0-9]+:0\] [a-z_]+ \[0:[0-9]+\];/ { gsub(/[^a-z0-9_]+/, " "); width[file, $4] = $2 + 1; words[file, $4] = $6 + 1 }
            /^ *[a-z_]+.0. = / { split($1, part, "["); roms[file, part[1]] = 1 }
            function of(wanted,   key, one, text, count) {
                for (key in roms) { split(key, one, SUBSEP); if (one[1] == wanted) { count++; text = words[key] " × " width[key]; bits += words[key] * width[key] } }
                return count > 1 ? count " of " text : text
            }
            END { printf "%s|%s|%s|%s|%s|", design, of("address_generator.v"), of("flow_control.v"), of("command_setup.v"), of("key_scanner.v"); print bits }' "$work/$name"/rtl/*.v
        rm -r "${work:?}/$name"
    done <<'EOF' | awk -F'|' '{ if (NR % 2) before = $6; printf "| %s | %s | %s | %s | %s | %.0f | %s |\n", $1, $2, $3, $4, $5, $6 / 1024, NR % 2 ? "" : sprintf("%.0f %%", before / $6 * 100) }'
`default`|base = "default"\n
the same with `float`|base = "default"\nfloat = true\n
`default`, radix 4|base = "default"\nradix = 4\n
the same with `float`|base = "default"\nradix = 4\nfloat = true\n
`paper`|base = "paper"\n
the same with `float`|base = "paper"\nfloat = true\n
EOF
    rm -r "$work"
}
float_peers() { # binary32 beside what others have counted: latencies of the trace simulator MVE, rows that PIMeval's cost tables read
    echo '| operation | MVE | PIMeval, rows read | all modes: `and_nor` | `two_port`, radix 2 | radix 4 | to nearest, flushed: `and_nor` | `two_port`, radix 2 | radix 4 |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|'
    local mode
    for mode in '' --flushed; do
        bitline sim cycles --op fadd,fmul,fdiv --width 32 --set fast --memory behavioural $mode --format json
    done | jq -rs 'add as $all | {fadd: [351, 1331], fmul: [346, 1852], fdiv: [null, 2744]} as $peers | ("fadd", "fmul", "fdiv") |
        . as $op | def of(flushed; sensing; radix): [$all[] | select(.op == $op and .flushed == flushed and .sensing == sensing and .radix == radix) | .rtl_cycles][0];
        def number: . // "–" | tostring;
        "| `\(.)` | \($peers[.][0] | number) | \($peers[.][1] | number) | \(of(false; "and_nor"; 2) | number) | \(of(false; "two_port"; 2)) | \(of(false; "two_port"; 4) // of(false; "two_port"; 2)) | \(of(true; "and_nor"; 2) | number) | \(of(true; "two_port"; 2)) | \(of(true; "two_port"; 4)) |"'
}
cordic() { # fixed-point functions with the paper's number of steps, and with as many as the example takes
    of_width cordic_sincos cordic_exp cordic_log cordic_sqrt cordic_atan
    echo
    echo 'More steps make results more exact; in the example, on block RAM:'
    echo
    echo '| operation | steps | cycles |'
    echo '|---|--:|--:|'
    bitline sim run examples/programs/cordic.bl |
        awk '$2 ~ /^cordic_/ { match($0, /m=[0-9]+/); printf "| `%s` | %s | %d |\n", $2, substr($0, RSTART + 2, RLENGTH - 2), $(NF - 1) }'
}
exceptions() { # rows that programs of two_port columns issue, without exception flags and with them
    echo '| operation | `fast` | with flags | `skip` | with flags |'
    echo '|---|--:|--:|--:|--:|'
    cargo test --quiet -p bitline-model --lib cycles_beside -- --nocapture |
        awk '/ with flags$/ && $3 == "Fast:" { fast = $4; flags = $6 }
            / with flags$/ && $3 == "Skip:" { printf "| `%s` | %d | %d | %d | %d |\n", $1, fast, flags, $4, $6 }'
}
float_sensing() { # binary32 with both sensings, on both memories
    echo '| operation | TwoPort: block RAM | behavioural | AndNor: block RAM | behavioural | AndNor over TwoPort, behavioural | scratch rows |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    bitline sim cycles --op fadd,fmul,fdiv,fsqrt,ffma,frcp,frsqrt,feq,flt,fle,fmin,fminimum,funordered,fclass,fround,fneg,f32_to_int,f32_from_int,fexp2,flog2,fsin,ftan,ftanh,fatan --width 32 --set fast --radix 2 --format json | jq -r '
        [.[] | select((.op | endswith("_int") | not) or (.signed | not))] as $all | [$all[] | .op] | reduce .[] as $op ([]; if index([$op]) then . else . + [$op] end) | .[] as $op |
        def of(sensing; memory): $all[] | select(.op == $op and .sensing == sensing and .memory == memory);
        of("and_nor"; "behavioural").rtl_cycles as $made | of("two_port"; "behavioural").rtl_cycles as $written |
        "| `\($op)` | \(of("two_port"; "block_ram").rtl_cycles) | \($written) | \(of("and_nor"; "block_ram").rtl_cycles) | \($made) | \($made / $written * 100 | round / 100) | \(of("and_nor"; "behavioural").scratch_rows) |"'
}
radix_cost() { # LUT of the array, a column, with both radices, and what a LUT of a column is worth in products of 32 bits
    local radix out=build/synth/radix
    mkdir -p "$out"
    for radix in 2 4; do
        printf 'base = "default"\nname = "radix_%d"\nradix = %d\n' "$radix" "$radix" >"$out/radix$radix.toml"
        ./scripts/synth.sh "$out/radix$radix.toml" >"$out/radix$radix.txt"
    done
    echo '| radix | LUT of the array | LUT a column | FF of the array | delay | LUT of the unit | 32 × 32 → 64, cycles | speed-up | for each LUT of a column | for each of the unit |'
    echo '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    for radix in 2 4; do
        awk -v radix="$radix" -v cycles="$(bitline sim cycles --op mul --width 32 --set fast --sensing two_port --memory block_ram --radix "$radix" --format json |
            jq '.[] | select(.signed | not) | .rtl_cycles')" '
            { gsub(",", "") }
            $1 == "bl_compute_array" { array = $2; for (i = 3; i < NF; i++) { if ($(i + 1) == "LUT/column") column = $i; if ($(i + 1) == "FF") ff = $i; if ($(i + 1) == "ns") delay = $i } }
            $1 == "bl_compute_unit" { unit = $2 }
            END { print radix, array, column, ff, delay, unit, cycles }' "$out/radix$radix.txt"
    done | awk '
        NR == 1 { column = $3; unit = $6; cycles = $7 }
        { speed = cycles / $7; printf "| %d | %d | %.2f | %d | %.2f ns | %d | %d | %.2f | %.2f | %.2f |\n", $1, $2, $3, $4, $5, $6, $7, speed, speed * column / $3, speed * unit / $6 }'
}
ccs_cost() { # the unit alone, and the system with one read port to memory and with two, beside what is asked of them and the paper
    local out=build/synth/ccs-cost ports jobs=()
    mkdir -p "$out"
    # Both take as long as one on two cores.
    for ports in 1 2; do
        printf 'base = "vc709"\nname = "ports_%d"\nread_ports = %d\n' "$ports" "$ports" >"$out/ports$ports.toml"
        ./scripts/synth.sh ccs "$out/ports$ports.toml" >"$out/ports$ports.txt" &
        jobs+=($!)
    done
    wait "${jobs[0]}" || { kill "${jobs[1]}"; return 1; }
    wait "${jobs[1]}" || return 1
    echo '| | LUT | FF | RAMB18 | DSP | pre-route logic delay | at most 20,000 LUT and 3.3 ns |'
    echo '|---|--:|--:|--:|--:|--:|---|'
    for ports in 1 2; do
        awk -v ports="$ports" '
            { gsub(",", "") }
            function of(word,   i) { for (i = 2; i < NF; i++) if ($(i + 1) == word) return $i; return 0 }
            function row(what,   asked) {
                asked = of("LUT") <= 20000 && of("ns") <= 3.3 ? "yes" : of("LUT") > 20000 ? "missed in LUT" : "missed in delay"
                printf "| %s | %d | %d | %d | %d | %.2f ns | %s |\n", what, of("LUT"), of("FF"), of("RAMB18"), of("DSP"), of("ns"), asked
            }
            $1 ~ /^bl_ccs_unit_/ && ports == 1 { row("unit, 64 lanes of 32 bits") }
            $1 == "bl_ccs" { row("unit, cache and control, " (ports == 1 ? "one read port to memory" : "two read ports")); found = 1 }
            END { exit !found }' "$out/ports$ports.txt" || return 1
    done
    absent_cost "$out" || return 1
    echo "| the paper's (Table I, Vivado, routed) | 87675 | 13014 | 128 | 192 | 10 ns (100 MHz) | |"
}
absent_cost() { # FOLDER: what was left out of the unit, by itself
    cat >"$1/absent.v" <<'EOF'
module four(input [1:0] by, input [31:0] a, b, c, d, output [31:0] y);
  assign y = by[1] ? (by[0] ? d : c) : (by[0] ? b : a);
endmodule
// 64 lanes of 32 bits of two lines, from lane `by` on, in a cycle: three levels of choices among four.
module rotation(input clk, input [2047:0] line, input [5:0] by, output reg [2047:0] moved);
  reg [2047:0] before;
  wire [2047:0] both, ones, fours, sixteens;
  genvar i;
  generate for (i = 0; i < 64; i = i + 1) begin : lane
    assign both[32*i +: 32] = i < by ? line[32*i +: 32] : before[32*i +: 32];
    four one(by[1:0], both[32*i +: 32], both[32*((i+1)%64) +: 32], both[32*((i+2)%64) +: 32], both[32*((i+3)%64) +: 32], ones[32*i +: 32]);
    four next(by[3:2], ones[32*i +: 32], ones[32*((i+4)%64) +: 32], ones[32*((i+8)%64) +: 32], ones[32*((i+12)%64) +: 32], fours[32*i +: 32]);
    four last(by[5:4], fours[32*i +: 32], fours[32*((i+16)%64) +: 32], fours[32*((i+32)%64) +: 32], fours[32*((i+48)%64) +: 32], sixteens[32*i +: 32]);
  end endgenerate
  always @(posedge clk) begin before <= line; moved <= sixteens; end
endmodule
// The same by one, four or sixteen lanes in a cycle, nine cycles at most, and in front of the lanes the choice between what is turned, the line before and the store.
module turns(input clk, input [1:0] way, input move, keep, direct, input [63:0] below, input [2047:0] line, output [2047:0] operand);
  reg [2047:0] turned, before;
  wire [2047:0] next;
  genvar i;
  generate for (i = 0; i < 64; i = i + 1) begin : lane
    four turn(way, line[32*i +: 32], turned[32*((i+1)%64) +: 32], turned[32*((i+4)%64) +: 32], turned[32*((i+16)%64) +: 32], next[32*i +: 32]);
    assign operand[32*i +: 32] = direct ? line[32*i +: 32] : below[i] ? before[32*i +: 32] : turned[32*i +: 32];
  end endgenerate
  always @(posedge clk) begin if (move) turned <= next; if (keep) before <= turned; end
endmodule
// Results in place of what the store reads, lane by lane, for both operands.
module past(input [63:0] from_a, from_b, input [2047:0] a, b, y, output [2047:0] first, second);
  genvar i;
  generate for (i = 0; i < 64; i = i + 1) begin : lane
    assign first[32*i +: 32] = from_a[i] ? y[32*i +: 32] : a[32*i +: 32];
    assign second[32*i +: 32] = from_b[i] ? y[32*i +: 32] : b[32*i +: 32];
  end endgenerate
endmodule
EOF
    local module text
    while IFS=: read -r module text; do
        yosys -q -l "$1/$module.log" -p "read_verilog $1/absent.v; synth_xilinx -family xc7 -flatten -abc9 -nosrl -noiopad -top $module; tee -o $1/$module.stat stat -tech xilinx" >"$1/$module.said" 2>&1 ||
            { cat "$1/$module.said" >&2; return 1; }
        awk -v text="$text" -v delay="$(sed -n 's/.*Del = *\([0-9.]*\)\..*/\1/p' "$1/$module.log" | tail -1)" '
            NF == 2 && $2 ~ /^[0-9]+$/ { if ($1 ~ /^(LUT[1-6]|INV)$/) lut += $2; if ($1 ~ /^FD/) ff += $2 }
            END { printf "| *not there:* %s | %d | %d | 0 | 0 | %.2f ns | |\n", text, lut, ff, delay / 1000; exit !lut }' "$1/$module.stat" || return 1
    done <<'EOF'
rotation:one operand at another place of its lines: the line before, and a rotation
turns:the same in up to nine cycles more a line
past:results past the store, for both operands
EOF
}
ccs_system() { # commands beside C: figures of the paper, then calls and applications on the pipelined core with both designs
    local all=build/figure.ccs-system.all
    # It ends with 1 as long as one of the paper's figures is missed.
    bitline sim ccs-system >"$all" || [ $? = 1 ] || return 1
    awk '
        /^# / { on = 0; core = substr($0, 3) }
        /^# Beside the paper/ { on = 1; kind = ""; next }
        /^## Where the cycles/ && core ~ /^VexRiscv/ { calls = calls "\nWhere the cycles of a call go, " core ":\n\n"; kind = "calls"; next }
        /^## Figure 5/ && core ~ /^VexRiscv/ { applications = applications "\nApplications, " core ":\n\n"; kind = "applications"; next }
        /^#/ { kind = "" }
        kind == "calls" && /^[|]/ { calls = calls $0 "\n" }
        kind == "applications" && /^[|]/ { applications = applications $0 "\n" }
        on && /^[|]/ { print; found = 1 }
        END { printf "%s%s", calls, applications; exit !(found && calls && applications) }' "$all"
}
energy() { # accesses and estimated energy of operations on the presets `default` and `paper`, then the constants
    echo '| operation | n | `default`: read | written | latches | pJ | pJ a bit | `paper`: read | written | latches | pJ | pJ a bit |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    bitline sim cycles --op copy,and,add,sub,lt,min,mul,divrem,shl,search,fadd,fmul --width 8,16,32 --set fast --radix 2 --format json | jq -r '
        def counts: "\(.rows_read) | \(.rows_written) | \(.latch_updates) | \(.energy_pj | round) | \(.energy_pj_per_bit)";
        [.[] | select(if .format then .format == "f16" or .format == "f32" else .signed | not end)] as $all |
        $all[] | select(.sensing == "two_port" and .memory == "block_ram") as $one |
        [$all[] | select(.op == $one.op and .width == $one.width and .sensing == "and_nor" and .memory == "behavioural")] as $other |
        "| `\($one.op)` | \($one.format // $one.width) | \($one | counts) | \(if $other == [] then "– | – | – | – | –" else ($other[0] | counts) end) |"'
    echo
    bitline sim cycles --op add --width 8 --engine model --format md | sed -n '/^Energy is/,$p'
}
# synthesise_part RTL TOP OUT [OPTION]: the module bl_TOP for Xilinx 7-series, with those in it alone, since whole units have large ROMs; the log, whose last
# `Del` is abc9's delay in ps, in OUT/TOP.log, the cells in OUT/TOP.stat. OPTION of synth_xilinx: -noiopad unless it is given, and may be empty.
synthesise_part() {
    local out top=$2 option=${4--noiopad}
    out=$(cd "$3" && pwd)
    (
        cd "$1"
        files="bl_$top.v"
        for _ in 1 2 3 4 5 6; do
            # shellcheck disable=SC2086
            files=$(printf '%s\n' $files $(sed -n 's/^ \{1,\}\(bl_[a-z0-9_]*\) .*/\1.v/p' $files) | sort -u)
        done
        # shellcheck disable=SC2086
        # In two steps, as scripts/synth.sh has it and says why.
        yosys -q -l "$out/$top.log" -p "read_verilog $(echo $files); synth_xilinx -family xc7 -flatten -abc9 $option -top bl_$top -run begin:map_luts
            hierarchy -check -top bl_$top; synth_xilinx -family xc7 -flatten -abc9 $option -top bl_$top -run map_luts:
            tee -q -o $out/$top.stat stat -tech xilinx" >"$out/$top.said" 2>&1 || { cat "$out/$top.said" >&2; exit 1; }
    )
}
duality_cost() { # LUT and flip-flops of the parts of a control block of 1024 threads and of its cache ways, beside those of its arrays
    local part design top count out=build/synth/duality
    mkdir -p "$out"
    printf 'base = "cb"\nname = "cost_plain"\n' >"$out/plain.toml"
    printf 'base = "cb"\nname = "cost_full"\ncrossbar = 8\nline_operations = true\n' >"$out/full.toml"
    # yosys reads ROMs with programs of floating-point operations for hours.
    printf 'base = "cb"\nname = "cost_short"\nfloat = false\nsets = ["fast"]\n' >"$out/short.toml"
    for design in plain full short; do
        bitline gen --unit duality --target generic --config "$out/$design.toml" --out "$out/$design" >/dev/null
    done
    # How many there are, the design, the module, what it is, and what the paper says of such a part: per cent of the cache's area.
    cat >"$out/parts" <<'EOF'
16 plain compute_array array: columns' peripherals and rows|0.69
4 short duality_window issue window: queue, sequencer with programs of integers alone, passes|1.35
1 plain duality_dispatcher dispatcher|in that
1 plain duality_scalar_unit scalar unit|
1 plain duality_instruction_ring_512 instruction ring|
1 plain tmu transpose unit: two tiles of 256 words of 64 bits|1.17
1 plain duality_memory_unit memory unit: transpose unit, translation, accesses, spill rows, masks|
1 plain duality_launch launch unit|
1 plain duality_cache_fetches_5x32 MSHR of 32 lines|0.19
1 full duality_crossbar crossbar, 8 threads at a time|0.06
1 full duality_lines operations on lines|
EOF
    while read -r count design top part <&3; do
        synthesise_part "$out/$design/rtl" "$top" "$out" || return 1
    done 3<"$out/parts"
    echo '| part | how many | LUT | FF | RAMB36 | RAMB18 | LUT of all, in those of the arrays | paper: of the area, % |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|'
    # shellcheck disable=SC1091
    . scripts/cost.sh
    local arrays=
    while read -r count design top part <&3; do
        arrays=${arrays:-$(awk "$memory_cells"'NF == 2 && $1 ~ /^(LUT[1-6]|INV)$/ { lut += $2 } NF == 2 { lut += memory($1) * $2 } END { print 16 * lut }' "$out/$top.stat")}
        awk -v count="$count" -v arrays="$arrays" -v part="$part" "$memory_cells"'
            NF == 2 && $1 ~ /^(LUT[1-6]|INV)$/ { lut += $2 }
            NF == 2 { lut += memory($1) * $2 }
            NF == 2 && $1 ~ /^FD/ { ff += $2 }
            NF == 2 && $1 ~ /^RAMB36/ { large += $2 }
            NF == 2 && $1 ~ /^RAMB18/ { small += $2 }
            END {
                split(part, said, "|")
                printf "| %s | %d | %d | %d | %d | %d | %.3f | %s |\n", said[1], count, lut, ff, large, small, count * lut / arrays, said[2] == "" ? "–" : said[2]
                exit !lut
            }' "$out/$top.stat" || return 1
    done 3<"$out/parts"
}
duality_delay() { # Longest path of a control block with its memory unit, before routing; paths from port to port included
    local top=duality_processor out=build/synth/duality-delay
    mkdir -p "$out"
    printf 'base = "tiny"\nname = "delay"\nfloat = false\n' >"$out/delay.toml"
    bitline gen --unit duality --target generic --config "$out/delay.toml" --out "$out/design" >/dev/null
    # With buffers at the ports: abc gives up without them.
    synthesise_part "$out/design/rtl" "$top" "$out" "" || return 1
    echo '| `tiny`, without `float` | pre-route logic delay |'
    echo '|---|--:|'
    sed -n 's/.*Del = *\([0-9.]*\)\..*/\1/p' "$out/$top.log" | tail -1 | awk '{ printf "| control block and memory unit | %.2f ns |\n", $1 / 1000 }'
}
crossbar_cost() { # LUT and flip-flops of the crossbar of a bank of 256 threads, and of an array beside it
    local k top out=build/synth/crossbar
    mkdir -p "$out"
    echo '| one bank of 256 threads | LUT | FF | RAMB36 | LUT, in arrays |'
    echo '|---|--:|--:|--:|--:|'
    for k in 8 32 256; do
        printf 'base = "cb"\nname = "crossbar_%d"\nbanks = 1\ncrossbar = %d\n' "$k" "$k" >"$out/$k.toml"
        bitline gen --unit duality --target generic --config "$out/$k.toml" --out "$out/$k" >/dev/null
    done
    for top in compute_array crossbar_8 crossbar_32 crossbar_256; do
        k=${top#crossbar_}
        if [ $top = compute_array ]; then k=8; else top=duality_crossbar; fi
        (
            cd "$out/$k/rtl"
            # The module and those in it: the whole unit has large ROMs.
            files="bl_$top.v"
            for _ in 1 2 3; do
                # shellcheck disable=SC2086
                files=$(printf '%s\n' $files $(sed -n 's/^ \{1,\}\(bl_[a-z0-9_]*\) .*/\1.v/p' $files) | sort -u)
            done
            # shellcheck disable=SC2086
            yosys -q -p "read_verilog $(echo $files); synth_xilinx -family xc7 -flatten -abc9 -top bl_$top; tee -q -o ../../$top$k.stat stat -tech xilinx"
        )
    done
    # shellcheck disable=SC1091
    . scripts/cost.sh
    for top in duality_crossbar8 duality_crossbar32 duality_crossbar256 compute_array8; do
        awk -v top="$top" -v array="$(awk "$memory_cells"'NF == 2 && $1 ~ /^(LUT[1-6]|INV)$/ { lut += $2 } NF == 2 { lut += memory($1) * $2 } END { print lut }' "$out/compute_array8.stat")" "$memory_cells"'
            NF == 2 && $1 ~ /^(LUT[1-6]|INV)$/ { lut += $2 }
            NF == 2 { lut += memory($1) * $2 }
            NF == 2 && $1 ~ /^FD/ { ff += $2 }
            NF == 2 && $1 ~ /^RAMB36/ { ram += $2 }
            NF == 2 && $1 ~ /^RAMB18/ { ram += $2 / 2 }
            END {
                what = top == "compute_array8" ? "an array, of which the bank has four" : "crossbar, " substr(top, 17) " threads at a time"
                printf "| %s | %d | %d | %s | %.2f |\n", what, lut, ff, ram + 0, lut / array
            }' "$out/$top.stat"
    done
}
mutants() { # what the bench of the target verilator notices of single changes of the array
    local seed=1 out=build/mutants said
    echo '| preset | seed | single changes | noticed | proven to change nothing | left | noticed of those not proven |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    rm -rf $out
    bitline gen --target verilator --preset tiny --out $out >&2
    said=$(sh $out/mutants.sh 150 "$seed" | tail -2 | tr '\n' ' ')
    awk -v seed="$seed" '{ printf "| `tiny` | %d | %d | %d | %d | %d | %d %% |\n", seed, $1, $3, $5, $10, $(NF - 3) }' <<<"$said"
}
known="coverage mutants cycles energy exhaustive float-cycles float-skip float-papers float-flushed float-peers float-rom bounds scratch exceptions unpacked float-sensing radices radix-cost functions cordic function-errors transfers array-cost tmu-cost compute-cache ccs ccs-system ccs-cost duality duality-ways load crossbar crossbar-cost duality-cost duality-delay lines system report report-cpu cuda cuda-programs cuda-exact cuda-trial cuda-speed cuda-pointers cuda-functions speed cost scaling"
measure() {
    case $1 in
    coverage) coverage ;;
    mutants) mutants ;;
    cycles) bitline sim cycles --summary ;;
    energy) energy ;;
    exhaustive) exhaustive ;;
    float-cycles) float_cycles ;;
    float-skip) float_skip ;;
    float-papers) float_papers ;;
    float-flushed) float_flushed ;;
    float-peers) float_peers ;;
    float-rom) float_rom ;;
    bounds) bounds ;;
    scratch) scratch ;;
    exceptions) exceptions ;;
    unpacked) unpacked ;;
    float-sensing) float_sensing ;;
    radices) bitline sim cycles --radices --width 8,15,16,31,32,64 ;;
    radix-cost) radix_cost ;;
    functions) of_format frcp frsqrt fexp2 fexp flog2 flog fsin fcos ftan ftanh fatan ;;
    cordic) cordic ;;
    function-errors) cargo test --quiet --workspace --lib errors_of_functions -- --nocapture | grep '^|' ;;
    transfers) bitline sim transfers ;;
    array-cost) text ./scripts/synth.sh compute-unit default ;;
    tmu-cost) text ./scripts/synth.sh tmu ;;
    compute-cache) bitline sim cc ;;
    ccs) bitline sim ccs ;;
    ccs-system) ccs_system ;;
    ccs-cost) ccs_cost ;;
    duality) duality ;;
    duality-ways) cargo test --quiet -p bitline-sim --lib duality_cycles_against_ways -- --ignored --nocapture | grep '^|' ;;
    load) cargo test --quiet -p bitline-sim --lib duality_a_load_of_256_threads -- --nocapture | grep '^|' ;;
    crossbar) cargo test --quiet -p bitline-sim --lib duality_words_of_the_crossbar_for_256 -- --nocapture | grep '^|' ;;
    crossbar-cost) crossbar_cost ;;
    duality-cost) duality_cost ;;
    duality-delay) duality_delay ;;
    lines) cargo test --quiet -p bitline-sim --lib duality_lines_that_are_there -- --nocapture | grep '^|' ;;
    system) system ;;
    report) bitline sim cuda-report --figure 6,7,8,9,11,12,13,14 ;;
    report-cpu) bitline sim cuda-report --figure 10 ;;
    cuda) cuda ;;
    cuda-programs) BITLINE_PROGRAM=${BITLINE_PROGRAM:-${BITLINE:-}} ./scripts/cuda-programs.sh ;;
    cuda-exact) cargo test --quiet --workspace --test compile exact::table -- --ignored --nocapture | grep '^|' ;;
    cuda-trial) cuda_trial ;;
    cuda-speed) cuda_speed ;;
    cuda-pointers) cuda_pointers ;;
    cuda-functions) cargo test --quiet --workspace --test compile functions::errors -- --nocapture | grep '^|' ;;
    speed) bitline sim bench ;;
    cost) ./scripts/synth.sh --all ;;
    scaling) bitline sim scaling ;;
    *) echo "figures.sh: $1: must be one of $known" >&2; return 2 ;;
    esac
}
if [ $# = 0 ]; then
    printf '%s\n' $known
    exit 0
fi
mkdir -p docs/results build
for name in "$@"; do
    begin="<!-- begin $name -->"
    end="<!-- end $name -->"
    page=$(grep -lF -- "$begin" docs/*.md README.md | head -1) || true
    new=build/figure.$name
    measure "$name" >"$new"
    if [ ! -s "$new" ]; then
        echo "figures.sh: $name: nothing was printed" >&2
        exit 1
    fi
    # What was measured: the sources, not the pages.
    commit=$(git log -1 --format=%h -- hdl sim scripts templates 2>/dev/null || echo unknown)
    if [ -n "$(git status --porcelain -- hdl sim templates 2>/dev/null)" ]; then commit="$commit with changes"; fi
    { echo "<!-- scripts/figures.sh $name, commit $commit, $(date -u +%F) -->"; cat "$new"; } >"docs/results/$name.md"
    if [ -z "$page" ]; then
        echo "figures.sh: $name: docs/results/$name.md is written; no page shows it: put $begin and $end where it belongs, and run this again" >&2
        rm "$new"
        continue
    fi
    awk -v begin="$begin" -v end="$end" -v file="$new" '
        $0 == end { hidden = 0 }
        !hidden { print }
        $0 == begin { hidden = 1; while ((getline line < file) > 0) print line }' "$page" >"$page.new"
    mv "$page.new" "$page"
    rm "$new"
    echo "$name: docs/results/$name.md and $page"
done
