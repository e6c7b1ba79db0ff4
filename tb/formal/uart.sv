// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// The receiver gives every byte that the transmitter takes: once, in order, unchanged, in time, and nothing else. Bytes and pauses are free.
module proof (
  input wire clk,
  input wire valid,
  input wire [7:0] data
);
  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;
  wire ready, line, got, wrong;
  wire [7:0] out;
  bl_uart_transmitter transmitter (.clk(clk), .rst(rst), .byte_valid(valid), .byte_ready(ready), .byte_(data), .txd(line));
  bl_uart_receiver receiver (.clk(clk), .rst(rst), .rxd(line), .byte_valid(got), .byte_wrong(wrong), .byte_(out));

  // Bytes that have been taken and not given: at most two, the older one first; cycles since a byte was given with one left.
  reg [1:0] waiting = 0;
  reg [7:0] older, newer;
  reg [7:0] age = 0;
  wire taken = valid && ready;
  always @(posedge clk) begin
    if (rst) begin
      waiting <= 0;
      age <= 0;
    end else begin
      waiting <= waiting + taken - got;
      age <= got || waiting == 0 ? 0 : age + 1;
      if (taken && waiting == got) older <= data;
      else if (got) older <= newer;
      if (taken) newer <= data;
    end
  end

  always @* if (running) begin
    assert (!wrong);
    assert (waiting != 3);
    if (got) assert (waiting != 0 && out == older);
    // Ten bits and what the receiver's registers take.
    assert (age <= 10 * `CYCLES + 4);
  end

`ifdef COVER
  reg [1:0] count = 0;
  always @(posedge clk) if (got && out == 8'ha5 && count != 3) count <= count + 1;
  always @(posedge clk) cover (count == 2);
`endif
endmodule
