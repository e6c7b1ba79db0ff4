//! Changed operators, conditions and enables of the netlist itself. Some of them mean the same: `<` for `≤` in a
//! minimum, an enable of a register that matters only while it is enabled. So a tenth may survive; they are printed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::stride;
use bitline::array::blocks::{Top, design};
use bitline::kernel::netlist::{Binary, ExprId, ExprKind, Module, Netlist};
use bitline::params::{Memory, Params, Sensing};
use bitline::sim::campaign::params;
use bitline::sim::campaign::{Bench, Effort, Result, exhaustive, illegal, random, standard};
use bitline::sim::engine::engine;

/// A place in the netlist that can be changed.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// An operator becomes another one.
    Operator(ExprId),
    /// A choice is turned round.
    Choice(ExprId),
    /// A register is always enabled.
    Enable(usize),
}

/// Expressions that something uses.
fn live(module: &Module) -> Vec<ExprId> {
    let mut seen = vec![false; module.exprs.len()];
    let mut open = module.roots();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut seen[id.0 as usize], true) {
            open.extend(module.expr(id).kind.operands());
        }
    }
    (0..seen.len()).filter(|&i| seen[i]).map(|i| ExprId(i as u32)).collect()
}

fn places(netlist: &Netlist) -> Vec<(usize, Place)> {
    let mut places = Vec::new();
    for (index, module) in netlist.modules.iter().enumerate() {
        for id in live(module) {
            match module.expr(id).kind {
                ExprKind::Binary(op, ..) if exchanged(op).is_some() => places.push((index, Place::Operator(id))),
                ExprKind::Mux(..) => places.push((index, Place::Choice(id))),
                _ => {}
            }
        }
        let enabled = module.registers.iter().enumerate().filter(|(_, r)| r.enable.is_some());
        places.extend(enabled.map(|(register, _)| (index, Place::Enable(register))));
    }
    places
}

fn exchanged(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::And => Binary::Or,
        Binary::Or => Binary::And,
        Binary::Xor => Binary::Or,
        Binary::Add => Binary::Sub,
        Binary::Sub => Binary::Add,
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        Binary::Lt => Binary::Le,
        Binary::Le => Binary::Lt,
        Binary::Shl => Binary::Shr,
        Binary::Shr => Binary::Shl,
        Binary::Mul => return None,
    })
}

fn mutated(netlist: &Netlist, (module, place): (usize, Place)) -> Netlist {
    let mut netlist = netlist.clone();
    let module = &mut netlist.modules[module];
    match place {
        Place::Operator(id) => {
            if let ExprKind::Binary(op, ..) = &mut module.exprs[id.0 as usize].kind {
                *op = exchanged(*op).expect("chosen for it");
            }
        }
        Place::Choice(id) => {
            if let ExprKind::Mux(_, one, zero) = &mut module.exprs[id.0 as usize].kind {
                std::mem::swap(one, zero);
            }
        }
        Place::Enable(register) => module.registers[register].enable = None,
    }
    netlist
}

/// Whether any campaign fails on the netlist.
fn noticed(netlist: &Netlist, params: &Params) -> bool {
    let run = || -> Result {
        let mut bench = Bench::new(engine(netlist), params, 4);
        standard(&mut bench, Effort::Sample)?;
        random::every_width(&mut bench, &[1, 2, 3, 5, 8])?;
        illegal::every_rule(&mut bench)?;
        illegal::unknown_codes(&mut bench)?;
        exhaustive::uniform(&mut bench)?;
        standard(&mut bench, Effort::Full)
    };
    // A mutant may do what no design does: then it is noticed too.
    catch_unwind(AssertUnwindSafe(run)).map_or(true, |result| result.is_err())
}

fn all_noticed(sensing: Sensing, memory: Memory, count: usize) {
    let params = params(sensing, memory, 64, 8);
    let seed = 23;
    let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
    let mut places = places(&netlist);
    let total = places.len();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    places.shuffle(&mut rng);
    if stride(2) > 1 {
        places.truncate(count);
    }
    let _: u64 = rng.random();
    let describe = |&(index, place): &(usize, Place)| {
        let module = &netlist.modules[index];
        let what = match place {
            Place::Operator(id) | Place::Choice(id) => format!("{:?}", module.expr(id).kind),
            Place::Enable(register) => module.net(module.registers[register].net).name.clone(),
        };
        format!("{} {place:?} {what}", module.name)
    };
    let survivors: Vec<String> =
        places.iter().filter(|&&place| !noticed(&mutated(&netlist, place), &params)).map(describe).collect();
    println!(
        "{sensing} {memory}, seed {seed}: {} of {} noticed, {total} places",
        places.len() - survivors.len(),
        places.len()
    );
    let text = survivors.join("\n");
    println!("{text}");
    assert!(survivors.len() * 10 <= places.len(), "{text}");
}

#[test]
fn and_nor_behavioural_structure() {
    all_noticed(Sensing::AndNor, Memory::Behavioural, 60);
}

#[test]
fn two_port_block_ram_structure() {
    all_noticed(Sensing::TwoPort, Memory::BlockRam, 60);
}
