// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// The cache ways of the Duality Cache: what was written into a line is what is written back to memory. One bit of one
// word of one line is watched, whichever the line and the word; it is written once, at any time, and the line's other
// words after that. The first requests, the ways that serve and drains are free; memory does one burst each way at a
// time, without an error and at once, and keeps what it gets. Addresses differ in two bits of their tags, so that a set
// can have more lines than ways. CACHE is the module, WAYS its ways, BIT the bit of the word, REQUESTS (at most 3) how
// many there are. Memories of the cache are 0 at first.
module proof (
  input wire clk,
  input wire valid, write, hint, drain_valid,
  input wire [9:0] place,
  input wire [63:0] data, rdata,
  input wire [7:0] strobes,
  input wire [`WAYS-1:0] drain_ways, any_ways,
  input wire [3:0] any_line,
  input wire [2:0] any_word,
  input wire any_bit
);
  wire ready, awvalid, wvalid, wlast, arvalid, rready, bready;
  wire [31:0] awaddr, araddr;
  wire [63:0] wdata;

  wire [31:0] address = {22'b0, place};

  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;

  // What is watched, and the ways that serve.
  reg [3:0] line = 0;
  reg [2:0] word = 0;
  reg [`WAYS-1:0] ways = 0;
  always @(posedge clk) if (rst) {line, word, ways} <= {any_line, any_word, any_ways};

  // Memory: one burst each way, the watched bit.
  reg reading = 0, read_mine = 0, writing = 0, write_mine = 0, done = 0, memory = 0;
  reg [2:0] read_beat = 0, write_beat = 0;
  wire arready = !reading, rvalid = reading, awready = !(writing || done), wready = writing, bvalid = done;
  wire reads = rvalid && rready, writes = wvalid && wready;
  wire returns = writes && write_mine && write_beat == word;

  // Requests so far.
  reg [1:0] requests = 0;

  // What was written.
  reg stored = 0, value = 0;
  wire taken = valid && ready && write && !hint && place[9:6] == line;
  wire mine = taken && address[5:3] == word && strobes[`BIT / 8];

  `CACHE dut (
    .clk(clk), .rst(rst), .port_valid(valid), .port_ready(ready), .port_address(address), .port_write(write),
    .port_hint(hint), .port_data(data), .port_strobes(strobes), .enabled(ways), .drain_valid(drain_valid),
    .drain_ways(drain_ways), .restart(1'b0), .clear_failed(1'b0),
    .m_axi_awaddr(awaddr), .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_wdata(wdata),
    .m_axi_wlast(wlast), .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_bresp(2'd0), .m_axi_bvalid(bvalid),
    .m_axi_bready(bready), .m_axi_araddr(araddr), .m_axi_arvalid(arvalid), .m_axi_arready(arready),
    .m_axi_rdata(rdata), .m_axi_rresp(2'd0), .m_axi_rlast(read_beat == 7), .m_axi_rvalid(rvalid),
    .m_axi_rready(rready)
  );

  always @(posedge clk) begin
    if (arvalid && arready) {reading, read_mine} <= {1'b1, araddr[31:6] == {22'b0, line}};
    if (reads) read_beat <= read_beat + 1;
    if (reads && read_beat == 7) reading <= 0;
    if (awvalid && awready) {writing, write_mine} <= {1'b1, awaddr[31:6] == {22'b0, line}};
    if (writes) write_beat <= write_beat + 1;
    if (writes && write_beat == 7) {writing, done} <= 2'b01;
    if (bvalid) done <= 0;
    if (returns) memory <= wdata[`BIT];
    if (mine) {stored, value} <= {1'b1, data[`BIT]};
    if (rst) {reading, writing, done, read_beat, write_beat, stored} <= 0;
    if (valid && ready) requests <= requests + 1;
    if (rst) {memory, requests} <= {any_bit, 2'd0};
  end

  always @* if (running) begin
    assume (!(reading && read_mine && read_beat == word) || rdata[`BIT] == memory);
    assume (!valid || requests != `REQUESTS);
    // Nothing of the line is written before the watched bit, and that only once.
    assume (!taken || mine != stored);

    // No write-back has another bit, and none comes before the bit was written.
    assert (!returns || (stored && wdata[`BIT] == value));
    assert (!writes || wlast == (write_beat == 7));
  end
endmodule
