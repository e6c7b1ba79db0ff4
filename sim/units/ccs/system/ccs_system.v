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
  // The processor has stopped, has written to its program, or an access has failed.
  output wire broken,
  // A register is written, and a command starts with it. A line is asked for. A step goes to the unit; its results, or a reduction's, leave it.
  // A read is answered.
  output wire sets,
  output wire launches,
  output wire asks,
  output wire steps,
  output wire results,
  output wire replies
);
  wire access, writes, answered, failed, irq;
  wire [31:0] address, wdata, answer;
  wire [3:0] wstrb;

  processor_host host (
    .clk(clk), .rst(rst),
    .access(access), .writes(writes), .address(address), .wdata(wdata), .wstrb(wstrb),
    .answered(answered), .answer(answer), .failed(failed), .irq(irq),
    .letter_valid(letter_valid), .letter(letter), .ended(ended), .code(code), .broken(broken)
  );

  // Cache compute system: a read is asked for once, then waits for its reply.
  wire cpu_ready, cpu_reply, cpu_reply_error;
  reg asked;
  always @(posedge clk) begin
    if (rst || cpu_reply) asked <= 1'b0;
    else if (access && !writes && cpu_ready) asked <= 1'b1;
  end

  wire unused_runs;
  ccs_with_memory memory (
    .runs(unused_runs),
    .clk(clk), .rst(rst),
    .cpu_valid(access && !asked), .cpu_ready(cpu_ready), .cpu_write(writes), .cpu_address(address), .cpu_data(wdata),
    .cpu_strobes(wstrb), .cpu_reply(cpu_reply), .cpu_reply_data(answer), .cpu_reply_error(cpu_reply_error),
    .irq(irq)
  );

  // For the account of a call.
  assign sets = access && writes && cpu_ready && address[31];
  assign launches = sets && address[7:0] == 8'h4c;
  assign asks = memory.read_valid && memory.read_ready;
  assign steps = memory.system.fetch_issue;
  assign results = memory.system.unit_y_valid || memory.system.unit_result_valid;
  assign replies = cpu_reply;

  assign answered = writes ? cpu_ready : cpu_reply;
  assign failed = cpu_reply && cpu_reply_error;
endmodule

`default_nettype wire
