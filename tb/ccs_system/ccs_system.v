// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A processor with a cache compute system, to measure programs on.
//
//   PicoRV32 --+-- program RAM, 64 KiB, no wait states (look-ahead interface)
//              +-- cache compute system --- line memory, 512 KiB
//              +-- console
//
//   0x00000000  line memory, through the cache
//   0x40000000  program RAM: instructions and constants
//   0x60000000  console: 0 writes a character; 4 ends the program with a code
//   0x80000000  registers of the cache compute system

`default_nettype none

module ccs_system (
  input  wire clk,
  input  wire rst,
  output wire letter_valid,
  output wire [7:0] letter,
  output wire ended,
  output wire [31:0] code,
  // The processor has stopped, or memory has answered with an error.
  output reg  broken
);
  wire valid, ready, trap;
  wire [31:0] address, wdata;
  wire [3:0] wstrb;
  reg  [31:0] rdata;
  wire la_read;
  wire [31:0] la_address;

  wire unused_instr, unused_la_write, unused_pcpi_valid, unused_trace_valid, unused_irq;
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
  wire for_ccs = valid && (address[31] || !address[30]);

  // Program RAM: read a cycle ahead, so that the word is there with the request.
  reg [31:0] instructions [0:16383];
  reg [31:0] word;
  initial $readmemh("firmware.hex", instructions);
  always @(posedge clk) if (la_read) word <= instructions[la_address[15:2]];
  wire [17:0] unused_la = {la_address[31:16], la_address[1:0]};

  // Cache compute system: a read is asked for once, then waits for its reply.
  wire cpu_ready, cpu_reply, cpu_reply_error;
  wire [31:0] cpu_reply_data;
  wire writes = wstrb != 4'b0;
  reg asked;
  always @(posedge clk) begin
    if (rst || cpu_reply) asked <= 1'b0;
    else if (for_ccs && !writes && cpu_ready) asked <= 1'b1;
  end

  wire unused_runs;
  ccs_with_memory memory (
    .runs(unused_runs),
    .clk(clk), .rst(rst),
    .cpu_valid(for_ccs && !asked), .cpu_ready(cpu_ready), .cpu_write(writes), .cpu_address(address), .cpu_data(wdata),
    .cpu_strobes(wstrb), .cpu_reply(cpu_reply), .cpu_reply_data(cpu_reply_data), .cpu_reply_error(cpu_reply_error),
    .irq(unused_irq)
  );

  assign ready = for_program || for_console || (for_ccs && (writes ? cpu_ready : cpu_reply));
  always @* rdata = for_ccs ? cpu_reply_data : word;

  assign letter_valid = for_console && wstrb[0] && !address[2];
  assign letter = wdata[7:0];
  assign ended = for_console && wstrb[0] && address[2];
  assign code = wdata;

  always @(posedge clk) begin
    if (rst) broken <= 1'b0;
    else if (trap || (for_program && writes) || (cpu_reply && cpu_reply_error)) broken <= 1'b1;
  end
endmodule

`default_nettype wire
