// SPDX-License-Identifier: MIT OR Apache-2.0
//
// PicoRV32 as the systems for tests have it: 32-bit instructions with products and quotients, no interrupts, from address 0.

`default_nettype none

module host_processor (
  input  wire clk,
  input  wire resetn,
  output wire trap,
  output wire valid,
  input  wire ready,
  output wire [31:0] address,
  output wire [31:0] wdata,
  output wire [3:0] wstrb,
  input  wire [31:0] rdata
);
  wire unused_instr, unused_la_read, unused_la_write, unused_pcpi_valid, unused_trace_valid;
  wire [31:0] unused_la_addr, unused_la_wdata, unused_pcpi_insn, unused_rs1, unused_rs2, unused_eoi;
  wire [3:0] unused_la_wstrb;
  wire [35:0] unused_trace;

  picorv32 #(
    .BARREL_SHIFTER(1),
    .ENABLE_FAST_MUL(1),
    .ENABLE_DIV(1),
    .PROGADDR_RESET(32'h0000_0000)
  ) processor (
    .clk(clk), .resetn(resetn), .trap(trap),
    .mem_valid(valid), .mem_instr(unused_instr), .mem_ready(ready), .mem_addr(address), .mem_wdata(wdata), .mem_wstrb(wstrb),
    .mem_rdata(rdata),
    .mem_la_read(unused_la_read), .mem_la_write(unused_la_write), .mem_la_addr(unused_la_addr), .mem_la_wdata(unused_la_wdata),
    .mem_la_wstrb(unused_la_wstrb),
    .pcpi_valid(unused_pcpi_valid), .pcpi_insn(unused_pcpi_insn), .pcpi_rs1(unused_rs1), .pcpi_rs2(unused_rs2),
    .pcpi_wr(1'b0), .pcpi_rd(32'b0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
    .irq(32'b0), .eoi(unused_eoi),
    .trace_valid(unused_trace_valid), .trace_data(unused_trace)
  );
endmodule

`default_nettype wire
