// Rules of AMBA AXI4-Lite (IHI 0022) for all five channels, as assertions. Knows nothing of the design it watches.
//
// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.

`default_nettype none
// What the checker counts are variables, not registers of a design.
/* verilator lint_off BLKSEQ */

module axil_checker #(
  parameter ADDRESS = 32,
  parameter DATA = 32
) (
  input wire                clk,
  input wire                rst,
  input wire [ADDRESS-1:0]  awaddr,
  input wire                awvalid,
  input wire                awready,
  input wire [DATA-1:0]     wdata,
  input wire [DATA/8-1:0]   wstrb,
  input wire                wvalid,
  input wire                wready,
  input wire [1:0]          bresp,
  input wire                bvalid,
  input wire                bready,
  input wire [ADDRESS-1:0]  araddr,
  input wire                arvalid,
  input wire                arready,
  input wire [DATA-1:0]     rdata,
  input wire [1:0]          rresp,
  input wire                rvalid,
  input wire                rready
);

  int violations /* verilator public_flat_rd */ = 0;
  // Accesses that were answered, both kinds; and those with an error.
  int bursts /* verilator public_flat_rd */ = 0;
  int errors /* verilator public_flat_rd */ = 0;

  // Addresses and data of writes that were taken, and reads that were, and have no answer yet.
  int addresses = 0;
  int data = 0;
  int reads = 0;

  task automatic violated(input string rule);
    violations = violations + 1;
    if (violations == 1) $display("axil_checker: %s", rule);
  endtask

  always @(posedge clk) begin
    if (rst) begin
      addresses = 0;
      data = 0;
      reads = 0;
    end else begin
      // A3.3.1: an answer only when all of its request was taken, in a cycle before.
      if (bvalid && (addresses == 0 || data == 0)) violated("a write response without its address and data");
      if (rvalid && reads == 0) violated("read data without an address");
      // B1.1.1: there is no exclusive access.
      if (bvalid && bresp == 2'b01) violated("a write response is EXOKAY");
      if (rvalid && rresp == 2'b01) violated("a read response is EXOKAY");
      if (bvalid && bready) begin
        addresses = addresses - 1;
        data = data - 1;
        bursts = bursts + 1;
        if (bresp[1]) errors = errors + 1;
      end
      if (rvalid && rready) begin
        reads = reads - 1;
        bursts = bursts + 1;
        if (rresp[1]) errors = errors + 1;
      end
      if (awvalid && awready) addresses = addresses + 1;
      if (wvalid && wready) data = data + 1;
      if (arvalid && arready) reads = reads + 1;
    end
  end

  // A3.1.2: answers are not offered in the first cycle after reset.
  assert property (@(posedge clk) !$past(rst) || !(bvalid || rvalid) || rst)
    else violated("an answer is offered right after reset");
  // A3.2.1: once valid, until taken; and nothing of it changes.
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(awvalid) && !$past(awready)) || awvalid)
    else violated("AWVALID falls before AWREADY");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(awvalid) && !$past(awready)) || $stable(awaddr))
    else violated("a write address changes while it waits");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(wvalid) && !$past(wready)) || wvalid)
    else violated("WVALID falls before WREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(wvalid) && !$past(wready)) || ($stable(wdata) && $stable(wstrb)))
    else violated("write data change while they wait");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(bvalid) && !$past(bready)) || bvalid)
    else violated("BVALID falls before BREADY");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(bvalid) && !$past(bready)) || $stable(bresp))
    else violated("a write response changes while it waits");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(arvalid) && !$past(arready)) || arvalid)
    else violated("ARVALID falls before ARREADY");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(arvalid) && !$past(arready)) || $stable(araddr))
    else violated("a read address changes while it waits");
  assert property (@(posedge clk) disable iff (rst) $past(rst) || !($past(rvalid) && !$past(rready)) || rvalid)
    else violated("RVALID falls before RREADY");
  assert property (@(posedge clk) disable iff (rst)
                   $past(rst) || !($past(rvalid) && !$past(rready)) || ($stable(rdata) && $stable(rresp)))
    else violated("read data change while they wait");

endmodule

/* verilator lint_on BLKSEQ */
`default_nettype wire
