//! A real host of a Duality Cache: a processor that nobody here has written runs a C program on the driver that `gen`
//! writes, under Verilator; `tb/host.rs` has what it runs on besides.
//!
//! Kernels are launched from memory, waited for by status and interrupt line, and pushed word by word; one stores where
//! no page is, one is aborted; Compute Cache operations run on lines of the ways, beside a control block and without.

use std::fmt::Write;

use bitline::duality::DualityParams;
use bitline::duality::isa::Program;
use bitline::duality::isa::assemble::assemble;
use bitline::emit::Target;
use bitline::emit::duality::{DRIVER_PATH, HEADER_PATH};
use bitline::emit::unit::{Output, Unit, files};
use bitline::sim::external::tool::{require, run};
use bitline::sim::units::duality::kernels::KERNELS;

use crate::host::{COMPILER, compile, core, modules, simulator, software};

/// The program as constants in C: its words, lowest 32 bits first, and its special registers' places.
fn constants(program: &Program) -> String {
    let mut text = "#define ALIGNED_WORDS __attribute__((aligned(16)))\n".to_string();
    _ = writeln!(text, "enum {{ WORDS = {}, PLACES = {} }};", program.words.len(), program.specials.len());
    text += "static const uint32_t words[4 * WORDS] ALIGNED_WORDS = {\n";
    for word in &program.words {
        let parts = [0, 32, 64, 96].map(|shift| format!("{:#x}u", (word.0 >> shift) as u32));
        _ = writeln!(text, "    {},", parts.join(", "));
    }
    text += "};\nstatic const struct bitline_dc_place places[PLACES] = {\n";
    for (special, slot, row, rows) in &program.specials {
        _ = writeln!(text, "    {{{}, {slot}, {row}, {rows}}},", special.code());
    }
    text + "};\n"
}

#[test]
fn a_processor_launches_kernels_through_the_driver() {
    let tools = [require("verilator"), require(COMPILER)];
    let (Some(core), true) = (core(), tools.iter().all(Option::is_some)) else { return };
    let tiny = DualityParams::preset("tiny").expect("it is there");
    let params = DualityParams { line_operations: true, ..tiny };
    let netlist = params.netlist().expect("legal");
    let design = files(&params, Output { netlist: &netlist, target: Target::Generic, seed: 1 }).expect("it fits");
    let kernel = KERNELS.iter().find(|kernel| kernel.name == "vecadd").expect("it is there");
    let program = assemble(kernel.text, "vecadd", &params).expect("a program");
    let sources = [
        software(&design, HEADER_PATH),
        software(&design, DRIVER_PATH),
        ("program.h".to_string(), constants(&program)),
    ];
    let modules = modules(std::slice::from_ref(&design));
    let simulator = simulator("duality-host", "duality_host/host_system.v", modules, core).display().to_string();
    let folder = tempfile::tempdir().expect("a temporary folder");
    compile("duality_host/firmware.c", &sources, &[], folder.path());
    let said = run(&simulator, &[], folder.path()).unwrap_or_else(|e| panic!("{e}"));
    println!("{said}");
    assert!(said.starts_with("PASS\n"), "{said}");
    compile("duality_host/firmware.c", &sources, &["-DWRONG=1"], folder.path());
    let error = run(&simulator, &[], folder.path()).expect_err("wrong sums are expected").to_string();
    assert!(error.contains("FAIL sum: 0x"), "{error}");
}
