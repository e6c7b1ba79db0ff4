//! What a design can reach, and what is missing.

use std::fmt;

use super::{Coverage, Event};
use crate::campaign::random::seconds;
use crate::isa::assemble::{Assembled, assemble};
use crate::isa::command::ErrorCode;
use crate::isa::microcode::Microcode;
use crate::isa::operation::{Condition, Context, Operation, Variant};
use crate::isa::row::Token;
use crate::isa::word::{Kind, SetupKind, Test, UNKNOWN_ENTRY, flow, setup};
use crate::params::{Latch, Memory, Params};

impl Coverage {
    /// Whether a design can show an event at all, by its parameters and its ROMs.
    pub fn possible(&self, event: Event) -> bool {
        let block_ram = self.params.memory == Memory::BlockRam;
        let any = |test: &dyn Fn(u128) -> bool| self.flow.iter().any(|&word| test(word));
        let kind = |kinds: &[Kind]| any(&|word| kinds.iter().any(|&k| k as u64 == flow::KIND.get(word)));
        let token = |token: Token| any(&|word| flow::TOKEN.get(word) == token as u64);
        match event {
            Event::HazardA | Event::HazardB | Event::LoadInFlight => block_ram,
            Event::BranchWait => kind(&[Kind::AnySkip]),
            Event::ZeroTrips => kind(&[Kind::AnySkip, Kind::KeySkip]),
            Event::Drain => any(&|word| flow::DRAIN.get(word) == 1),
            Event::KeyWait | Event::ScanOne | Event::ScanFour | Event::KeyExhausted => {
                any(&|word| flow::KEYED.get(word) == 1)
            }
            Event::EarlyStop => any(&|word| flow::MAY_STOP.get(word) == 1),
            Event::WidthSet | Event::WidthClear => token(Token::Width),
            Event::KeySet | Event::KeyClear => token(Token::Key),
            Event::OuterOnce | Event::OuterMany => kind(&[Kind::Outer, Kind::InnerOuter]),
            _ => true,
        }
    }

    /// Words of the directory: the word behind it is what unknown opcodes lead to.
    fn directory(&self) -> usize {
        setup::TARGET.get(self.setup[UNKNOWN_ENTRY]) as usize
    }

    /// Setup words that some command can reach, by the ROM itself.
    pub fn reachable_words(&self) -> Vec<bool> {
        let mut reached = vec![false; self.setup.len()];
        let mut open: Vec<usize> = (0..self.directory()).collect();
        while let Some(at) = open.pop() {
            if at >= reached.len() || std::mem::replace(&mut reached[at], true) {
                continue;
            }
            let word = self.setup[at];
            let is = |kind: SetupKind| setup::KIND.get(word) == kind as u64;
            let target = setup::TARGET.get(word) as usize;
            if is(SetupKind::Jump) || is(SetupKind::Guard) || is(SetupKind::GuardSame) {
                open.push(target);
            }
            let never = is(SetupKind::Require) && setup::TEST.get(word) == Test::Never as u64;
            if !never && !is(SetupKind::Jump) && !is(SetupKind::Start) {
                open.push(at + 1);
            }
        }
        reached
    }

    /// What is still missing, in words.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for (address, _) in self.rows.iter().enumerate().filter(|(_, hits)| **hits == 0) {
            missing.push(format!("row {address} ({}) never issued", self.program(address)));
        }
        for (address, (ways, &word)) in self.ways.iter().zip(&self.flow).enumerate() {
            if flow::KIND.get(word) == Kind::Next as u64 {
                continue;
            }
            let kind = flow::KIND.get(word);
            for (at, text) in ["goes back or on into its part", "leaves or skips"].into_iter().enumerate() {
                if ways[at] == 0 && !(at == 0 && self.straight[address]) {
                    missing.push(format!("row {address} ({}), kind {kind}, never {text}", self.program(address)));
                }
            }
        }
        let reachable = self.reachable_words();
        // Without a missing latch nothing leads to the word that refuses for it.
        let latch = self.directory() + 1;
        for (address, reached) in reachable.iter().enumerate() {
            if !reached && address != latch {
                missing.push(format!("setup word {address} is dead"));
            } else if *reached && self.words[address] == 0 {
                missing.push(format!("setup word {address} never executed"));
            }
        }
        for &event in Event::ALL {
            if self.possible(event) && self.events[event as usize] == 0 {
                missing.push(format!("never seen: {}", event.text()));
            }
        }
        for code in ErrorCode::OF_SETUP {
            // A latch is missing only where one is.
            let possible = code != ErrorCode::Latch || reachable[latch];
            if possible && self.refusals[code as usize] == 0 {
                missing.push(format!("never refused with {code:?}"));
            }
        }
        missing
    }

    /// How often something has happened.
    pub fn count(&self, event: Event) -> u64 {
        self.events[event as usize]
    }

    /// Rows that were issued.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The micro-program that a row belongs to.
    pub fn program(&self, address: usize) -> &str {
        self.programs.iter().rev().find(|(_, first)| *first <= address).map_or("", |(name, _)| name)
    }
}

