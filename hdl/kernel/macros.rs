//! SRAM macros: a netlist in which every larger RAM is an instance of a module of its own, which the macro of a memory
//! compiler can take the place of. What a macro does is what the netlist's memories do; nothing else changes, and no
//! cycle.

use super::arms::Arms;
use super::mem::RamStyle;
use super::netlist::*;

/// What the names of macro modules begin with.
pub const PREFIX: &str = "bl_sram_macro_";

/// Bits from which on a RAM for which the tool chooses is worth a macro.
pub const LEAST_BITS: usize = 2048;

/// A pin of a macro: an operand of its memory in the module around it, or the net that it drives there.
enum Pin {
    Input(ExprId),
    Output(NetId),
}

/// The netlist with macros in the place of its RAMs: those meant for block RAM, and those with [`LEAST_BITS`] bits and
/// more that are not meant for LUT RAM. ROMs stay. RAMs of one shape share a module.
pub fn with_macros(netlist: &Netlist) -> Netlist {
    let mut macros: Vec<Module> = Vec::new();
    let mut modules = netlist.modules.clone();
    for m in &mut modules {
        take_out(m, &mut macros);
    }
    // Children come before their parents; numbers of macros were given from 0 on.
    let moved = macros.len() as u32;
    for instance in modules.iter_mut().flat_map(|m| &mut m.instances) {
        instance.module.0 =
            if instance.module.0 >= MACRO { instance.module.0 - MACRO } else { instance.module.0 + moved };
    }
    // Arms belong to blocks: those of macros have none.
    let arms = vec![Arms::default(); macros.len()].into_iter().chain(netlist.arms.clone()).collect();
    Netlist { modules: macros.into_iter().chain(modules).collect(), arms }
}

/// Numbers of macros begin here as long as it is not known how many there are.
const MACRO: u32 = 1 << 31;

/// Whether a memory becomes a macro.
fn is_macro(memory: &Memory) -> bool {
    let large = memory.width as usize * memory.depth >= LEAST_BITS;
    memory.contents.is_none() && (memory.style == RamStyle::Block || memory.style == RamStyle::Auto && large)
}

fn take_out(m: &mut Module, macros: &mut Vec<Module>) {
    let taken: Vec<Memory> = m.memories.iter().filter(|memory| is_macro(memory)).cloned().collect();
    // The memories that stay have other numbers then.
    m.memories.retain(|memory| !is_macro(memory));
    for (at, memory) in m.memories.iter().enumerate() {
        for (port, (net, _)) in memory.reads.iter().enumerate() {
            m.nets[net.0 as usize].driver = Driver::Memory(at, port);
        }
    }
    for memory in taken {
        let pins = pins(&memory, m);
        let at = number(macros, macro_module(&memory, &pins, m));
        let instance = m.instances.len();
        let mut connections = Vec::new();
        for (port, (name, pin)) in pins.iter().enumerate() {
            connections.push(match *pin {
                Pin::Output(net) => {
                    m.nets[net.0 as usize].driver = Driver::Instance(instance, port);
                    net
                }
                Pin::Input(e) => net_of(m, e, &format!("{}_{name}", memory.name)),
            });
        }
        m.instances.push(Instance { name: memory.name, module: ModuleId(MACRO + at as u32), connections });
    }
}

/// Number of a macro among those that there are; modules that are not quite the same, in widths of addresses, have
/// numbers in their names.
fn number(macros: &mut Vec<Module>, mut module: Module) -> usize {
    let name = module.name.clone();
    for copy in 2.. {
        match macros.iter().position(|known| known.name == module.name) {
            None => break,
            Some(at) if macros[at] == module => return at,
            Some(_) => module.name = format!("{name}_{copy}"),
        }
    }
    macros.push(module);
    macros.len() - 1
}

/// A net with an expression's value.
fn net_of(m: &mut Module, e: ExprId, name: &str) -> NetId {
    if let ExprKind::Net(net) = m.expr(e).kind {
        return net;
    }
    let mut name = name.to_string();
    while m.nets.iter().any(|net| net.name == name)
        || m.memories.iter().any(|memory| memory.name == name)
        || m.instances.iter().any(|instance| instance.name == name)
    {
        name.push('_');
    }
    let Expr { width, signed, .. } = *m.expr(e);
    m.nets.push(Net { name, width, signed, driver: Driver::Expr(e) });
    NetId(m.nets.len() as u32 - 1)
}

/// The low bits of an operand, which are those that the memory looks at.
fn low(m: &mut Module, e: ExprId, width: u32) -> ExprId {
    if m.expr(e).width <= width {
        return e;
    }
    m.exprs.push(Expr { kind: ExprKind::Slice(e, 0), width, signed: false });
    ExprId(m.exprs.len() as u32 - 1)
}

