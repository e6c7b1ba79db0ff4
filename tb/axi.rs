//! The wrapper for AXI systems beside the bare top, under Icarus on the same random inputs: the same outputs in every
//! cycle.

use bitline::array::blocks::{Top, design};
use bitline::emit::axi::wrapper;
use bitline::emit::compute_unit::KIND;
use bitline::emit::output::Files;
use bitline::emit::unit::context;
use bitline::kernel::netlist::{Direction, Netlist};
use bitline::kernel::verilog::{Header, emit};
use bitline::presets::preset;
use bitline::sim::external::tool::{require, run, write_files};

const AXI_MODULE: &str = KIND.axi_module;
const CYCLES: u32 = 2000;
const SEED: u32 = 1;

/// A bench with both, which prints in how many cycles outputs differed, and in how many a response was taken.
fn bench(netlist: &Netlist) -> String {
    let top = netlist.top();
    let ports = || top.ports.iter().map(|p| (top.net(p.net), p.direction));
    let (mut declared, mut bare, mut wrapped, mut stimulus) = Default::default();
    let add = |text: &mut String, more: String| text.push_str(&more);
    for (net, direction) in ports().filter(|(net, _)| !["clk", "rst"].contains(&net.name.as_str())) {
        let (name, range) = (&net.name, net.width - 1);
        if direction == Direction::Input {
            add(&mut declared, format!("reg [{range}:0] {name};\n"));
            add(&mut bare, format!(", .{name}({name})"));
            add(&mut wrapped, format!(", .{name}({name})"));
            add(&mut stimulus, format!("{name} = {{$random(seed), $random(seed)}};\n"));
        } else {
            add(&mut declared, format!("wire [{range}:0] bare_{name}, wrapped_{name};\n"));
            add(&mut bare, format!(", .{name}(bare_{name})"));
            add(&mut wrapped, format!(", .{name}(wrapped_{name})"));
        }
    }
    let outputs = |of: &str, but: &str| {
        let names = ports().filter(|(net, direction)| *direction == Direction::Output && !net.name.ends_with(but));
        names.map(|(net, _)| format!("{of}_{}", net.name)).collect::<Vec<_>>().join(", ")
    };
    let (name, all_bare, all_wrapped) = (&top.name, outputs("bare", "-"), outputs("wrapped", "-"));
    // Data may be unknown until the first are there.
    let known = outputs("bare", "data");
    format!(
        "module bench;\nreg clk = 0, rst = 1;\ninteger seed = {SEED}, cycle, differ = 0, answered = 0;\n{declared}\
         {name} bare(.clk(clk), .rst(rst){bare});\n{AXI_MODULE} wrapped(.aclk(clk), .aresetn(~rst){wrapped});\n\
         initial begin\nfor (cycle = 0; cycle < {CYCLES}; cycle = cycle + 1) begin\n{stimulus}\
         rst = cycle < 2 || cycle % 500 == 499;\n#1;\n\
         if ({{{all_bare}}} !== {{{all_wrapped}}}) differ = differ + 1;\n\
         if (cycle > 2 && ^{{{known}}} === 1'bx) differ = differ + 1;\n\
         if (bare_s_axil_bvalid === 1'b1 && s_axil_bready) answered = answered + 1;\n\
         clk = 1; #1 clk = 0;\nend\n$display(\"%0d %0d\", differ, answered);\n$finish;\nend\nendmodule\n"
    )
}

#[test]
fn the_wrapper_behaves_as_the_top() {
    if require("iverilog").is_none() {
        return;
    }
    let params = preset("tiny").expect("the preset is there");
    let netlist = design(&params, Top::Registers).expect("it is legal");
    let mut made = Files::default();
    let path = wrapper(AXI_MODULE, &netlist, context(&params), &mut made).expect("the top has AXI ports");
    let mut files = emit(&netlist, &Header::default());
    files.push(("wrapper.v".into(), made.get(&path).expect("it was just made").into()));
    files.push(("bench.v".into(), bench(&netlist)));
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_files(folder.path(), &files).expect("the folder can be written");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let arguments = [&["-g2005", "-s", "bench", "-o", "bench.vvp"], &names[..]].concat();
    run("iverilog", &arguments, folder.path()).expect("Icarus compiles it");
    let said = run("vvp", &["-n", "bench.vvp"], folder.path()).expect("Icarus runs it");
    let numbers: Vec<u32> = said.split_whitespace().map(|n| n.parse().expect("two numbers")).collect();
    assert_eq!(numbers[0], 0, "cycles with different or unknown outputs, seed {SEED}");
    assert!(numbers[1] > 100, "only {} responses", numbers[1]);
}
