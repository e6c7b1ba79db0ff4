// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// What every AXI4-Lite slave must do, and what this one says about its registers' side; inputs are free. ADDRESS_BITS is the slave's.
module proof (
  input wire clk,
  input wire [`ADDRESS_BITS-1:0] awaddr, araddr,
  input wire [31:0] wdata, read_value,
  input wire [3:0] wstrb,
  input wire awvalid, wvalid, bready, arvalid, rready, write_ready, read_ready
);
  localparam N = `ADDRESS_BITS - 2;
  wire awready, wready, bvalid, arready, rvalid, write, read;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata, write_data;
  wire [3:0] write_strobes;
  wire [N-1:0] write_number, read_number;

  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;

  `SLAVE dut (
    .clk(clk), .rst(rst),
    .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .write(write), .write_number(write_number), .write_data(write_data), .write_strobes(write_strobes),
    .write_ready(write_ready), .read(read), .read_number(read_number), .read_value(read_value), .read_ready(read_ready)
  );

  // What is under way: addresses and data taken without their response, and what the last of them were.
  reg [1:0] addresses = 0, datas = 0, done = 0, reads = 0;
  reg [N-1:0] last_write, last_read;
  reg [31:0] last_data, last_value;
  reg [3:0] last_strobes;
  reg was_bvalid = 0, was_rvalid = 0, was_write = 0, was_read = 0;
  reg [31:0] was_rdata;
  always @(posedge clk) begin
    addresses <= addresses + (awvalid && awready) - (bvalid && bready);
    datas <= datas + (wvalid && wready) - (bvalid && bready);
    done <= done + (write && write_ready) - (bvalid && bready);
    reads <= reads + (arvalid && arready) - (rvalid && rready);
    if (awvalid && awready) last_write <= awaddr[`ADDRESS_BITS-1:2];
    if (arvalid && arready) last_read <= araddr[`ADDRESS_BITS-1:2];
    if (wvalid && wready) {last_data, last_strobes} <= {wdata, wstrb};
    if (read && read_ready) last_value <= read_value;
    was_bvalid <= bvalid && !bready;
    was_rvalid <= rvalid && !rready;
    was_write <= write && !write_ready;
    was_read <= read && !read_ready;
    was_rdata <= rdata;
    if (rst) begin
      {addresses, datas, done, reads} <= 0;
      {was_bvalid, was_rvalid, was_write, was_read} <= 0;
    end
  end

  always @* if (running) begin
    // A response for each request, never before it, and one done write for each.
    assert (addresses == !awready + bvalid);
    assert (datas == !wready + bvalid);
    assert (done == bvalid);
    assert (reads == !arready + rvalid);
    if (bvalid) assert (addresses != 0 && datas != 0);
    if (rvalid) assert (reads != 0);
    // Valid does not fall before ready, what it is about stays, and it is OKAY.
    if (was_bvalid) assert (bvalid);
    if (was_rvalid) assert (rvalid && rdata == was_rdata);
    assert (bresp == 0 && rresp == 0);
    // The registers' side: what was asked for, once both halves are there and nothing waits, at once; and it stays.
    assert (write == (!awready && !wready && !bvalid));
    assert (read == (!arready && !rvalid));
    if (was_write) assert (write);
    if (was_read) assert (read);
    if (!awready) assert (write_number == last_write);
    if (!wready) assert (write_data == last_data && write_strobes == last_strobes);
    if (!arready) assert (read_number == last_read);
    if (rvalid) assert (rdata == last_value);
  end

  // Nothing is held after reset.
  reg fresh = 1;
  always @(posedge clk) fresh <= rst;
  always @* if (running && fresh) assert (awready && wready && arready && !bvalid && !rvalid && !write && !read);

`ifdef COVER
  always @(posedge clk) begin
    cover (running && bvalid && bready && rvalid && rready);
    cover (running && was_bvalid && awready == 0 && wready == 0);
  end
`endif
endmodule
