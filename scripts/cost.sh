# shellcheck shell=bash
# For synth.sh and scaling.sh, which read this file: a function in awk that gives the LUT of a memory cell of the 7 series. RAM32M, RAM64M and
# dual-port RAM of 128 bits take four, smaller dual-port RAM two.
# shellcheck disable=SC2034
memory_cells='function memory(cell) { return cell ~ /^RAM(32M|64M|128X1D)$/ ? 4 : cell ~ /^RAM(32|64)X1D/ ? 2 : cell ~ /^(RAM(32|64)X1S|SRL)/ ? 1 : 0 }'
