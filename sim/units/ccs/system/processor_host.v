// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A processor with its program RAM, without wait states (look-ahead interface), and a console; everything else is an access to the outside.
//
//   0x40000000  program RAM, 64 KiB: instructions and constants
//   0x60000000  console: 0 writes a character; 4 ends the program with a code; reads as the interrupt line

`default_nettype none

module processor_host (
  input  wire clk,
  input  wire rst,
  // An access to the outside: stays until it is answered.
  output wire access,
  output wire writes,
  output wire [31:0] address,
  output wire [31:0] wdata,
  output wire [3:0] wstrb,
  input  wire answered,
  input  wire [31:0] answer,
  // An access of its own has failed, in this cycle.
  input  wire failed,
  input  wire irq,
  output wire letter_valid,
  output wire [7:0] letter,
  output wire ended,
  output wire [31:0] code,
  // The processor has stopped, has written to its program, or an access has failed.
  output reg  broken
);
  wire valid, trap;
  wire la_read;
  wire [31:0] la_address;
  wire ready;
  wire [31:0] rdata;

  wire unused_instr, unused_la_write, unused_pcpi_valid, unused_trace_valid;
  wire [31:0] unused_la_wdata, unused_pcpi_insn, unused_rs1, unused_rs2, unused_eoi;
  wire [3:0] unused_la_wstrb;
  wire [35:0] unused_trace;

  picorv32 #(
    .BARREL_SHIFTER(1),
    .ENABLE_FAST_MUL(1),
    .ENABLE_DIV(1),
    .PROGADDR_RESET(32'h4000_0000)
  ) processor (
    .clk(clk), .resetn(!rst), .trap(trap),
    .mem_valid(valid), .mem_instr(unused_instr), .mem_ready(ready), .mem_addr(address), .mem_wdata(wdata), .mem_wstrb(wstrb),
    .mem_rdata(rdata),
    .mem_la_read(la_read), .mem_la_write(unused_la_write), .mem_la_addr(la_address), .mem_la_wdata(unused_la_wdata),
    .mem_la_wstrb(unused_la_wstrb),
    .pcpi_valid(unused_pcpi_valid), .pcpi_insn(unused_pcpi_insn), .pcpi_rs1(unused_rs1), .pcpi_rs2(unused_rs2),
    .pcpi_wr(1'b0), .pcpi_rd(32'b0), .pcpi_wait(1'b0), .pcpi_ready(1'b0),
    .irq(32'b0), .eoi(unused_eoi),
    .trace_valid(unused_trace_valid), .trace_data(unused_trace)
  );

  // Who is meant.
  wire for_program = valid && !address[31] && address[30] && !address[29];
  wire for_console = valid && !address[31] && address[30] && address[29];
  assign access = valid && (address[31] || !address[30]);
  assign writes = wstrb != 4'b0;

  // Program RAM: read a cycle ahead, so that the word is there with the request. The console reads as the interrupt line.
  reg [31:0] instructions [0:16383];
  reg [31:0] word;
  initial $readmemh("firmware.hex", instructions);
  always @(posedge clk) if (la_read) word <= instructions[la_address[15:2]];
  wire [17:0] unused_la = {la_address[31:16], la_address[1:0]};

  assign ready = for_program || for_console || (access && answered);
  assign rdata = access ? answer : for_console ? {31'd0, irq} : word;

  assign letter_valid = for_console && wstrb[0] && !address[2];
  assign letter = wdata[7:0];
  assign ended = for_console && wstrb[0] && address[2];
  assign code = wdata;

  always @(posedge clk) begin
    if (rst) broken <= 1'b0;
    else if (trap || failed || (for_program && writes)) broken <= 1'b1;
  end
endmodule

`default_nettype wire
