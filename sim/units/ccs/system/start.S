/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From reset to main, and from main to the end of the simulation. */

    .section .text.start
    .globl _start
_start:
    la      sp, stack_top
    la      t0, bss_begin
    la      t1, bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:  call    main
    li      t0, 0x60000000
    sw      a0, 4(t0)
3:  j       3b
