// SPDX-License-Identifier: MIT OR Apache-2.0
// Copyright The bitline authors. May be used under either licence.
// The instruction ring of the Duality Cache: no word is overwritten before it has run, and none runs twice but in a
// loop. One word of the program is watched, whichever, and bit BIT of it; host and control block are free but for what
// a legal program promises. DEPTH is the design's, a power of two, PLACE the bits of a place.
//
// Three claims are meant; the bounds (BOUNDS) make them provable by induction. What places hold is followed beside the
// ring, since ports do not show it.
module proof (
  input wire clk,
  input wire restart, write_valid, step, away, open,
  input wire [127:0] write_data,
  input wire [7:0] write_trap,
  input wire [17:0] to, behind,
  input wire [17:0] any_number
);
  localparam [17:0] MOST = 18'h10000, DEPTH = `DEPTH;

  wire write_ready, fetch_valid, doorbell;
  wire [127:0] fetch_data;
  wire [7:0] fetch_trap;
  wire fetch_refused;
  wire [17:0] pc, frontier, tail;

  reg running = 0;
  always @(posedge clk) running <= 1;
  wire rst = !running;

  `RING dut (
    .clk(clk), .rst(rst), .restart(restart), .write_valid(write_valid), .write_ready(write_ready),
    .write_data(write_data), .write_trap(write_trap), .fetch_valid(fetch_valid), .fetch_data(fetch_data),
    .fetch_trap(fetch_trap), .fetch_refused(fetch_refused), .pc(pc), .step(step), .to(to), .away(away),
    .open(open), .behind(behind), .frontier(frontier), .tail(tail), .doorbell(doorbell)
  );

  // The watched word.
  reg [17:0] number = 0;
  always @(posedge clk) if (rst) number <= any_number;

  // What host and control block have done: words written, the word that comes next, the outermost open loop.
  reg [17:0] given = 0, due = 0, first = 0, limit = 0;
  reg looping = 0;
  // The watched word was written, nothing was written to its place since, and it has run.
  reg there = 0, ran = 0, value = 0;
  // What the places hold, the word that is read ahead of the one to execute, or for it, and what was read of them.
  reg [`DEPTH-1:0] places = 0;
  reg [17:0] ahead = 0;
  reg read = 0, valid = 0, out = 0, shown = 0;
  wire leads = step && away;
  wire moves = read && (step || !valid);
  wire [17:0] coming = leads ? to : moves ? ahead + 1 : ahead;
  wire write = write_valid && write_ready;
  wire here = given[`PLACE-1:0] == number[`PLACE-1:0];
  always @(posedge clk) begin
    if (write) begin
      given <= given + 1;
      places[given[`PLACE-1:0]] <= write_data[`BIT];
      if (given == number) {there, value} <= {1'b1, write_data[`BIT]};
      else if (here) there <= 0;
    end
    // A word is read until it is there, and then stays until the one before it leaves.
    if (leads || moves || !read) begin
      out <= places[coming[`PLACE-1:0]];
      ahead <= coming;
      read <= coming < given;
    end
    if (moves) shown <= out;
    if (leads) valid <= 0;
    else if (step || !valid) valid <= read;
    if (step) begin
      due <= to;
      if (looping && (to < first || to >= limit)) looping <= 0;
      else if (!looping && open) {looping, first, limit} <= {1'b1, pc, behind};
      if (pc == number) ran <= 1;
    end
    if (rst || restart) {given, due, looping, there, ran, ahead, read, valid} <= 0;
    if (rst) {first, limit} <= 0;
  end
  wire [17:0] oldest = looping ? first : due;
  wire loops = looping && first <= number && number < limit;

  always @* if (running) begin
    // A word runs when it is there. A jump back stays in a loop, which is no longer than the ring and entered by its
    // first word; programs have no more than MOST words.
    assume (!step || fetch_valid);
    assume (!step || to <= MOST);
    assume (!step || away || to == pc + 1);
    assume (!step || (looping ? to >= first : to > pc));
    assume (!(step && open && !looping) || (to < behind && behind <= pc + DEPTH));

    // The watched word is overwritten only behind the oldest word that may run.
    assert (!(write && there && here) || number < oldest);
    // It runs once, or in a loop.
    assert (!(fetch_valid && pc == number && ran) || loops);
    // What runs is what was written.
    assert (!(fetch_valid && pc == number) || (there && fetch_data[`BIT] == value));
`ifdef BOUNDS
    // The program counter goes where it is led, words are counted, and one is taken unless it overwrites what may run.
    assert (pc == due);
    assert (tail == given);
    assert (frontier == oldest);
    assert (doorbell == (given <= oldest + DEPTH / 2));
    assert (write_ready == (!restart && given < MOST && given < oldest + DEPTH));
    assert (oldest <= due && due <= MOST && given <= oldest + DEPTH && given <= MOST);
    assert (!looping || (due < limit && limit <= first + DEPTH));
    assert (fetch_valid == valid && ahead == due + valid);
    assert ((!valid || due < given) && (!read || ahead < given));
    assert (there == (number < given && given <= number + DEPTH));
    assert (!ran || number < oldest || loops);
    assert (!there || places[number[`PLACE-1:0]] == value);
    assert (!valid || pc != number || shown == value);
    assert (!read || ahead != number || out == value);
    assert (!fetch_valid || fetch_data[`BIT] == shown);
`endif
  end
endmodule
