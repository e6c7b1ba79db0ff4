// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// Ways of the Duality Cache become control blocks and caches again: no line is left in a way that is no cache, and no
// wave is left without a cache. Inputs are free but for what cache, register block and launch units promise. WAYS and
// BLOCKS are the design's.
module proof (
  input wire clk,
  input wire write_ways, write_modes, flush, asked, drain_ready, drained,
  input wire [31:0] data,
  input wire [3:0] works,
  input wire [`WAYS-1:0] comes
);
  wire [19:0] ways, enabled, drain_ways;
  wire [3:0] wanted, ready, cut;
  wire [7:0] states;
  wire changed, serves, drain_valid, flushing, flushed, used;

  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;

  bl_duality_modes dut (
    .clk(clk), .rst(rst), .write_ways(write_ways), .write_modes(write_modes), .data(data), .flush(flush),
    .asked(asked), .works(works), .ways(ways), .wanted(wanted), .states(states), .changed(changed), .ready(ready),
    .cut(cut), .enabled(enabled), .serves(serves), .drain_valid(drain_valid), .drain_ways(drain_ways),
    .drain_ready(drain_ready), .drained(drained), .flushing(flushing), .flushed(flushed), .used(used)
  );

  // Ways in which a line may be: one may come wherever a way serves, from the cycle on behind that in which something
  // was asked. Ways that are drained serve no more until they were disabled.
  reg [`WAYS-1:0] held = 0, gone = 0, drains = 0;
  reg draining = 0, requests = 0;
  reg [3:0] had = 0, could = 0;
  wire [`WAYS-1:0] on = enabled[`WAYS-1:0], serving = on & ~gone, offered = drain_ways[`WAYS-1:0];
  wire taken = drain_valid && drain_ready;
  always @(posedge clk) begin
    if (requests) held <= held | (comes & serving);
    if (asked) requests <= 1;
    gone <= gone & on;
    if (draining && !drained) gone <= gone & on | drains;
    if (taken) {draining, drains, gone} <= {1'b1, offered, gone & on | offered};
    if (drained) begin
      held <= held & ~drains;
      draining <= 0;
      if (&drains) requests <= 0;
    end
    had <= works;
    could <= ready;
    if (rst) begin
      {held, gone, drains, draining, requests, had, could} <= 0;
    end
  end

  wire [3:0] left = {states[7], states[5], states[3], states[1]};
  wire [3:0] there = (1 << `BLOCKS) - 1;
  always @* if (running) begin
    // The cache drains what it has taken, one after the other.
    assume (!drained || draining);
    assume (!drain_ready || !draining);
    // The register block refuses the rest.
    assume (!write_ways || (!used && !flushing && works == 0));
    assume (!write_ways || !write_modes);
    assume (!flush || (!flushing && works == 0));
    // A wave begins where it was dealt, in a launch, which begins while some way serves.
    assume ((works & ~(had | could)) == 0);
    assume (!flushing || works == 0);
    assume ((works & ~had) == 0 || serving != 0);

    assert ((held & ~on) == 0);
    assert ((enabled & left) == 0);
    assert ((ready & ~left) == 0);
    assert ((works & ~left) == 0);
    assert ((left & ~there) == 0);
    assert (works == 0 || serving != 0);
  end
endmodule
