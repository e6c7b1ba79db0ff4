// SPDX-License-Identifier: MIT OR Apache-2.0
//
// PicoRV32's memory interface to AXI4-Lite, one access at a time. The processor holds its request until ready is 1.

`default_nettype none

module host_bridge #(
  parameter BITS = 7
) (
  input  wire clk,
  input  wire resetn,
  input  wire valid,
  output wire ready,
  // The slave has answered with an error.
  output wire failed,
  input  wire [BITS-1:0] address,
  input  wire [31:0] wdata,
  input  wire [3:0] wstrb,
  output wire [31:0] rdata,
  output wire [BITS-1:0] m_axil_awaddr,
  output wire m_axil_awvalid,
  input  wire m_axil_awready,
  output wire [31:0] m_axil_wdata,
  output wire [3:0] m_axil_wstrb,
  output wire m_axil_wvalid,
  input  wire m_axil_wready,
  input  wire [1:0] m_axil_bresp,
  input  wire m_axil_bvalid,
  output wire m_axil_bready,
  output wire [BITS-1:0] m_axil_araddr,
  output wire m_axil_arvalid,
  input  wire m_axil_arready,
  input  wire [31:0] m_axil_rdata,
  input  wire [1:0] m_axil_rresp,
  input  wire m_axil_rvalid,
  output wire m_axil_rready
);
  wire write = wstrb != 4'b0;
  // What the slave has taken of the request.
  reg address_taken, data_taken;

  assign m_axil_awaddr = address;
  assign m_axil_araddr = address;
  assign m_axil_wdata = wdata;
  assign m_axil_wstrb = wstrb;
  assign m_axil_awvalid = valid && write && !address_taken;
  assign m_axil_wvalid = valid && write && !data_taken;
  assign m_axil_arvalid = valid && !write && !address_taken;
  assign m_axil_bready = 1'b1;
  assign m_axil_rready = 1'b1;
  assign rdata = m_axil_rdata;
  assign ready = valid && (write ? m_axil_bvalid : m_axil_rvalid);
  // An answer to nothing is one, too.
  assign failed = (m_axil_bvalid && (m_axil_bresp != 2'b00 || !valid || !write || !address_taken || !data_taken)) ||
                  (m_axil_rvalid && (m_axil_rresp != 2'b00 || !valid || write || !address_taken));

  always @(posedge clk) begin
    if (!resetn || ready) begin
      address_taken <= 1'b0;
      data_taken <= 1'b0;
    end else begin
      if ((m_axil_awvalid && m_axil_awready) || (m_axil_arvalid && m_axil_arready)) address_taken <= 1'b1;
      if (m_axil_wvalid && m_axil_wready) data_taken <= 1'b1;
    end
  end
endmodule

`default_nettype wire