/// Pins of a memory's macro, in the order of its ports.
fn pins(memory: &Memory, m: &mut Module) -> Vec<(String, Pin)> {
    // Beyond the last word, an address of a memory whose depth is no power of two reads 0: all its bits count.
    let bits = if memory.depth.is_power_of_two() { memory.depth.ilog2().max(1) } else { u32::MAX };
    let ports = memory.reads.iter().filter(|(_, r)| matches!(r, Read::Now { .. } | Read::Clocked { .. })).count();
    let mut letters = 'a'..;
    let mut pins = Vec::new();
    for &(net, ref read) in &memory.reads {
        let port = match read {
            Read::And { .. } => "and".to_string(),
            Read::Nor { .. } => "nor".to_string(),
            _ if ports == 1 => "read".to_string(),
            _ => format!("read_{}", letters.next().expect("few ports")),
        };
        match *read {
            Read::Now { address } => pins.push((format!("{port}_address"), Pin::Input(low(m, address, bits)))),
            Read::Clocked { address, enable } => {
                pins.push((format!("{port}_address"), Pin::Input(low(m, address, bits))));
                pins.push((format!("{port}_enable"), Pin::Input(enable)));
            }
            Read::And { select } | Read::Nor { select } => {
                pins.push((format!("{port}_select"), Pin::Input(low(m, select, memory.depth as u32))));
            }
        }
        pins.push((format!("{port}_data"), Pin::Output(net)));
    }
    if let Some(write) = &memory.write {
        let address = low(m, write.address, bits);
        pins.push(("write_address".into(), Pin::Input(address)));
        pins.push(("write_enable".into(), Pin::Input(write.enable)));
        pins.extend(write.mask.map(|mask| ("write_mask".into(), Pin::Input(mask))));
        pins.push(("write_data".into(), Pin::Input(write.data)));
    }
    pins
}

/// The macro's module: the memory, its operands ports.
fn macro_module(memory: &Memory, pins: &[(String, Pin)], around: &Module) -> Module {
    let mut m = Module {
        name: format!("{PREFIX}{}x{}{}", memory.depth, memory.width, kind(memory)),
        summary: format!("{} words of {} bits. {}", memory.depth, memory.width, contract(memory)),
        ports: Vec::new(),
        nets: Vec::new(),
        exprs: Vec::new(),
        registers: Vec::new(),
        memories: Vec::new(),
        instances: Vec::new(),
        clocked: true,
        resettable: false,
    };
    // An operand is a port's value; a read port's net is the output itself.
    let mut operands = Vec::new();
    let mut outputs = Vec::new();
    for (name, pin) in pins {
        let id = NetId(m.nets.len() as u32);
        let (width, signed, direction, driver) = match *pin {
            Pin::Input(e) => (around.expr(e).width, around.expr(e).signed, Direction::Input, Driver::Input),
            Pin::Output(net) => {
                let driver = Driver::Memory(0, outputs.len());
                (around.net(net).width, around.net(net).signed, Direction::Output, driver)
            }
        };
        match pin {
            Pin::Input(_) => {
                m.exprs.push(Expr { kind: ExprKind::Net(id), width, signed });
                operands.push(ExprId(m.exprs.len() as u32 - 1));
            }
            Pin::Output(_) => outputs.push(id),
        }
        m.nets.push(Net { name: name.clone(), width, signed, driver });
        m.ports.push(Port { direction, net: id });
    }
    let mut operands = operands.into_iter();
    let mut next = || operands.next().expect("a pin for every operand");
    let mut reads = Vec::new();
    for ((_, read), &net) in memory.reads.iter().zip(&outputs) {
        let read = match read {
            Read::Now { .. } => Read::Now { address: next() },
            Read::Clocked { .. } => Read::Clocked { address: next(), enable: next() },
            Read::And { .. } => Read::And { select: next() },
            Read::Nor { .. } => Read::Nor { select: next() },
        };
        reads.push((net, read));
    }
    let write = memory.write.as_ref().map(|write| Write {
        address: next(),
        enable: next(),
        mask: write.mask.map(|_| next()),
        data: next(),
    });
    let style = RamStyle::Auto;
    m.memories.push(Memory { name: "words".into(), reads, write, style, ..memory.clone() });
    m
}

/// Ports, as names of macros have them: clocked reads `r`, reads at once `a`, multi-row sensing `s`, writes `w`, with a
/// mask `m`.
fn kind(memory: &Memory) -> String {
    let count = |which: fn(&Read) -> bool| memory.reads.iter().filter(|(_, read)| which(read)).count();
    let clocked = count(|r| matches!(r, Read::Clocked { .. }));
    let now = count(|r| matches!(r, Read::Now { .. }));
    let sensing = count(|r| matches!(r, Read::And { .. } | Read::Nor { .. }));
    let writes = memory.write.iter().count();
    let masks = memory.write.iter().filter(|w| w.mask.is_some()).count();
    [(clocked, "r"), (now, "a"), (sensing, "s"), (writes, "w"), (masks, "m")]
        .into_iter()
        .filter(|&(number, _)| number > 0)
        .map(|(number, letter)| format!("_{number}{letter}"))
        .collect()
}

/// What its ports do, in sentences.
fn contract(memory: &Memory) -> String {
    let has = |which: fn(&Read) -> bool| memory.reads.iter().any(|(_, read)| which(read));
    let mut text = Vec::new();
    if has(|r| matches!(r, Read::Clocked { .. })) {
        text.push("A read with enable gives the word from before the rising edge, and holds it.");
    }
    if has(|r| matches!(r, Read::Now { .. })) {
        text.push("Words are read at once.");
    }
    if has(|r| matches!(r, Read::And { .. } | Read::Nor { .. })) {
        text.push("AND and NOR are over all words selected, at once.");
    }
    if memory.write.is_some() {
        text.push("A write with enable takes effect at the rising edge.");
    }
    if memory.write.as_ref().is_some_and(|w| w.mask.is_some()) {
        text.push("Bits without mask keep their value.");
    }
    if !memory.depth.is_power_of_two() {
        text.push("Words beyond the last one read 0 and take no write.");
    }
    text.push("Contents at power-up: any.");
    text.join(" ")
}
