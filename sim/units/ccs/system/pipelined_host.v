// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A pipelined processor with caches, its program RAM, a RAM of its own, and a console; everything else is an access to the outside. The module
// has the ports of processor_host.v and takes its place.
//
//   0x40000000  program RAM, 64 KiB: instructions and constants
//   0x50000000  RAM, 512 KiB, for what the processor does alone
//   0x60000000  console: 0 writes a character; 4 ends the program with a code; reads as the interrupt line
//
// Both RAMs answer every beat of a burst in its cycle. The processor writes through its data cache; from 0x80000000 on it caches nothing.

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
  // The processor has written to its program, or an access has failed.
  output reg  broken
);
  wire fetch, unused_fetch_cycle, unused_fetch_write;
  wire [29:0] fetch_address;
  wire [31:0] unused_fetch_data;
  wire [3:0] unused_fetch_select;
  wire [2:0] unused_fetch_kind;
  wire [1:0] unused_fetch_burst;

  wire asks, unused_cycle, write;
  wire [29:0] word_address;
  wire [3:0] select;
  wire [31:0] rdata;
  wire ready;
  wire [2:0] unused_kind;
  wire [1:0] unused_burst;

  reg [31:0] instructions [0:16383];
  reg [31:0] own [0:131071];
  initial $readmemh("firmware.hex", instructions);

  VexRiscv processor (
    .clk(clk), .reset(rst),
    .externalResetVector(32'h4000_0000), .timerInterrupt(1'b0), .softwareInterrupt(1'b0), .externalInterruptArray(32'b0),
    .iBusWishbone_CYC(unused_fetch_cycle), .iBusWishbone_STB(fetch), .iBusWishbone_ACK(fetch),
    .iBusWishbone_WE(unused_fetch_write), .iBusWishbone_ADR(fetch_address), .iBusWishbone_DAT_MISO(instructions[fetch_address[13:0]]),
    .iBusWishbone_DAT_MOSI(unused_fetch_data), .iBusWishbone_SEL(unused_fetch_select), .iBusWishbone_ERR(1'b0),
    .iBusWishbone_CTI(unused_fetch_kind), .iBusWishbone_BTE(unused_fetch_burst),
    .dBusWishbone_CYC(unused_cycle), .dBusWishbone_STB(asks), .dBusWishbone_ACK(ready),
    .dBusWishbone_WE(write), .dBusWishbone_ADR(word_address), .dBusWishbone_DAT_MISO(rdata),
    .dBusWishbone_DAT_MOSI(wdata), .dBusWishbone_SEL(select), .dBusWishbone_ERR(1'b0),
    .dBusWishbone_CTI(unused_kind), .dBusWishbone_BTE(unused_burst)
  );
  wire [15:0] unused_fetch_address = fetch_address[29:14];

  // Who is meant.
  assign address = {word_address, 2'b00};
  wire at_hand = asks && !address[31] && address[30];
  wire for_program = at_hand && address[29:28] == 2'b00;
  wire for_own = at_hand && address[29:28] == 2'b01;
  wire for_console = at_hand && address[29];
  assign access = asks && (address[31] || !address[30]);
  assign writes = write;
  assign wstrb = write ? select : 4'b0;

  assign ready = at_hand || (access && answered);
  assign rdata = access ? answer : for_console ? {31'd0, irq} : for_own ? own[address[18:2]] : instructions[address[15:2]];

  integer i;
  always @(posedge clk) begin
    for (i = 0; i < 4; i = i + 1) if (for_own && wstrb[i]) own[address[18:2]][8*i +: 8] <= wdata[8*i +: 8];
  end

  assign letter_valid = for_console && wstrb[0] && !address[2];
  assign letter = wdata[7:0];
  assign ended = for_console && wstrb[0] && address[2];
  assign code = wdata;

  always @(posedge clk) begin
    if (rst) broken <= 1'b0;
    else if (failed || (for_program && write)) broken <= 1'b1;
  end
endmodule

`default_nettype wire