/// Rows at the end of a loop that lead back at no legal width, by the micro-programs themselves: loops written for all
/// widths in a program for one.
pub(super) fn straight(params: &Params, code: &Microcode) -> Vec<bool> {
    let loops = [Kind::Inner, Kind::Outer, Kind::InnerOuter].map(|kind| kind as u64);
    let mut straight: Vec<bool> = code.flow.iter().map(|&word| loops.contains(&flow::KIND.get(word))).collect();
    for &set in &params.sets {
        for opcode in params.opcodes() {
            let context = Context::of(params, set);
            let operation = Operation::of(opcode, context);
            for (at, variant) in operation.variants.iter().enumerate() {
                let earlier = &operation.variants[..at];
                // The first that applies runs, whatever the operands and the mode are.
                let runs_another = |n: u32, m: u32| {
                    let always = |variant: &Variant| !variant.when.iter().any(Condition::beside_widths);
                    earlier.iter().any(|variant| variant.applies(n, m) && always(variant))
                };
                let assembled = assemble(&variant.program, context);
                let Some(origin) = placed(&assembled, code) else { continue };
                let (low, high) = operation.widths;
                for n in (low..=high).filter(|&n| operation.check_width(n).is_ok()) {
                    for m in seconds(&operation, n) {
                        let (n, m) = (u32::from(n), u32::from(m));
                        if variant.applies(n, m) && !runs_another(n, m) {
                            assembled.walk(n, m, n, |row, back| straight[origin + row] &= !back);
                        }
                    }
                }
            }
        }
    }
    straight
}

/// Where a program is in the ROMs; nowhere if a latch is missing for it.
fn placed(assembled: &Assembled, code: &Microcode) -> Option<usize> {
    let named = code.programs.iter().filter(|(name, _)| name == assembled.program.name);
    let is_at = |origin: usize| {
        let words = assembled.encode(origin);
        words.iter().enumerate().all(|(at, &(flow, control))| {
            (code.flow.get(origin + at), code.control.get(origin + at)) == (Some(&flow), Some(&control))
        })
    };
    named.map(|&(_, origin)| origin).find(|&origin| is_at(origin))
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.params;
        let latches: Vec<String> = p.latches.iter().map(|l: &Latch| format!("{l:?}")).collect();
        writeln!(
            f,
            "{} x {} {} {}, latches {}, {} cycles",
            p.rows,
            p.columns,
            p.sensing,
            p.memory,
            latches.join(" "),
            self.cycles
        )?;
        let hit = |counts: &[u64]| counts.iter().filter(|&&c| c > 0).count();
        let reachable = self.reachable_words();
        let words = self.words.iter().zip(&reachable).filter(|(hits, reachable)| **reachable && **hits > 0).count();
        writeln!(f, "  micro-program rows issued   {:6} of {}", hit(&self.rows), self.rows.len())?;
        let branches = self.flow.iter().zip(&self.ways).filter(|(w, _)| flow::KIND.get(**w) != Kind::Next as u64);
        let (all, both) = branches.fold((0, 0), |(all, both), (_, w)| (all + 2, both + hit(w)));
        writeln!(f, "  ways out of loops, branches {both:6} of {all}")?;
        let reachable = reachable.iter().filter(|r| **r).count();
        writeln!(f, "  setup words executed        {words:6} of {reachable}")?;
        for code in ErrorCode::OF_SETUP {
            writeln!(f, "  refused: {:19} {:6}", code.name(), self.refusals[code as usize])?;
        }
        for &event in Event::ALL.iter().filter(|&&e| self.possible(e)) {
            writeln!(f, "  {:33} {:8}", event.text(), self.events[event as usize])?;
        }
        Ok(())
    }
}
