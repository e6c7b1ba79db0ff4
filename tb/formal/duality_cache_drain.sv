// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// Ways of the Duality Cache's cache that are drained: they are told to be empty only when every set of them was found
// clean since they were taken, with all lines written back, and no line gets into them from then on. One set and one
// way are watched, whichever; whoever deals with sets is free but for what the cache does. WAYS is how
// many ways there are, SET the bits of a set's number.
module proof (
  input wire clk,
  input wire offered, restart, runs, empty, asked, clean, idle,
  input wire [`WAYS-1:0] ways, enabled,
  input wire [`SET-1:0] any_set,
  input wire [`WAYS-1:0] any_way
);
  wire ready, drained, pauses, steps;
  wire [`WAYS-1:0] serving, drains;
  wire [25:0] sweep;

  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;

  `DRAIN dut (
    .clk(clk), .rst(rst), .drain_valid(offered), .drain_ready(ready), .drain_ways(ways), .drained(drained),
    .restart(restart), .enabled(enabled), .serving(serving), .runs(runs), .empty(empty), .asked(asked),
    .pauses(pauses), .steps(steps), .sweep(sweep), .drains(drains), .clean(clean), .idle(idle)
  );

  // The watched set and way; the way is drained, its line in the set may be there, all is written back.
  reg [`SET-1:0] set = 0;
  reg [`WAYS-1:0] way = 0;
  reg drain = 0, mine = 0, held = 0, settled = 0, gone = 0;
  // A set is dealt with, one at a time, from the cycle behind that in which it was asked for.
  reg dealing = 0;
  wire taken = offered && ready;
  always @(posedge clk) begin
    if (rst) {set, way} <= {any_set, any_way};
    dealing <= (dealing || steps) && !clean;
    if (clean && sweep[`SET-1:0] == set) held <= 0;
    // A line may get into a way that serves, in a set that is not dealt with.
    if ((serving & way) != 0 && !dealing) held <= 1;
    settled <= idle && runs && empty;
    if (drained) {drain, mine} <= 0;
    gone <= gone && (enabled & way) != 0;
    if (taken) {drain, mine} <= {1'b1, (ways & way) != 0};
    if (taken && (ways & way) != 0) gone <= 1;
    if (drain && mine && !drained) gone <= 1;
    if (rst || restart) {drain, mine, gone, dealing} <= 0;
  end

  always @* if (running) begin
    // The cache answers for a set that it was asked for, and serves nothing meanwhile.
    assume (!clean || dealing);
    assume (!dealing || !runs);
    assume (way != 0 && (way & (way - 1)) == 0);

    // No line of the way is left when it is empty, and all are written back.
    assert (!(drained && mine) || !held);
    assert (!drained || settled);
    assert (!drained || drain);
    // No line gets into it while it is drained, and afterwards until it was no cache.
    assert (!(drain && mine) || (serving & way) == 0);
    assert (!gone || (serving & way) == 0);
    // One at a time.
    assert (!(taken && drain && !drained));
  end
endmodule
