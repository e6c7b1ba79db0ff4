//! Exchanges in a warp, 32 neighbours of a block: shuffles, votes, reductions, matches, and barriers of a warp alone;
//! reductions over a barrier of the block.
//!
//! Threads wait until all are at the instruction whom it names, which must agree about that. Lanes that a block does
//! not have take no part, whoever names them. A shuffle from a lane that takes no part is undefined in PTX, and
//! refused. Source: PTX ISA 8.7, `shfl.sync`, `vote.sync`, `redux.sync`, `match.sync`,
//! `bar.warp.sync`.

use super::thread::{Block, Done, Stop, Thread};
use crate::error::Result;
use crate::ptx::ast::{Instruction, Operand, WARP};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word};

impl Block<'_> {
    /// A thread comes to an exchange.
    pub(super) fn bring(&self, thread: &mut Thread, at: usize, it: &Instruction) -> Done<()> {
        let value = |index: usize| self.value(thread, it, index, Type::U32);
        thread.brought = match it.opcode {
            Opcode::Shfl => [value(1)?, value(2)?, value(3)?, value(4)?],
            Opcode::Vote => [self.value(thread, it, 1, Type::Pred)?, 0, 0, value(2)?],
            Opcode::Redux => [value(1)?, 0, 0, value(2)?],
            Opcode::Match => [self.value(thread, it, 1, it.ty())?, 0, 0, value(2)?],
            _ => [0, 0, 0, value(0)?],
        };
        thread.stop = Stop::Warp(at);
        Ok(())
    }

    /// Exchanges in all warps of a block whose threads are there; tells whether any went on.
    ///
    /// # Errors
    ///
    /// Threads that wait for some that never come, a thread that is not among those that it names, a shuffle from a
    /// lane that takes no part.
    pub(super) fn meet(&self, threads: &mut [Thread]) -> Result<bool> {
        let mut met = false;
        for warp in threads.chunks_mut(WARP as usize) {
            for lane in 0..warp.len() {
                let Stop::Warp(at) = warp[lane].stop else { continue };
                let it = &self.kernel.body[at];
                let named = warp[lane].brought[3];
                if named >> lane & 1 == 0 {
                    let reason = format!("lane {lane} is not among those that it names, {named:#x}");
                    return Err(self.error(&warp[lane], it, &reason));
                }
                let mut members = (0..warp.len()).filter(|other| named >> other & 1 == 1);
                if members.all(|other| warp[other].stop == Stop::Warp(at) && warp[other].brought[3] == named) {
                    self.exchange(warp, named, it)?;
                    met = true;
                }
            }
        }
        if !met {
            let waits = threads.iter().find_map(|thread| match thread.stop {
                Stop::Warp(at) => Some((thread, &self.kernel.body[at])),
                _ => None,
            });
            if let Some((thread, it)) = waits {
                let named = thread.brought[3];
                let reason = format!("waits for lanes of its warp that do not come here with the same {named:#x}");
                return Err(self.error(thread, it, &reason));
            }
        }
        Ok(met)
    }

    /// Opens a barrier at which all threads wait that are still there; with the result of its reduction, if it has one.
    pub(super) fn open(&self, threads: &mut [Thread], barrier: &Instruction) {
        let there = |thread: &&mut Thread| thread.running();
        let (mut all, mut holds) = (0, 0);
        for thread in threads.iter_mut().filter(there) {
            thread.stop = Stop::None;
            (all, holds) = (all + 1, holds + thread.brought[0]);
        }
        if !barrier.words.has(Word::Red) {
            return;
        }
        let result = match barrier.words.one_of(&[Word::And, Word::Or]) {
            Some(Word::And) => u64::from(holds == all),
            Some(_) => u64::from(holds > 0),
            None => holds,
        };
        threads.iter_mut().filter(there).for_each(|thread| self.result(thread, barrier, barrier.ty(), result));
    }

    /// The exchange itself.
    fn exchange(&self, warp: &mut [Thread], named: u64, it: &Instruction) -> Result<()> {
        let members: Vec<usize> = (0..warp.len()).filter(|lane| named >> lane & 1 == 1).collect();
        let brought: Vec<u64> = warp.iter().map(|thread| thread.brought[0]).collect();
        let all = members.iter().map(|lane| brought[*lane]);
        for lane in members.iter().copied() {
            let thread = &mut warp[lane];
            thread.stop = Stop::None;
            match it.opcode {
                Opcode::Shfl => {
                    let (from, within) = source(it, lane as i64, thread.brought);
                    if !members.contains(&from) {
                        let reason = format!("lane {lane} reads lane {from}, which takes no part");
                        return Err(self.error(thread, it, &reason));
                    }
                    match it.operands[0] {
                        Operand::Pair(value, predicate) => {
                            self.put(thread, value, brought[from]);
                            self.put(thread, predicate, u64::from(within));
                        }
                        _ => self.result(thread, it, it.ty(), brought[from]),
                    }
                }
                Opcode::Vote => {
                    let (some, every) = (all.clone().any(|vote| vote == 1), all.clone().all(|vote| vote == 1));
                    let result = match it.words.one_of(&[Word::All, Word::Any, Word::Uni]) {
                        Some(Word::All) => u64::from(every),
                        Some(Word::Any) => u64::from(some),
                        Some(_) => u64::from(every || !some),
                        None => members.iter().map(|lane| brought[*lane] << lane).sum(),
                    };
                    self.result(thread, it, it.ty(), result);
                }
                Opcode::Redux => {
                    let result = all.clone().reduce(|a, b| reduced(it, a, b)).unwrap_or(0);
                    self.result(thread, it, it.ty(), result);
                }
                Opcode::Match => {
                    let same = |lane: &usize| brought[*lane] == thread.brought[0];
                    let lanes = members.iter().filter(|lane| same(lane)).map(|lane| 1 << lane).sum();
                    let whole = members.iter().all(same);
                    let found = if whole || it.words.has(Word::Any) { lanes } else { 0 };
                    match it.operands[0] {
                        Operand::Pair(mask, predicate) => {
                            self.put(thread, mask, found);
                            self.put(thread, predicate, u64::from(whole));
                        }
                        _ => self.result(thread, it, Type::U32, found),
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The lane that a lane reads from, and whether that is the one it asks for.
fn source(it: &Instruction, lane: i64, [_, b, c, _]: [u64; 4]) -> (usize, bool) {
    let (b, clamp, segment) = ((b & 31) as i64, (c & 31) as i64, (c >> 8 & 31) as i64);
    let (last, first) = (lane & segment | clamp & !segment & 31, lane & segment);
    let (from, within) = match it.words.one_of(&[Word::Up, Word::Down, Word::Bfly]) {
        Some(Word::Up) => (lane - b, lane - b >= last),
        Some(Word::Down) => (lane + b, lane + b <= last),
        Some(_) => (lane ^ b, lane ^ b <= last),
        None => (first | b & !segment, first | b & !segment <= last),
    };
    (if within { from } else { lane } as usize, within)
}

/// Two values as one.
fn reduced(it: &Instruction, a: u64, b: u64) -> u64 {
    let signed = it.ty().is_signed();
    let less = if signed { (a as u32 as i32) < b as u32 as i32 } else { a < b };
    let words = [Word::Add, Word::Min, Word::Max, Word::And, Word::Or, Word::Xor];
    match it.words.one_of(&words) {
        Some(Word::Add) => u64::from((a as u32).wrapping_add(b as u32)),
        Some(Word::Min) => {
            if less {
                a
            } else {
                b
            }
        }
        Some(Word::Max) => {
            if less {
                b
            } else {
                a
            }
        }
        Some(Word::And) => a & b,
        Some(Word::Or) => a | b,
        _ => a ^ b,
    }
}
