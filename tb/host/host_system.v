// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A processor with a compute unit and a compute cache, for tests.
//
//   PicoRV32 -+-- RAM, 128 KiB --- m_axi --+
//             +-- bridge -- s_axil -- compute unit
//             +-- bridge -- s_axil -- compute cache
//             +-- console
//
//   0x00000000  RAM, the same for the processor and for the unit's master
//   0x10000000  compute unit
//   0x20000000  compute cache
//   0x30000000  console: 0 writes a character; 4 ends the program with a code; 8 reads the interrupt lines, unit in bit 0, cache in 1

`default_nettype none

module host_system (
  input  wire clk,
  input  wire resetn,
  output wire letter_valid,
  output wire [7:0] letter,
  output wire ended,
  output wire [31:0] code,
  // The processor has stopped, or somebody has broken a rule of a bus.
  output reg  broken
);
  wire valid, ready, trap;
  wire [31:0] address, wdata;
  wire [3:0] wstrb;
  reg  [31:0] rdata;

  host_processor processor (
    .clk(clk), .resetn(resetn), .trap(trap), .valid(valid), .ready(ready), .address(address), .wdata(wdata), .wstrb(wstrb),
    .rdata(rdata)
  );

  // Who is meant.
  wire for_ram = valid && address[31:17] == 15'b0;
  wire for_unit = valid && address[31:28] == 4'd1;
  wire for_cache = valid && address[31:28] == 4'd2;
  wire for_console = valid && address[31:28] == 4'd3;
  wire for_nobody = valid && !for_ram && !for_unit && !for_cache && !for_console;

  wire ram_ready, unit_ready, cache_ready, unit_failed, cache_failed, ram_broken;
  wire [31:0] ram_rdata, unit_rdata, cache_rdata;
  wire unit_irq, cache_irq, unused_unit_busy, unused_cache_busy, unused_error, unused_tag_any;

  assign ready = ram_ready || unit_ready || cache_ready || for_console || for_nobody;
  always @* begin
    rdata = {30'b0, cache_irq, unit_irq};
    if (for_ram) rdata = ram_rdata;
    if (for_unit) rdata = unit_rdata;
    if (for_cache) rdata = cache_rdata;
  end

  assign letter_valid = for_console && wstrb[0] && address[3:2] == 2'd0;
  assign letter = wdata[7:0];
  assign ended = for_console && wstrb[0] && address[3:2] == 2'd1;
  assign code = wdata;

  always @(posedge clk) begin
    if (!resetn) broken <= 1'b0;
    else if (trap || for_nobody || unit_failed || cache_failed || ram_broken) broken <= 1'b1;
  end

  // The unit.
  wire [6:0] u_awaddr, u_araddr;
  wire u_awvalid, u_awready, u_wvalid, u_wready, u_bvalid, u_bready, u_arvalid, u_arready, u_rvalid, u_rready;
  wire [31:0] u_wdata, u_rdata;
  wire [3:0] u_wstrb;
  wire [1:0] u_bresp, u_rresp;

  host_bridge #(.BITS(7)) unit_bridge (
    .clk(clk), .resetn(resetn), .valid(for_unit), .ready(unit_ready), .failed(unit_failed), .address(address[6:0]), .wdata(wdata),
    .wstrb(wstrb), .rdata(unit_rdata),
    .m_axil_awaddr(u_awaddr), .m_axil_awvalid(u_awvalid), .m_axil_awready(u_awready), .m_axil_wdata(u_wdata), .m_axil_wstrb(u_wstrb),
    .m_axil_wvalid(u_wvalid), .m_axil_wready(u_wready), .m_axil_bresp(u_bresp), .m_axil_bvalid(u_bvalid), .m_axil_bready(u_bready),
    .m_axil_araddr(u_araddr), .m_axil_arvalid(u_arvalid), .m_axil_arready(u_arready), .m_axil_rdata(u_rdata), .m_axil_rresp(u_rresp),
    .m_axil_rvalid(u_rvalid), .m_axil_rready(u_rready)
  );

  wire [63:0] awaddr, m_wdata, araddr, m_rdata;
  wire [7:0] awlen, arlen, m_wstrb;
  wire [2:0] awsize, arsize, unused_awprot, unused_arprot;
  wire [3:0] unused_awcache, unused_arcache;
  wire [1:0] awburst, arburst, bresp, rresp;
  wire awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready, rlast, rvalid, rready;

  bl_compute_axi unit (
    .aclk(clk), .aresetn(resetn),
    .s_axil_awaddr(u_awaddr), .s_axil_awvalid(u_awvalid), .s_axil_awready(u_awready), .s_axil_wdata(u_wdata), .s_axil_wstrb(u_wstrb),
    .s_axil_wvalid(u_wvalid), .s_axil_wready(u_wready), .s_axil_bresp(u_bresp), .s_axil_bvalid(u_bvalid), .s_axil_bready(u_bready),
    .s_axil_araddr(u_araddr), .s_axil_arvalid(u_arvalid), .s_axil_arready(u_arready), .s_axil_rdata(u_rdata), .s_axil_rresp(u_rresp),
    .s_axil_rvalid(u_rvalid), .s_axil_rready(u_rready),
    .irq(unit_irq), .busy(unused_unit_busy), .error(unused_error), .tag_any(unused_tag_any),
    .m_axi_awaddr(awaddr), .m_axi_awlen(awlen), .m_axi_awsize(awsize), .m_axi_awburst(awburst), .m_axi_awcache(unused_awcache),
    .m_axi_awprot(unused_awprot), .m_axi_awvalid(awvalid), .m_axi_awready(awready),
    .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready),
    .m_axi_bresp(bresp), .m_axi_bvalid(bvalid), .m_axi_bready(bready),
    .m_axi_araddr(araddr), .m_axi_arlen(arlen), .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_arcache(unused_arcache),
    .m_axi_arprot(unused_arprot), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
    .m_axi_rdata(m_rdata), .m_axi_rresp(rresp), .m_axi_rlast(rlast), .m_axi_rvalid(rvalid), .m_axi_rready(rready)
  );

  host_ram ram (
    .clk(clk), .resetn(resetn), .broken(ram_broken),
    .valid(for_ram), .ready(ram_ready), .address(address[16:2]), .wdata(wdata), .wstrb(wstrb), .rdata(ram_rdata),
    .s_axi_awaddr(awaddr), .s_axi_awlen(awlen), .s_axi_awsize(awsize), .s_axi_awburst(awburst), .s_axi_awvalid(awvalid),
    .s_axi_awready(awready), .s_axi_wdata(m_wdata), .s_axi_wstrb(m_wstrb), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid),
    .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
    .s_axi_araddr(araddr), .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arburst(arburst), .s_axi_arvalid(arvalid),
    .s_axi_arready(arready), .s_axi_rdata(m_rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid),
    .s_axi_rready(rready)
  );

  // The cache.
  wire [24:0] c_awaddr, c_araddr;
  wire c_awvalid, c_awready, c_wvalid, c_wready, c_bvalid, c_bready, c_arvalid, c_arready, c_rvalid, c_rready;
  wire [31:0] c_wdata, c_rdata;
  wire [3:0] c_wstrb;
  wire [1:0] c_bresp, c_rresp;

  host_bridge #(.BITS(25)) cache_bridge (
    .clk(clk), .resetn(resetn), .valid(for_cache), .ready(cache_ready), .failed(cache_failed), .address(address[24:0]),
    .wdata(wdata), .wstrb(wstrb), .rdata(cache_rdata),
    .m_axil_awaddr(c_awaddr), .m_axil_awvalid(c_awvalid), .m_axil_awready(c_awready), .m_axil_wdata(c_wdata), .m_axil_wstrb(c_wstrb),
    .m_axil_wvalid(c_wvalid), .m_axil_wready(c_wready), .m_axil_bresp(c_bresp), .m_axil_bvalid(c_bvalid), .m_axil_bready(c_bready),
    .m_axil_araddr(c_araddr), .m_axil_arvalid(c_arvalid), .m_axil_arready(c_arready), .m_axil_rdata(c_rdata), .m_axil_rresp(c_rresp),
    .m_axil_rvalid(c_rvalid), .m_axil_rready(c_rready)
  );

  bl_compute_cache_axi cache (
    .aclk(clk), .aresetn(resetn),
    .s_axil_awaddr(c_awaddr), .s_axil_awvalid(c_awvalid), .s_axil_awready(c_awready), .s_axil_wdata(c_wdata), .s_axil_wstrb(c_wstrb),
    .s_axil_wvalid(c_wvalid), .s_axil_wready(c_wready), .s_axil_bresp(c_bresp), .s_axil_bvalid(c_bvalid), .s_axil_bready(c_bready),
    .s_axil_araddr(c_araddr), .s_axil_arvalid(c_arvalid), .s_axil_arready(c_arready), .s_axil_rdata(c_rdata), .s_axil_rresp(c_rresp),
    .s_axil_rvalid(c_rvalid), .s_axil_rready(c_rready),
    .irq(cache_irq), .busy(unused_cache_busy)
  );
endmodule

`default_nettype wire
