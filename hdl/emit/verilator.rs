//! A test bench for Verilator on the documented top of a compute unit: registers, interrupts, queue, errors, resets,
//! the vectors with their busy cycles, and memory where the design has a way to it.

use super::output::Files;
use super::vectors::VECTORS;
use super::{render, unit};
use crate::error::{Error, Result};
use crate::kernel::netlist::{Direction, Net, Netlist};
use bitline_model::vectors::Case;
use bitline_units::array::isa::operation::{Context, Operation};
use bitline_units::array::isa::transfer::{LOAD_MEMORY, widest};
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::{MemoryPort, Params};
use bitline_units::array::registers::{MAGIC, REGISTERS, reset_value};
use bitline_units::regmap::Access;
use serde::Serialize;

const MAKEFILE: &str = include_str!("templates/verilator/Makefile.tera");
const BENCH: &str = include_str!("templates/verilator/bench.cpp.tera");
const TRANSFERS: &str = include_str!("templates/verilator/transfers.cpp.tera");
const TOP: &str = include_str!("templates/verilator/top.h.tera");
const ROWS: &str = include_str!("templates/verilator/rows.h.tera");
const ELEMENTS: &str = include_str!("templates/verilator/elements.h.tera");
const MEMORY: &str = include_str!("templates/verilator/memory.h.tera");
const READER: &str = include_str!("templates/verilator/vectors.h.tera");
const FOUR_STATE: &str = include_str!("templates/verilator/four_state.v.tera");
const MUTANTS: &str = include_str!("templates/verilator/mutants.sh.tera");
const SAME: &str = include_str!("templates/verilator/same.awk.tera");

/// Opcodes of a long command, the first that fits.
const SLOW: [Opcode; 3] = [Opcode::MulU, Opcode::DivU, Opcode::Add];
/// Widths of it: long is enough.
const SLOW_WIDTHS: std::ops::RangeInclusive<u8> = 1..=16;

/// What software sees of a register.
#[derive(Serialize)]
struct RegisterValue {
    name: &'static str,
    offset: u64,
    /// After reset.
    reset: u32,
    /// Bits that read what was written.
    writable: u64,
}

fn register_values(params: &Params) -> Vec<RegisterValue> {
    let bits = |width: usize, lsb: usize| ((1u64 << width) - 1) << lsb;
    let value = |register: &'static bitline_units::regmap::Register| RegisterValue {
        name: register.name,
        offset: register.offset,
        reset: reset_value(params, register),
        writable: register
            .fields
            .iter()
            .filter(|field| field.access == Access::ReadWrite)
            .map(|field| bits(field.bits, field.lsb))
            .sum(),
    };
    REGISTERS.iter().map(value).collect()
}

/// A port of the top.
#[derive(Serialize)]
struct PortView {
    name: String,
    width: u32,
    /// When an output has to be known.
    when: String,
}

/// Inputs and outputs of the top, but for clock and reset.
fn ports(netlist: &Netlist) -> [Vec<PortView>; 2] {
    let top = netlist.top();
    let of = |direction: Direction| top.ports.iter().filter(move |p| p.direction == direction).map(|p| top.net(p.net));
    let valid = |name: &str| {
        // Payload is vouched for by its channel's valid; handshakes and states are always known.
        let offers = of(Direction::Output).filter_map(|net| net.name.strip_suffix("valid"));
        let own = offers.filter(|channel| name.starts_with(*channel)).max_by_key(|channel| channel.len());
        match (name, own) {
            ("tag_any", _) => "tags_known".to_string(),
            (_, Some(channel)) if !name.ends_with("valid") && !name.ends_with("ready") => format!("{channel}valid"),
            _ => "1".into(),
        }
    };
    let view = |net: &Net| PortView { name: net.name.clone(), width: net.width, when: valid(&net.name) };
    let inputs = of(Direction::Input).filter(|net| !["clk", "rst"].contains(&net.name.as_str()));
    [inputs.map(view).collect(), of(Direction::Output).map(view).collect()]
}

/// A command that takes long, its operands from row 1 up.
fn slow(params: &Params) -> Result<Command> {
    let set = params.sets[0];
    let placed = |opcode, width| {
        let operation = Operation::of(opcode, Context::of(params, set));
        let mut command = Command { set, ..Command::new(opcode, width) };
        Case::place(&operation, &mut command, 1);
        command.check(params).is_ok().then_some(command)
    };
    SLOW.iter()
        .flat_map(|&opcode| SLOW_WIDTHS.rev().map(move |width| (opcode, width)))
        .find_map(|(opcode, width)| placed(opcode, width))
        .ok_or_else(|| Error::parameter("rows", params.rows, "must have room for the operands of an addition"))
}

/// Adds bench, Makefile, and a script that measures what the bench notices.
///
/// # Errors
/// [`Error::Parameter`] if nothing fits the rows.
pub fn files(params: &Params, netlist: &Netlist, files: &mut Files) -> Result<()> {
    let mut context = unit::context(params);
    let memory = match params.memory_port {
        MemoryPort::None => "none",
        MemoryPort::Stream => "stream",
        _ => "axi",
    };
    let slow = slow(params)?;
    context.insert("top", &netlist.top().name);
    context.insert("vectors", VECTORS);
    context.insert("memory", memory);
    context.insert("default_set", &(params.sets[0] as u8));
    context.insert("beat_bits", &params.beat_bits());
    context.insert("longest", &if memory == "none" { 64 } else { widest(params) });
    context.insert("load_memory", &LOAD_MEMORY);
    context.insert("register_values", &register_values(params));
    context.insert("copy", &Opcode::Copy.code());
    let [inputs, outputs] = ports(netlist);
    context.insert("inputs", &inputs);
    context.insert("outputs", &outputs);
    context.insert("magic", &format!("{MAGIC:08x}"));
    for opcode in [Opcode::Zero, Opcode::Set, Opcode::Add, Opcode::Eq] {
        context.insert(opcode.name(), &opcode.code());
    }
    context.insert("slow", &slow.opcode.code());
    context.insert("slow_width", &slow.width);
    context.insert("slow_second", &slow.second);
    for (name, row) in [("a", slow.a), ("b", slow.b), ("d", slow.d), ("e", slow.e), ("s", slow.s)] {
        context.insert(format!("slow_{name}"), &row);
    }
    // A cycle in the queue before the unit's own.
    context.insert("entering", &u8::from(memory != "none"));
    let surroundings = match memory {
        "none" => ROWS,
        "stream" => ELEMENTS,
        _ => MEMORY,
    };
    context.insert("surroundings", &render(surroundings, &context));
    context.insert("transfers", &if memory == "axi" { render(TRANSFERS, &context) } else { String::new() });
    for (path, template) in [
        ("bench.cpp", BENCH),
        ("top.h", TOP),
        ("vectors.h", READER),
        ("four_state.v", FOUR_STATE),
        ("Makefile", MAKEFILE),
        ("mutants.sh", MUTANTS),
        ("same.awk", SAME),
    ] {
        files.add(path, render(template, &context));
    }
    Ok(())
}
