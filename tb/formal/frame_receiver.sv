// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// Whatever bytes come: what the receiver offers stays until it is taken; what it offers as good is what came, with both checksums right by a CRC of
// this file's own; words are stored where they belong. Bytes do not come closer than GAP cycles, as no line can bring them.
module proof (
  input wire clk,
  input wire valid, wrong, ready,
  input wire [7:0] data
);
  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;
  wire store, offered, is_write, fixed, busy;
  wire [7:0] index, tag;
  wire [31:0] word, address;
  wire [2:0] status;
  wire [8:0] count;
  bl_frame_receiver dut (
    .clk(clk), .rst(rst), .byte_valid(valid), .byte_wrong(wrong), .byte_(data), .store(store), .store_index(index),
    .store_word(word), .request_valid(offered), .request_ready(ready), .request_status(status), .request_write(is_write),
    .request_fixed(fixed), .request_tag(tag), .request_count(count), .request_address(address), .busy(busy)
  );

  // The line.
  reg [2:0] quiet = 0;
  always @(posedge clk) quiet <= valid || wrong || rst ? 0 : quiet == 7 ? 7 : quiet + 1;
  always @* assume (!(valid && wrong));
  always @* if (valid || wrong) assume (quiet >= `GAP);

  // An offer stays.
  reg was_offered = 0;
  reg [54:0] was;
  wire [54:0] now = {status, is_write, fixed, tag, count, address};
  always @(posedge clk) begin
    was_offered <= running && offered && !ready;
    was <= now;
  end
  always @* if (running && was_offered) assert (offered && now == was && busy);
  always @* if (running && offered && status == 0) begin
    assert (count >= 1 && count <= 256);
    assert (address[1:0] == 0);
  end
  always @* if (running && offered && status == 0) assert (!store);

`ifdef REFERENCE
  function [15:0] step(input [15:0] sum, input [7:0] value);
    integer i;
    begin
      step = sum;
      for (i = 7; i >= 0; i = i - 1)
        step = {step[14:0], 1'b0} ^ (step[15] ^ value[i] ? 16'h1021 : 16'h0000);
    end
  endfunction

  // The frame's bytes by their numbers: 11 of the header, those of words, two of their checksum.
  reg was_busy = 0;
  reg [11:0] number = 0;
  reg [15:0] sum = 16'hffff, shown = 0;
  reg [7:0] last = 0;
  reg [7:0] operation, its_tag;
  reg [15:0] its_count;
  reg [31:0] its_address, its_word;
  reg header_right = 0;
  reg [8:0] words = 0;
  wire starts = busy && !was_busy;
  wire [11:0] at = starts ? 1 : number;
  always @(posedge clk) begin
    was_busy <= running && busy;
    last <= data;
    if (starts) number <= 1;
    if (valid && busy && !offered) begin
      number <= at + 1;
      case (at)
        1: operation <= data;
        2: its_tag <= data;
        3: its_count[7:0] <= data;
        4: its_count[15:8] <= data;
        5: its_address[7:0] <= data;
        6: its_address[15:8] <= data;
        7: its_address[23:16] <= data;
        8: its_address[31:24] <= data;
        9: shown[7:0] <= data;
        10: begin
          shown[15:8] <= data;
          header_right <= {data, shown[7:0]} == sum;
        end
        default: begin
          its_word <= {data, its_word[31:8]};
          shown <= {data, shown[15:8]};
        end
      endcase
      if (at < 9) sum <= step(starts ? step(16'hffff, 8'h5a) : sum, data);
      else if (at == 10) sum <= 16'hffff;
      else if (at > 10 && at < 11 + 4 * its_count) sum <= step(sum, data);
    end else if (starts) begin
      sum <= step(16'hffff, 8'h5a);
    end
    if (starts) words <= 0;
    else if (store) words <= words + 1;
    if (rst) {number, words} <= 0;
  end
`ifdef HEADER
  // A header that is given, its first byte lowest: only words and checksum are free.
  wire [87:0] header = `HEADER;
  always @* if (valid && busy && at < 11) assume (data == header[8 * at +: 8]);
`endif
  always @* if (running && starts) assert (last == 8'h5a);
  always @* if (running && offered && status == 0) begin
    assert (header_right && (operation[6:0] == 1 || operation[6:0] == 2));
    assert (is_write == (operation[6:0] == 2) && fixed == operation[7]);
    assert (tag == its_tag && count == its_count && address == its_address);
    if (!is_write) assert (number == 11 && words == 0);
    if (is_write) assert (number == 13 + 4 * count && words == count && shown == sum);
  end
  always @* if (running && store) assert (word == its_word && index == words[7:0] && words < its_count);
`endif

`ifdef COVER
  always @(posedge clk) begin
    cover (offered && status == 0 && is_write);
    cover (offered && status == 0 && !is_write);
    cover (offered && status == 2);
  end
`endif
endmodule
