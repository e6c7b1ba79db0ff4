// SPDX-License-Identifier: MIT OR Apache-2.0
//
// 128 KiB with a port for the processor and an AXI4 slave, 64 bits wide, for INCR bursts of full beats. It pauses at random times.
// Beats beyond its end get DECERR. Its contents come from firmware.hex in the working folder.

`default_nettype none

module host_ram (
  input  wire clk,
  input  wire resetn,
  // The master has asked for what this slave does not do, or ended a burst at the wrong beat.
  output reg  broken,
  input  wire valid,
  output reg  ready,
  input  wire [16:2] address,
  input  wire [31:0] wdata,
  input  wire [3:0] wstrb,
  output wire [31:0] rdata,
  input  wire [63:0] s_axi_awaddr,
  input  wire [7:0] s_axi_awlen,
  input  wire [2:0] s_axi_awsize,
  input  wire [1:0] s_axi_awburst,
  input  wire s_axi_awvalid,
  output wire s_axi_awready,
  input  wire [63:0] s_axi_wdata,
  input  wire [7:0] s_axi_wstrb,
  input  wire s_axi_wlast,
  input  wire s_axi_wvalid,
  output wire s_axi_wready,
  output reg  [1:0] s_axi_bresp,
  output reg  s_axi_bvalid,
  input  wire s_axi_bready,
  input  wire [63:0] s_axi_araddr,
  input  wire [7:0] s_axi_arlen,
  input  wire [2:0] s_axi_arsize,
  input  wire [1:0] s_axi_arburst,
  input  wire s_axi_arvalid,
  output wire s_axi_arready,
  output reg  [63:0] s_axi_rdata,
  output reg  [1:0] s_axi_rresp,
  output reg  s_axi_rlast,
  output reg  s_axi_rvalid,
  input  wire s_axi_rready
);
  localparam OKAY = 2'b00, DECERR = 2'b11, INCR = 2'b01;

  reg [63:0] words [0:16383];
  initial $readmemh("firmware.hex", words);

  // Three cycles in four.
  reg [15:0] noise;
  wire go = noise[0] || noise[7];

  // Processor: a word two cycles after the request.
  reg [63:0] found;
  assign rdata = address[2] ? found[63:32] : found[31:0];

  reg reading, writing, missed;
  reg [63:3] read_at, write_at;
  reg [7:0] read_left, write_left;
  wire write_inside = write_at[63:17] == 47'b0;
  integer i;

  assign s_axi_arready = !reading && go;
  assign s_axi_awready = !writing && !s_axi_bvalid && go;
  assign s_axi_wready = writing && go;

  always @(posedge clk) begin
    noise <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
    ready <= valid && !ready;
    found <= words[address[16:3]];
    if (valid && !ready) begin
      for (i = 0; i < 4; i = i + 1) begin
        if (wstrb[i]) words[address[16:3]][{address[2], i[1:0], 3'b0} +: 8] <= wdata[8*i +: 8];
      end
    end
    // Reads.
    if (s_axi_arvalid && s_axi_arready) begin
      reading <= 1'b1;
      read_at <= s_axi_araddr[63:3];
      read_left <= s_axi_arlen;
      if (s_axi_arsize != 3'd3 || s_axi_arburst != INCR || s_axi_araddr[2:0] != 3'b0) broken <= 1'b1;
    end
    if (s_axi_rready) s_axi_rvalid <= 1'b0;
    if (reading && go && (!s_axi_rvalid || s_axi_rready)) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rdata <= words[read_at[16:3]];
      s_axi_rresp <= read_at[63:17] == 47'b0 ? OKAY : DECERR;
      s_axi_rlast <= read_left == 8'd0;
      reading <= read_left != 8'd0;
      read_at <= read_at + 61'd1;
      read_left <= read_left - 8'd1;
    end
    // Writes.
    if (s_axi_awvalid && s_axi_awready) begin
      writing <= 1'b1;
      missed <= 1'b0;
      write_at <= s_axi_awaddr[63:3];
      write_left <= s_axi_awlen;
      if (s_axi_awsize != 3'd3 || s_axi_awburst != INCR || s_axi_awaddr[2:0] != 3'b0) broken <= 1'b1;
    end
    if (s_axi_bready) s_axi_bvalid <= 1'b0;
    if (s_axi_wvalid && s_axi_wready) begin
      for (i = 0; i < 8; i = i + 1) begin
        if (s_axi_wstrb[i] && write_inside) words[write_at[16:3]][8*i +: 8] <= s_axi_wdata[8*i +: 8];
      end
      write_at <= write_at + 61'd1;
      write_left <= write_left - 8'd1;
      missed <= missed || !write_inside;
      if (s_axi_wlast != (write_left == 8'd0)) broken <= 1'b1;
      if (s_axi_wlast) begin
        writing <= 1'b0;
        s_axi_bvalid <= 1'b1;
        s_axi_bresp <= missed || !write_inside ? DECERR : OKAY;
      end
    end
    if (!resetn) begin
      noise <= 16'hace1;
      ready <= 1'b0;
      broken <= 1'b0;
      reading <= 1'b0;
      writing <= 1'b0;
      s_axi_rvalid <= 1'b0;
      s_axi_bvalid <= 1'b0;
    end
  end
endmodule

`default_nettype wire
