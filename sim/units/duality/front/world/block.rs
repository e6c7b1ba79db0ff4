//! A control block around the front: what it does in a cycle, and what it is asked.

use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::SCALARS;
use rand::Rng;

use super::{World, of};
use crate::engine::Engine;
use crate::units::duality::front::plan::End;

/// The word of which a program is said to have no more.
const NO_WORD: u128 = 7;

impl<E: Engine> World<E> {
    /// What becomes of a cycle in a control block.
    pub(super) fn step(&mut self, k: usize, asked: Option<u64>, answered: bool, room: bool) {
        let (start, stop) = (self.get_of("start", k) == 1, self.get_of("stop", k) == 1);
        let fill = self.get_of("fill", k) == 1;
        let written = room && self.get_of("write_valid", k) == 1;
        self.work(k, stop, written);
        self.wave += u64::from(start);
        self.dealt += u64::from(fill);
        self.counts[0] += u64::from(fill);
        let block = &mut self.blocks[k];
        if start {
            (block.running, block.pc, block.frontier, block.tail) = (true, 0, 0, 0);
            (block.stopped, block.wave) = (None, block.dealt);
        }
        match &mut block.filling {
            Some(0) => (block.filling, block.ready) = (None, true),
            Some(cycles) => *cycles -= 1,
            None => {}
        }
        if fill {
            (block.dealt, block.filling) = (self.dealt, Some(self.rng.random_range(0..30)));
        }
        block.ready &= !start;
        if answered {
            block.requests.pop_front();
        }
        block.requests.iter_mut().for_each(|request| request.1 = request.1.saturating_sub(1));
        if let Some(at) = asked {
            let latency = if self.rng.random_range(0..8) == 0 { 40 } else { 2 };
            block.requests.push_back((at as u32, latency));
        }
    }

    /// Looks at what the front asks of a control block in this cycle.
    pub(super) fn look(&mut self, k: usize, asks: Option<u64>, cache_ready: bool, room: bool) {
        let seed = self.seed;
        if let Some(before) = self.blocks[k].offered {
            assert_eq!(asks, Some(before), "seed {seed}: a request that is offered stays");
        }
        self.blocks[k].offered = asks.filter(|_| !cache_ready);
        let Some(plan) = self.plan.clone() else { return };
        let block = self.blocks[k].clone();
        if let Some(at) = asks {
            let writes = self.get_of("cache.write", k) + self.get_of("cache.hint", k);
            assert_eq!(writes, 0, "seed {seed}: programs are only read");
            let word = (at as u32).wrapping_sub(plan.code_at) / 16;
            assert!(!plan.host_fed && (word as usize) < plan.words.len(), "seed {seed}: word {word} is asked for");
        }
        if self.get_of("put", k) == 1 {
            assert!(!block.running && block.ready, "seed {seed}: scalar registers, while no program runs");
            let (number, value) = (self.get_of("put_number", k), self.get_of("put_value", k));
            self.blocks[k].held[number as usize] = Some(value as u32);
        }
        if self.get_of("fill", k) == 1 {
            let free = !block.running && block.filling.is_none() && block.requests.is_empty();
            assert!(free, "seed {seed}: a wave");
            let first = self.dealt * u64::from(plan.at_once);
            let [x, y, _] = plan.grid.map(u64::from);
            let at = ["wave_x", "wave_y", "wave_z"].map(|name| self.get(name));
            assert_eq!(at, [first % x, first / x % y, first / x / y], "seed {seed}: wave {} of {plan:?}", self.dealt);
            let base = |at: usize| u64::from(plan.bases[at].wrapping_add(plan.bases[at + 1].wrapping_mul(k as u32)));
            let bases = [self.get_of("shared_base", k), self.get_of("spill_base", k)];
            assert_eq!(bases, [base(0), base(2)], "seed {seed}: windows and spill rows");
        }
        if block.filling.is_some() {
            let word = plan.specials.get(block.special as usize).copied().unwrap_or(0);
            assert_eq!(
                self.get_of("special_word", k),
                u64::from(word),
                "seed {seed}: special register {}",
                block.special
            );
        }
        if self.get_of("start", k) == 1 {
            assert!(block.ready && !block.running && block.requests.is_empty(), "seed {seed}: a start");
            assert_eq!(self.blocks[k].held, self.scalars.map(Some), "seed {seed}: scalar registers of a wave");
            self.blocks[k].held = [None; SCALARS];
        }
        if room && self.get_of("write_valid", k) == 1 {
            let value = self.engine.value(self.nets[&of("write_data", k)]);
            let word = u128::from(value[0]) | u128::from(value.get(1).copied().unwrap_or(0)) << 64;
            let there = plan.failing.unwrap_or(u32::MAX).min(plan.words.len() as u32);
            let expected = if block.tail < there { plan.words[block.tail as usize] } else { NO_WORD };
            assert_eq!(word, expected, "seed {seed}: word {} of {}", block.tail, plan.words.len());
        }
    }

    /// A cycle of a control block.
    fn work(&mut self, k: usize, stop: bool, written: bool) {
        let block = &mut self.blocks[k];
        let Some(plan) = self.plan.clone().filter(|_| block.running) else { return };
        let there = plan.failing.unwrap_or(u32::MAX).min(plan.words.len() as u32);
        let end = plan.waves[block.wave as usize - 1];
        let (at, goes) = (block.pc, self.rng.random_range(0..3) == 0 && block.pc < block.tail);
        block.tail += u32::from(written);
        if stop && self.rng.random_range(0..10) == 0 {
            self.end(k, Some((Trap::Aborted as u8, at)), Trap::Aborted as u8);
        } else if goes && at >= there {
            // The control block finds that this is no word; the front knows why.
            let why = if plan.failing.is_some() { Trap::Bus } else { Trap::PastEnd };
            self.end(k, Some((Trap::Kind as u8, at)), why as u8);
        } else if goes {
            match end {
                End::Code(last, code) if last == at => self.end(k, None, code),
                End::Trap(last, code) if last == at => self.end(k, Some((code, at)), code),
                End::Past(to) if at + 1 == there => (block.pc, block.frontier) = (to, to),
                _ => {
                    block.pc += 1;
                    // Loops keep words.
                    if self.rng.random_range(0..4) > 0 {
                        block.frontier = block.pc;
                    }
                }
            }
            // A loop that is as long as the ring ends.
            let block = &mut self.blocks[k];
            if block.frontier + self.ring <= block.pc {
                block.frontier = block.pc;
            }
        }
    }

    /// A program ends; `why` is the code that is told.
    fn end(&mut self, k: usize, stopped: Option<(u8, u32)>, why: u8) {
        let block = &mut self.blocks[k];
        (block.running, block.stopped) = (false, stopped);
        self.whole += u64::from(stopped.is_none());
        if stopped.is_none() {
            block.code = why;
        }
        if self.trap.is_none() {
            match stopped {
                Some((code, _)) if code == Trap::Aborted as u8 => self.stopped = true,
                Some((_, pc)) => self.trap = Some((why, pc, k)),
                None if self.first_code == 0 => self.first_code = why,
                None => {}
            }
        }
    }

    /// The half of a word at an address, and whether memory cannot give it.
    pub(super) fn memory(&self, at: u32) -> (u64, bool) {
        let plan = self.plan.as_ref().expect("a launch is under way");
        let offset = at.wrapping_sub(plan.code_at);
        let word = plan.words[offset as usize / 16];
        let failed = plan.failing == Some(offset / 16) && (offset / 8 % 2 == 1) == (plan.code_at & 16 == 0);
        ((word >> (8 * (offset % 16))) as u64, failed)
    }
}
