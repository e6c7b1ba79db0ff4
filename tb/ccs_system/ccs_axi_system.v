// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A processor with a cache compute system on buses: AXI4-Lite to the system, AXI4 from it to memory that makes it wait.
//
//   PicoRV32 --+-- program RAM, 64 KiB, no wait states (look-ahead interface)
//              +-- AXI4-Lite master --- cache compute system --- AXI4 --- memory, 512 KiB
//              +-- console
//
//   0x00000000  memory, through the cache; behind its end every access fails
//   0x40000000  program RAM: instructions and constants
//   0x60000000  console: 0 writes a character; 4 ends the program with a code
//   0x80000000  registers of the cache compute system

`default_nettype none

module ccs_axi_system (
  input  wire clk,
  input  wire rst,
  output wire letter_valid,
  output wire [7:0] letter,
  output wire ended,
  output wire [31:0] code,
  // The processor has stopped, has written to its program, or an access has failed.
  output wire broken
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

  // AXI4-Lite master: one access at a time.
  reg  aw_sent, w_sent, ar_sent;
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire awvalid = access && writes && !aw_sent;
  wire wvalid = access && writes && !w_sent;
  wire arvalid = access && !writes && !ar_sent;
  assign answered = writes ? bvalid : rvalid;
  always @(posedge clk) begin
    if (rst || (access && answered)) {aw_sent, w_sent, ar_sent} <= 3'b000;
    else begin
      if (awvalid && awready) aw_sent <= 1'b1;
      if (wvalid && wready) w_sent <= 1'b1;
      if (arvalid && arready) ar_sent <= 1'b1;
    end
  end

  // To memory.
  wire [31:0] m_araddr, m_awaddr;
  wire [7:0] m_arlen, m_awlen;
  wire m_arvalid, m_arready, m_rvalid, m_rready, m_rlast, m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  wire [127:0] m_rdata, m_wdata;
  wire [15:0] m_wstrb;
  wire [1:0] m_rresp, m_bresp;
  wire [2:0] unused_awsize, unused_arsize, unused_awprot, unused_arprot;
  wire [1:0] unused_awburst, unused_arburst;
  wire [3:0] unused_awcache, unused_arcache;

  bl_ccs_axi_top system (
    .clk(clk), .rst(rst),
    .s_axil_awaddr(address), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(access && writes),
    .s_axil_araddr(address), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(answer), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(access && !writes),
    .irq(irq),
    .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(unused_awsize), .m_axi_awburst(unused_awburst),
    .m_axi_awcache(unused_awcache), .m_axi_awprot(unused_awprot), .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready),
    .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid), .m_axi_wready(m_wready),
    .m_axi_bresp(m_bresp), .m_axi_bvalid(m_bvalid), .m_axi_bready(m_bready),
    .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_arsize(unused_arsize), .m_axi_arburst(unused_arburst),
    .m_axi_arcache(unused_arcache), .m_axi_arprot(unused_arprot), .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready),
    .m_axi_rdata(m_rdata), .m_axi_rresp(m_rresp), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready)
  );

  axi_memory #(.BEATS(32768)) memory (
    .clk(clk), .rst(rst),
    .awaddr(m_awaddr), .awlen(m_awlen), .awvalid(m_awvalid), .awready(m_awready),
    .wdata(m_wdata), .wstrb(m_wstrb), .wlast(m_wlast), .wvalid(m_wvalid), .wready(m_wready),
    .bresp(m_bresp), .bvalid(m_bvalid), .bready(m_bready),
    .araddr(m_araddr), .arlen(m_arlen), .arvalid(m_arvalid), .arready(m_arready),
    .rdata(m_rdata), .rresp(m_rresp), .rlast(m_rlast), .rvalid(m_rvalid), .rready(m_rready)
  );

  assign failed = (bvalid && bresp != 2'b00) || (rvalid && rresp != 2'b00);
endmodule

`default_nettype wire
