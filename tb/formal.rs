//! Proofs on the emitted Verilog of a tiny design: whatever rows stream in, the sum, difference or product of its
//! columns streams out. A harness sends three commands (load, the operation, store); abc follows design and harness
//! from any contents of registers and memory over all cycles until the last bit is stored, and looks for a
//! contradiction.

pub(crate) mod blocks;

use std::fmt::Write as _;

use bitline::array::blocks::{Top, design_with};
use bitline::isa::microcode::Microcode;
use bitline::isa::operation::{Context, Operation};
use bitline::isa::row::Operand;
use bitline::isa::{Opcode, Set};
use bitline::params::Params;
use bitline::presets::preset;
use bitline::sim::external::tool::require;
use blocks::Proof;

/// One claim: the operation, the width of its operands, and the result in Verilog, of `a` and `b`, which are as wide as
/// the result.
struct Claim {
    opcode: Opcode,
    width: u32,
    result: &'static str,
    holds: bool,
}

/// Cycles from the first to the last beat stored; generous, and checked by the harness itself.
fn cycles(params: &Params, claim: &Claim) -> u32 {
    let operation = Operation::of(claim.opcode, Context::of(params, Set::Fast));
    // Rows are loaded and stored besides.
    70 + 8 * claim.width + operation.cycles(claim.width.into(), 0) as u32
}

fn harness(params: &Params, claim: &Claim) -> String {
    let n = claim.width;
    let operation = Operation::of(claim.opcode, Context::of(params, Set::Fast));
    let rows = operation.extent_of(Operand::D).map_or(0, |e| e.rows.value(n as i32, 0)) as u32;
    let columns = params.columns as u32;
    let last = cycles(params, claim);
    let (load, store, op) = (Opcode::Load.code(), Opcode::Store.code(), claim.opcode.code());
    let mut checks = String::new();
    for column in 0..columns {
        let bits = |from: u32, count: u32| {
            let bits: Vec<String> =
                (0..count).rev().map(|bit| format!("loaded[{}]", (from + bit) * columns + column)).collect();
            format!("{{{{{}{{1'b0}}}}, {}}}", rows - count + 1, bits.join(", "))
        };
        let stored: Vec<String> = (0..rows).rev().map(|bit| format!("stored[{}]", bit * columns + column)).collect();
        let _ = writeln!(checks, "    wire [{rows}:0] a_{column} = {};", bits(0, n));
        let _ = writeln!(checks, "    wire [{rows}:0] b_{column} = {};", bits(n, n));
        let result = claim.result.replace('a', &format!("a_{column}")).replace('b', &format!("b_{column}"));
        let _ = writeln!(checks, "    wire [{rows}:0] want_{column} = {result};");
        let _ = writeln!(
            checks,
            "    always @* if (out == {rows}) assert ({{{}}} == want_{column}[{}:0]);",
            stored.join(", "),
            rows - 1
        );
    }
    format!(
        "module proof(input clk, input [{top}:0] data);
    reg [7:0] cycle = 0;
    reg [1:0] sent = 0;
    reg [7:0] in = 0;
    reg [7:0] out = 0;
    reg [{loads}:0] loaded = 0;
    reg [{stores}:0] stored = 0;
    wire rst = cycle == 0;
    wire cmd_ready, in_ready, out_valid;
    wire [{top}:0] beat;
    wire in_valid = cycle != 0 && in != {beats};
    wire [7:0] op = sent == 0 ? {load} : sent == 1 ? {op} : {store};
    wire [6:0] width = sent == 0 ? {beats} : sent == 1 ? {n} : {rows};
    wire [9:0] a = sent == 2 ? {beats} : 0;
    wire [9:0] d = sent == 0 ? 0 : {beats};
    bl_compute_unit dut(
        .clk(clk), .rst(rst), .cmd_valid(cycle != 0 && sent != 3), .cmd_ready(cmd_ready), .cmd_op(op), .cmd_set(2'd0),
        .cmd_width(width), .cmd_second(7'd0), .cmd_a(a), .cmd_b(10'd{n}), .cmd_d(d), .cmd_e(10'd0), \
        .cmd_s(10'd{scratch}),
        .cmd_key(64'd0), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(data),
        .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tdata(beat));
    always @(posedge clk) begin
        cycle <= cycle + 1;
        if (cycle != 0 && sent != 3 && cmd_ready) sent <= sent + 1;
        if (in_valid && in_ready) begin
            in <= in + 1;
            loaded[in * {columns} +: {columns}] <= data;
        end
        if (out_valid && cycle != 0) begin
            out <= out + 1;
            stored[out * {columns} +: {columns}] <= beat;
        end
    end
{checks}    always @* if (cycle == {last}) assert (out == {rows});
endmodule
",
        top = columns - 1,
        loads = 2 * n * columns - 1,
        stores = rows * columns - 1,
        beats = 2 * n,
        scratch = 2 * n + rows,
    )
}

/// Whether the claim is proven. Files stay in the cache folder.
fn proven(name: &str, claim: &Claim) -> bool {
    let tiny = preset("tiny").unwrap_or_else(|e| panic!("{e}"));
    let params = Params { sets: vec![Set::Fast], rows: 32, ..tiny };
    let code = Microcode::assemble_only(&params, &[Opcode::Load, Opcode::Store, claim.opcode]);
    let netlist = design_with(&params, Top::ComputeUnit, &code).unwrap_or_else(|e| panic!("{e}"));
    Proof::new(name, &harness(&params, claim), &[], &[netlist]).within(cycles(&params, claim) + 1)
}

fn check(name: &str, claim: Claim) {
    if require("yosys").is_none() {
        return;
    }
    assert_eq!(proven(name, &claim), claim.holds, "{name}");
}

#[test]
fn add_is_a_sum() {
    check("add", Claim { opcode: Opcode::AddCarry, width: 8, result: "a + b", holds: true });
}

#[test]
fn sub_is_a_difference() {
    check("sub", Claim { opcode: Opcode::Sub, width: 8, result: "a - b", holds: true });
}

#[test]
fn mul_is_a_product() {
    check("mul", Claim { opcode: Opcode::MulU, width: 4, result: "a * b", holds: true });
}

/// The harness can fail.
#[test]
fn a_wrong_claim_is_refuted() {
    check("wrong", Claim { opcode: Opcode::Sub, width: 2, result: "b - a", holds: false });
}
