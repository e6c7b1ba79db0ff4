// Rules of AMBA AXI4 (IHI 0022) for the read channels, as assertions. Knows nothing of the design it watches.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.

`default_nettype none
// What the checker counts are variables, not registers of a design.
/* verilator lint_off BLKSEQ */

module axi4_read_checker #(
  parameter BYTES = 8,
  parameter DATA = 8 * BYTES
) (
  input wire            clk,
  input wire            rst,
  input wire [63:0]     araddr,
  input wire [7:0]      arlen,
  input wire            arvalid,
  input wire            arready,
  input wire [DATA-1:0] rdata,
  input wire [1:0]      rresp,
  input wire            rvalid,
  input wire            rready
);

  int violations /* verilator public_flat_rd */ = 0;
  int bursts /* verilator public_flat_rd */ = 0;
  int errors /* verilator public_flat_rd */ = 0;

  // Beats that the slave owes.
  longint owed = 0;
  // Where the burst ends, counted from the start of its 4 KiB.
  localparam [19:0] WIDE = 20'(BYTES);
  wire [19:0] first = {8'd0, araddr[11:0]} / WIDE * WIDE;
  wire [19:0] last = first + (20'(arlen) + 20'd1) * WIDE - 20'd1;

  task automatic violated(input string rule);
    violations = violations + 1;
    if (violations == 1) $display("axi4_read_checker: %s", rule);
  endtask

  always @(posedge clk) begin
    if (rst) begin
      owed <= 0;
    end else begin
      owed <= owed + (arvalid && arready ? longint'(arlen) + 1 : 0) - (rvalid && rready ? 1 : 0);
      if (arvalid && arready) bursts = bursts + 1;
      if (rvalid && rready && rresp[1]) errors = errors + 1;
    end
  end

  // A3.1.2: valid is low in the first cycle after reset.
  assert property (@(posedge clk) !$past(rst) || !arvalid || rst)
    else violated("ARVALID is high right after reset");
  // A3.2.1: once valid, until taken; and nothing of it changes.
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(arvalid) && !$past(arready)) || arvalid)
    else violated("ARVALID falls before ARREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(arvalid) && !$past(arready)) || ($stable(araddr) && $stable(arlen)))
    else violated("a read address changes while it waits");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(rvalid) && !$past(rready)) || rvalid)
    else violated("RVALID falls before RREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(rvalid) && !$past(rready)) || ($stable(rdata) && $stable(rresp)))
    else violated("read data change while they wait");
  // A3.4.1: a burst must not cross a 4 KiB boundary, nor wrap around the address space.
  assert property (@(posedge clk) disable iff (rst) !arvalid || last < 20'd4096)
    else violated("a read burst crosses 4 KiB");
  // A3.3.1: data only for an address that was taken.
  assert property (@(posedge clk) disable iff (rst) !rvalid || (owed > 0))
    else violated("read data without an address");

endmodule

/* verilator lint_on BLKSEQ */
`default_nettype wire
