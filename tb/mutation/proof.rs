//! Whether a changed module does the same as the original one whatever is around it: yosys makes a circuit of both with
//! the same inputs, and abc proves that no output ever differs, in any number of cycles from reset.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use bitline::isa::uop::{D, LATCHES, Next, SECOND, Second, WriteBack, X, Y};
use bitline::isa::word::{Field, control};
use bitline::kernel::netlist::{
    Direction, Driver, Expr, ExprId, ExprKind, Memory, Module, Net, NetId, Netlist, Port, Read,
};
use bitline::params::{Columns, Params};
use bitline::sim::external::tool::require;

use crate::formal::blocks::Proof;

/// The module alone: what enters its memories and instances leaves it, and what comes from them comes in. Addresses and
/// data count only where they are used.
fn alone(module: &Module, name: &str) -> Netlist {
    let mut m = Module { name: name.into(), ..module.clone() };
    for index in 0..m.nets.len() {
        let net = NetId(index as u32);
        match m.nets[index].driver {
            Driver::Memory(..) | Driver::Instance(..) => {
                m.nets[index].driver = Driver::Input;
                m.ports.push(Port { direction: Direction::Input, net });
            }
            _ => {}
        }
    }
    for instance in std::mem::take(&mut m.instances) {
        for net in instance.connections {
            if m.nets[net.0 as usize].driver != Driver::Input && m.ports.iter().all(|port| port.net != net) {
                m.ports.push(Port { direction: Direction::Output, net });
            }
        }
    }
    for memory in std::mem::take(&mut m.memories) {
        for e in used(&mut m, &memory) {
            let Expr { width, signed, .. } = *m.expr(e);
            let net = NetId(m.nets.len() as u32);
            let name = format!("{}_used_{}", memory.name, net.0);
            m.nets.push(Net { name, width, signed, driver: Driver::Expr(e) });
            m.ports.push(Port { direction: Direction::Output, net });
        }
    }
    Netlist { modules: vec![m], arms: vec![] }
}

/// What enters a memory, as far as it counts.
fn used(m: &mut Module, memory: &Memory) -> Vec<ExprId> {
    let mut all = Vec::new();
    for (_, read) in &memory.reads {
        match *read {
            Read::Now { address } => all.push(address),
            Read::Clocked { address, enable } => all.extend([enable, only_if(m, enable, address)]),
            Read::And { select } | Read::Nor { select } => all.push(select),
        }
    }
    if let Some(write) = &memory.write {
        let operands = [Some(write.address), Some(write.data), write.mask];
        all.push(write.enable);
        all.extend(operands.into_iter().flatten().map(|operand| only_if(m, write.enable, operand)));
    }
    all
}

/// The operand where the condition is 1, else 0.
fn only_if(m: &mut Module, condition: ExprId, operand: ExprId) -> ExprId {
    let Expr { width, signed, .. } = *m.expr(operand);
    let mut push = |kind| {
        m.exprs.push(Expr { kind, width, signed });
        ExprId(m.exprs.len() as u32 - 1)
    };
    let zero = push(ExprKind::Const(0u8.into()));
    push(ExprKind::Mux(condition, operand, zero))
}

/// What a module may take for granted of its inputs, as a condition in Verilog. Columns get the codes of their sensing
/// only: the assembler refuses rows with others, and what address generator and issue stage change in a row's codes,
/// complements and cleared latches, are such codes again.
fn granted(module: &Module, params: &Params) -> String {
    if module.name != "bl_column_peripheral" {
        return "1'b1".into();
    }
    let suits = |asked: Option<Columns>| asked.is_none_or(|asked| params.kind().meet(asked));
    let mut fields: Vec<(Field, Vec<u64>)> = vec![
        (control::X, X::ALL.iter().filter(|code| suits(code.columns())).map(|code| code.code()).collect()),
        (control::Y, Y::ALL.iter().filter(|code| suits(code.columns())).map(|code| code.code()).collect()),
        (control::OUT, WriteBack::ALL.iter().filter(|code| suits(code.columns())).map(|code| code.code()).collect()),
        (control::NEXT, Next::ALL.iter().filter(|code| suits(code.columns())).map(|code| code.code()).collect()),
    ];
    if params.kind() == Columns::Radix4 {
        fields.push((SECOND, Second::ALL.iter().map(|code| code.code()).collect()));
    }
    // With radix 4 the second adder's codes stand where others have D's action.
    for latch in LATCHES.iter().filter(|latch| params.kind() != Columns::Radix4 || latch.field != D.field) {
        let is_used = latch.latch.is_none_or(|latch| params.uses(latch));
        let codes = latch.actions.iter().map(|&(_, code)| code).filter(|&code| is_used || code == 0);
        fields.push((latch.field, codes.collect()));
    }
    let one_of = |(field, codes): &(Field, Vec<u64>)| {
        let (top, low) = (field.lsb + field.bits - 1, field.lsb);
        let codes: Vec<String> = codes.iter().map(|code| format!("x_control[{top}:{low}] == {code}")).collect();
        format!("({})", codes.join(" || "))
    };
    fields.iter().map(one_of).collect::<Vec<_>>().join(" && ")
}

/// Both modules with the same inputs; whatever leaves them must be the same from the first reset on.
fn harness(one: &Module, other: &Module, granted: &str) -> String {
    let (mut inputs, mut outputs, mut ports) = (String::new(), String::new(), [String::new(), String::new()]);
    let mut same = vec!["1'b1".to_string()];
    for port in &one.ports {
        let net = one.net(port.net);
        let (name, top) = (&net.name, net.width - 1);
        let ends = match port.direction {
            Direction::Input => {
                let _ = writeln!(inputs, "    input [{top}:0] x_{name},");
                [format!("x_{name}"), format!("x_{name}")]
            }
            Direction::Output => {
                let _ = writeln!(outputs, "    wire [{top}:0] a_{name}, b_{name};");
                same.push(format!("a_{name} == b_{name}"));
                [format!("a_{name}"), format!("b_{name}")]
            }
        };
        for (list, end) in ports.iter_mut().zip(ends) {
            let _ = write!(list, ", .{name}({end})");
        }
    }
    let domain = |m: &Module| {
        let clock = if m.clocked { ", .clk(clk)" } else { "" };
        format!("{clock}{}", if m.resettable { ", .rst(rst)" } else { "" })
    };
    let instance = |m: &Module, name: &str, list: &str| {
        let list = format!("{}{list}", domain(m));
        format!("    {} {name} ({});\n", m.name, list.trim_start_matches(", "))
    };
    format!(
        "module proof (\n{inputs}    input reset,\n    input clk\n);\n{outputs}    reg started = 0;\n    \
         always @(posedge clk) started <= 1;\n    wire rst = reset | !started;\n{}{}    \
         always @* assume ({granted});\n    always @* if (started) assert ({});\nendmodule\n",
        instance(one, "one", &ports[0]),
        instance(other, "other", &ports[1]),
        same.join(" && ")
    )
}

/// Whether the tools are here.
pub(super) fn is_possible() -> bool {
    require("yosys").is_some() && require("yosys-abc").is_some()
}

/// Whether it is proven that the modules do the same.
pub(super) fn same(module: &Module, changed: &Module, params: &Params) -> bool {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let name = format!("mutant-{}", NUMBER.fetch_add(1, Ordering::Relaxed) % 64);
    let [one, other] = [alone(module, "bl_original"), alone(changed, "bl_mutant")];
    let text = harness(one.top(), other.top(), &granted(module, params));
    Proof::new(&name, &text, &[], &[one, other]).proven(20)
}
