// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A processor with a Duality Cache, for tests.
//
//   PicoRV32 -+-- RAM, 128 KiB --- m_axi --+
//             +-- bridge -- s_axil -- Duality Cache
//             +-- console
//
//   0x00000000  RAM, the same for the processor and for the ways of the cache, which keep lines of it until they are flushed
//   0x20000000  registers of the Duality Cache
//   0x30000000  console: 0 writes a character; 4 ends the program with a code; 8 reads the interrupt line

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
  wire for_cache = valid && address[31:28] == 4'd2;
  wire for_console = valid && address[31:28] == 4'd3;
  wire for_nobody = valid && !for_ram && !for_cache && !for_console;

  wire ram_ready, cache_ready, cache_failed, ram_broken, irq, unused_busy;
  wire [31:0] ram_rdata, cache_rdata;

  assign ready = ram_ready || cache_ready || for_console || for_nobody;
  always @* begin
    rdata = {31'b0, irq};
    if (for_ram) rdata = ram_rdata;
    if (for_cache) rdata = cache_rdata;
  end

  assign letter_valid = for_console && wstrb[0] && address[3:2] == 2'd0;
  assign letter = wdata[7:0];
  assign ended = for_console && wstrb[0] && address[3:2] == 2'd1;
  assign code = wdata;

  always @(posedge clk) begin
    if (!resetn) broken <= 1'b0;
    else if (trap || for_nobody || cache_failed || ram_broken) broken <= 1'b1;
  end

  wire [10:0] l_awaddr, l_araddr;
  wire l_awvalid, l_awready, l_wvalid, l_wready, l_bvalid, l_bready, l_arvalid, l_arready, l_rvalid, l_rready;
  wire [31:0] l_wdata, l_rdata;
  wire [3:0] l_wstrb;
  wire [1:0] l_bresp, l_rresp;

  host_bridge #(.BITS(11)) bridge (
    .clk(clk), .resetn(resetn), .valid(for_cache), .ready(cache_ready), .failed(cache_failed), .address(address[10:0]),
    .wdata(wdata), .wstrb(wstrb), .rdata(cache_rdata),
    .m_axil_awaddr(l_awaddr), .m_axil_awvalid(l_awvalid), .m_axil_awready(l_awready), .m_axil_wdata(l_wdata), .m_axil_wstrb(l_wstrb),
    .m_axil_wvalid(l_wvalid), .m_axil_wready(l_wready), .m_axil_bresp(l_bresp), .m_axil_bvalid(l_bvalid), .m_axil_bready(l_bready),
    .m_axil_araddr(l_araddr), .m_axil_arvalid(l_arvalid), .m_axil_arready(l_arready), .m_axil_rdata(l_rdata), .m_axil_rresp(l_rresp),
    .m_axil_rvalid(l_rvalid), .m_axil_rready(l_rready)
  );

  wire [31:0] awaddr, araddr;
  wire [63:0] m_wdata, m_rdata, unused_word_data;
  wire [7:0] awlen, arlen, m_wstrb;
  wire [2:0] awsize, arsize, unused_awprot, unused_arprot;
  wire [3:0] unused_awcache, unused_arcache;
  wire [1:0] awburst, arburst, bresp, rresp;
  wire awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready, rlast, rvalid, rready;
  wire unused_word_ready, unused_word_answer, unused_word_failed;

  bl_duality_axi cache (
    .aclk(clk), .aresetn(resetn),
    .s_axil_awaddr(l_awaddr), .s_axil_awvalid(l_awvalid), .s_axil_awready(l_awready), .s_axil_wdata(l_wdata), .s_axil_wstrb(l_wstrb),
    .s_axil_wvalid(l_wvalid), .s_axil_wready(l_wready), .s_axil_bresp(l_bresp), .s_axil_bvalid(l_bvalid), .s_axil_bready(l_bready),
    .s_axil_araddr(l_araddr), .s_axil_arvalid(l_arvalid), .s_axil_arready(l_arready), .s_axil_rdata(l_rdata), .s_axil_rresp(l_rresp),
    .s_axil_rvalid(l_rvalid), .s_axil_rready(l_rready),
    .irq(irq), .busy(unused_busy),
    .word_valid(1'b0), .word_ready(unused_word_ready), .word_address(32'b0), .word_write(1'b0), .word_hint(1'b0), .word_data(64'b0),
    .word_strobes(8'b0), .word_answer(unused_word_answer), .word_answer_data(unused_word_data), .word_answer_failed(unused_word_failed),
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
    .s_axi_awaddr({32'b0, awaddr}), .s_axi_awlen(awlen), .s_axi_awsize(awsize), .s_axi_awburst(awburst), .s_axi_awvalid(awvalid),
    .s_axi_awready(awready), .s_axi_wdata(m_wdata), .s_axi_wstrb(m_wstrb), .s_axi_wlast(wlast), .s_axi_wvalid(wvalid),
    .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid), .s_axi_bready(bready),
    .s_axi_araddr({32'b0, araddr}), .s_axi_arlen(arlen), .s_axi_arsize(arsize), .s_axi_arburst(arburst), .s_axi_arvalid(arvalid),
    .s_axi_arready(arready), .s_axi_rdata(m_rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(rvalid),
    .s_axi_rready(rready)
  );
endmodule

`default_nettype wire
