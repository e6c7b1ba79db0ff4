// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A memory behind AXI4, 128 bits wide: one read burst and one write burst at a time, with pauses before every beat that look random.
// Behind its end, and nowhere else, it answers with DECERR.

`default_nettype none

module axi_memory #(
  parameter BEATS = 32768
) (
  input  wire         clk,
  input  wire         rst,
  input  wire [31:0]  awaddr,
  input  wire [7:0]   awlen,
  input  wire         awvalid,
  output wire         awready,
  input  wire [127:0] wdata,
  input  wire [15:0]  wstrb,
  input  wire         wlast,
  input  wire         wvalid,
  output wire         wready,
  output reg  [1:0]   bresp,
  output reg          bvalid,
  input  wire         bready,
  input  wire [31:0]  araddr,
  input  wire [7:0]   arlen,
  input  wire         arvalid,
  output wire         arready,
  output reg  [127:0] rdata,
  output reg  [1:0]   rresp,
  output reg          rlast,
  output reg          rvalid,
  input  wire         rready
);
  localparam [1:0] OKAY = 2'b00, DECODE_ERROR = 2'b11;
  localparam AT = $clog2(BEATS);
  localparam [27:0] END = BEATS[27:0];

  reg [127:0] beats [0:BEATS-1];
  // A shift register with feedback: which channels pause.
  reg [15:0] pause;
  always @(posedge clk) pause <= rst ? 16'hace1 : {pause[14:0], pause[15] ^ pause[13] ^ pause[12] ^ pause[10]};
  wire [11:0] unused_pause = pause[15:4];

  // Reads.
  reg reading;
  reg [27:0] read_at;
  reg [7:0] read_left;
  assign arready = !reading && pause[0];
  wire read_moves = reading && (!rvalid || rready) && pause[1];
  wire [3:0] unused_low = araddr[3:0];
  always @(posedge clk) begin
    if (rst) begin
      reading <= 1'b0;
      rvalid <= 1'b0;
    end else begin
      if (rready) rvalid <= 1'b0;
      if (read_moves) begin
        rvalid <= 1'b1;
        rdata <= beats[read_at[AT-1:0]];
        rresp <= read_at < END ? OKAY : DECODE_ERROR;
        rlast <= read_left == 8'd0;
        read_at <= read_at + 28'd1;
        read_left <= read_left - 8'd1;
        reading <= read_left != 8'd0;
      end
      if (arvalid && arready) begin
        reading <= 1'b1;
        read_at <= araddr[31:4];
        read_left <= arlen;
      end
    end
  end

  // Writes.
  reg writing;
  reg [27:0] write_at;
  wire [3:0] unused_write_low = awaddr[3:0];
  wire [7:0] unused_length = awlen;
  assign awready = !writing && !bvalid && pause[2];
  assign wready = writing && pause[3];
  integer k;
  always @(posedge clk) begin
    if (rst) begin
      writing <= 1'b0;
      bvalid <= 1'b0;
    end else begin
      if (bready) bvalid <= 1'b0;
      if (awvalid && awready) begin
        writing <= 1'b1;
        write_at <= awaddr[31:4];
        bresp <= awaddr[31:4] < END ? OKAY : DECODE_ERROR;
      end
      if (wvalid && wready) begin
        write_at <= write_at + 28'd1;
        if (write_at < END) begin
          for (k = 0; k < 16; k = k + 1) if (wstrb[k]) beats[write_at[AT-1:0]][8*k +: 8] <= wdata[8*k +: 8];
        end
        if (wlast) begin
          writing <= 1'b0;
          bvalid <= 1'b1;
        end
      end
    end
  end
endmodule

`default_nettype wire
