// Rules of AMBA AXI4 (IHI 0022) for the write channels, as assertions. Knows nothing of the design it watches.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.

`default_nettype none
// What the checker counts are variables, not registers of a design.
/* verilator lint_off BLKSEQ */

module axi4_write_checker #(
  parameter BYTES = 8,
  parameter DATA = 8 * BYTES
) (
  input wire             clk,
  input wire             rst,
  input wire [63:0]      awaddr,
  input wire [7:0]       awlen,
  input wire             awvalid,
  input wire             awready,
  input wire [DATA-1:0]  wdata,
  input wire [BYTES-1:0] wstrb,
  input wire             wlast,
  input wire             wvalid,
  input wire             wready,
  input wire [1:0]       bresp,
  input wire             bvalid,
  input wire             bready
);

  int violations /* verilator public_flat_rd */ = 0;
  int bursts /* verilator public_flat_rd */ = 0;
  int errors /* verilator public_flat_rd */ = 0;

  // Where the burst ends, counted from the start of its 4 KiB.
  localparam [19:0] WIDE = 20'(BYTES);
  wire [19:0] first = {8'd0, awaddr[11:0]} / WIDE * WIDE;
  wire [19:0] last = first + (20'(awlen) + 20'd1) * WIDE - 20'd1;

  // Lengths of bursts whose address came, and of those whose data came; either may be ahead.
  int address_lengths[$];
  int data_lengths[$];
  int beats = 0;
  // Bursts with both address and data that have no response yet.
  int complete = 0;
  int address_length;
  int data_length;

  task automatic violated(input string rule);
    violations = violations + 1;
    if (violations == 1) $display("axi4_write_checker: %s", rule);
  endtask

  always @(posedge clk) begin
    if (rst) begin
      address_lengths.delete();
      data_lengths.delete();
      beats = 0;
      complete = 0;
    end else begin
      // A3.3.1: a response only after the burst's address and last data.
      if (bvalid && complete == 0) violated("a write response without a complete burst");
      if (bvalid && bready) begin
        complete = complete - 1;
        if (bresp[1]) errors = errors + 1;
      end
      if (awvalid && awready) begin
        bursts = bursts + 1;
        address_lengths.push_back(int'(awlen) + 1);
      end
      if (wvalid && wready) begin
        beats = beats + 1;
        if (wlast) begin
          data_lengths.push_back(beats);
          beats = 0;
        end
      end
      while (address_lengths.size() != 0 && data_lengths.size() != 0) begin
        address_length = address_lengths.pop_front();
        data_length = data_lengths.pop_front();
        complete = complete + 1;
        // A3.4.1: as many beats as the length says.
        if (address_length != data_length) violated("WLAST is not on the burst's last beat");
      end
      if (address_lengths.size() != 0 && beats > address_lengths[0]) violated("more beats than the burst has");
    end
  end

  assert property (@(posedge clk) !$past(rst) || !(awvalid || wvalid) || rst)
    else violated("a valid is high right after reset");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(awvalid) && !$past(awready)) || awvalid)
    else violated("AWVALID falls before AWREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(awvalid) && !$past(awready)) || ($stable(awaddr) && $stable(awlen)))
    else violated("a write address changes while it waits");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(wvalid) && !$past(wready)) || wvalid)
    else violated("WVALID falls before WREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(wvalid) && !$past(wready)) ||
                   ($stable(wdata) && $stable(wstrb) && $stable(wlast)))
    else violated("write data change while they wait");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(bvalid) && !$past(bready)) || bvalid)
    else violated("BVALID falls before BREADY");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(bvalid) && !$past(bready)) || $stable(bresp))
    else violated("a write response changes while it waits");
  assert property (@(posedge clk) disable iff (rst) !awvalid || last < 20'd4096)
    else violated("a write burst crosses 4 KiB");

endmodule

/* verilator lint_on BLKSEQ */
`default_nettype wire
