//! What is around the front: the host's bus, a control block that does as a plan says, a memory unit that fills rows,
//! cache ways that give the program's words.

use std::collections::{HashMap, VecDeque};

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::SCALARS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::plan::{End, Plan};
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;

/// The front with all that is around it.
pub struct World<E: Engine> {
    engine: E,
    rng: ChaCha8Rng,
    seed: u64,
    nets: HashMap<&'static str, NetId>,
    ring: u32,
    plan: Option<Plan>,
    scalars: [u32; SCALARS],
    /// What `put` has written.
    held: [Option<u32>; SCALARS],
    /// Waves that have begun.
    pub wave: u64,
    /// The host has ended the launch.
    pub aborted: bool,
    /// Cycles with a launch.
    pub busy_cycles: u64,
    /// Something was asked of the ways since they were empty.
    pub used: bool,
    // Memory unit: waves that were filled; cycles until rows are filled; they are for this wave.
    fills: u64,
    filling: Option<u32>,
    ready: bool,
    // Control block.
    running: bool,
    pc: u32,
    frontier: u32,
    tail: u32,
    given: u32,
    stopped: Option<(u8, u32)>,
    code: u8,
    // Cache ways: requests with cycles until they are answered; what was offered before.
    requests: VecDeque<(u32, u32)>,
    offered: Option<u64>,
    draining: Option<u32>,
    counts: [u64; 6],
    // What the launch will have come to: a code, or a trap.
    first_code: u8,
    trap: Option<(u8, u32)>,
}

/// Ports, apart by blanks.
const INPUTS: &str = "\
    s_axil_awaddr s_axil_awvalid s_axil_wdata s_axil_wstrb s_axil_wvalid s_axil_bready s_axil_araddr \
    s_axil_arvalid s_axil_rready waves_special_number waves_trap_thread waves_trap_address waves_trap_names \
    filled left write_ready running trapped block_code pc frontier tail trap_pc trap_slot doorbell cache_ready \
    cache_answer cache_answer_data cache_answer_failed drain_ready drained write_failed memory_busy asked hit \
    miss merged written_back";
const OUTPUTS: &str = "\
    s_axil_awready s_axil_wready s_axil_bvalid s_axil_bresp s_axil_arready s_axil_rvalid s_axil_rdata \
    s_axil_rresp irq busy restart fill put put_number put_value start stop write_valid write_data cache_valid \
    cache_address cache_write cache_hint enabled drain_valid waves_special_word";

/// The word of which a program is said to have no more.
const NO_WORD: u128 = 7;

impl<E: Engine> World<E> {
    /// A front out of reset.
    pub fn new(engine: E, params: &DualityParams, seed: u64) -> World<E> {
        let names = INPUTS.split(' ').chain(OUTPUTS.split(' '));
        let nets = names
            .map(|name| (name, engine.design().find_net(name).unwrap_or_else(|| panic!("a front has no {name}"))))
            .collect();
        let mut world = World {
            engine,
            rng: ChaCha8Rng::seed_from_u64(seed ^ 1),
            seed,
            nets,
            ring: params.ring as u32,
            plan: None,
            scalars: [0; SCALARS],
            held: [None; SCALARS],
            wave: 0,
            aborted: false,
            busy_cycles: 0,
            used: false,
            fills: 0,
            filling: None,
            ready: false,
            running: false,
            pc: 0,
            frontier: 0,
            tail: 0,
            given: 0,
            stopped: None,
            code: 0,
            requests: VecDeque::new(),
            offered: None,
            draining: None,
            counts: [0; 6],
            first_code: 0,
            trap: None,
        };
        for name in INPUTS.split(' ') {
            world.set(name, 0);
        }
        world.engine.tick(true);
        world.engine.tick(true);
        world
    }

    fn set(&mut self, name: &str, value: u64) {
        self.engine.set_input(self.nets[name], &[value]);
    }

    fn get(&mut self, name: &str) -> u64 {
        self.engine.low(self.nets[name])
    }

    /// The next launch, and what scalar registers hold then.
    pub fn begin(&mut self, plan: Plan, scalars: [u32; SCALARS]) {
        (self.plan, self.scalars) = (Some(plan), scalars);
        (self.wave, self.fills, self.busy_cycles, self.counts) = (0, 0, 0, [0; 6]);
        (self.aborted, self.first_code, self.trap) = (false, 0, None);
        self.stopped = None;
    }

    /// The word that a host would push next.
    pub fn next_word(&self) -> Option<u128> {
        let plan = self.plan.as_ref().expect("a launch");
        plan.words.get(self.tail as usize).copied()
    }

    /// Outcome, code and word of the last launch.
    pub fn expected(&self) -> (u32, u8, u32) {
        match self.trap {
            Some((code, pc)) if u64::from(code) == Trap::Aborted.code() => (3, code, pc),
            Some((code, pc)) => (2, code, pc),
            None => {
                let whole = self.wave as usize == self.plan.as_ref().map_or(0, |plan| plan.waves.len());
                assert!(whole || self.aborted, "seed {}: waves are missing", self.seed);
                (if whole { 1 } else { 3 }, self.first_code, 0)
            }
        }
    }

    /// Counts of what has happened, in the order of the counters.
    pub fn events(&self) -> [u64; 6] {
        self.counts
    }

    /// The interrupt line.
    pub fn irq(&mut self) -> bool {
        self.get("irq") == 1
    }

    /// Ways in use.
    pub fn enabled(&mut self) -> u32 {
        self.get("enabled") as u32
    }

    /// So many cycles without the bus.
    pub fn idle(&mut self, cycles: u32) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Writes a register; whether it was taken.
    pub fn write(&mut self, offset: u64, value: u32) -> bool {
        let (mut address, mut data) = (true, true);
        self.set("s_axil_awaddr", offset);
        self.set("s_axil_wdata", value.into());
        self.set("s_axil_wstrb", 15);
        loop {
            let offers = [address && self.rng.random_range(0..4) > 0, data && self.rng.random_range(0..4) > 0];
            let takes = self.rng.random_range(0..3) > 0;
            self.set("s_axil_awvalid", offers[0].into());
            self.set("s_axil_wvalid", offers[1].into());
            self.set("s_axil_bready", takes.into());
            let taken = ["s_axil_awready", "s_axil_wready"].map(|name| self.get(name) == 1);
            let (answered, response) = (self.get("s_axil_bvalid") == 1 && takes, self.get("s_axil_bresp"));
            self.cycle();
            address &= !(offers[0] && taken[0]);
            data &= !(offers[1] && taken[1]);
            if answered {
                assert!(!address && !data && (response == 0 || response == 2), "seed {}: an answer", self.seed);
                for name in ["s_axil_awvalid", "s_axil_wvalid", "s_axil_bready"] {
                    self.set(name, 0);
                }
                return response == 0;
            }
        }
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u64) -> u32 {
        let mut address = true;
        self.set("s_axil_araddr", offset);
        loop {
            let takes = self.rng.random_range(0..3) > 0;
            self.set("s_axil_arvalid", address.into());
            self.set("s_axil_rready", takes.into());
            let taken = self.get("s_axil_arready") == 1;
            let answered = self.get("s_axil_rvalid") == 1 && takes;
            let (data, response) = (self.get("s_axil_rdata"), self.get("s_axil_rresp"));
            self.cycle();
            address &= !taken;
            if answered {
                assert_eq!((address, response), (false, 0), "seed {}: an answer", self.seed);
                self.set("s_axil_rready", 0);
                return data as u32;
            }
        }
    }

    /// A cycle of everything around the bus.
    fn cycle(&mut self) {
        let chance = |rng: &mut ChaCha8Rng, of: u32| rng.random_range(0..of) == 0;
        // What is shown to the front.
        let filled = self.filling == Some(0);
        let waves = self.plan.as_ref().map_or(0, |plan| plan.waves.len() as u64);
        let room = self.running && self.tail < self.frontier + self.ring;
        let answer = self.requests.front().filter(|request| request.1 == 0).map(|request| request.0);
        let cache_ready = !chance(&mut self.rng, 3);
        let events: Vec<u64> = (0..5).map(|_| u64::from(self.running && chance(&mut self.rng, 4))).collect();
        let (data, failed) = answer.map_or((0, false), |at| self.memory(at));
        let drained = self.draining == Some(0);
        let drain_ready = self.draining.is_none() && chance(&mut self.rng, 3);
        for (name, value) in [
            ("filled", filled.into()),
            ("left", u64::from(self.fills < waves)),
            ("write_ready", room.into()),
            ("running", self.running.into()),
            ("trapped", self.stopped.is_some().into()),
            ("block_code", self.stopped.map_or(self.code, |stopped| stopped.0).into()),
            ("trap_pc", self.stopped.map_or(0, |stopped| stopped.1).into()),
            ("pc", self.pc.into()),
            ("frontier", self.frontier.into()),
            ("tail", self.tail.into()),
            ("doorbell", (self.tail <= self.frontier + self.ring / 2).into()),
            ("cache_ready", cache_ready.into()),
            ("cache_answer", answer.is_some().into()),
            ("cache_answer_data", data),
            ("cache_answer_failed", failed.into()),
            ("memory_busy", events[0]),
            ("hit", events[1]),
            ("miss", events[2]),
            ("merged", events[3]),
            ("written_back", events[4]),
            ("drain_ready", drain_ready.into()),
            ("drained", drained.into()),
        ] {
            self.set(name, value);
        }
        let asks = (self.get("cache_valid") == 1).then(|| self.get("cache_address"));
        self.set("asked", (asks.is_some() && cache_ready).into());
        self.look(asks, cache_ready, room);
        for (count, event) in self.counts[1..].iter_mut().zip(events) {
            *count += event;
        }
        // What becomes of it.
        let (start, stop) = (self.get("start") == 1, self.get("stop") == 1);
        let (restart, fill) = (self.get("restart") == 1, self.get("fill") == 1);
        let drains = self.get("drain_valid") == 1 && drain_ready;
        self.busy_cycles += self.get("busy");
        let written = room && self.get("write_valid") == 1;
        self.work(stop, written);
        if start {
            (self.running, self.pc, self.frontier, self.tail, self.given) = (true, 0, 0, 0, 0);
            self.stopped = None;
            self.wave += 1;
            self.counts[0] += 1;
        }
        match &mut self.filling {
            Some(0) => (self.filling, self.ready) = (None, true),
            Some(cycles) => *cycles -= 1,
            None => {}
        }
        if restart {
            self.fills = 0;
        }
        if fill {
            self.fills += 1;
            self.filling = Some(self.rng.random_range(0..30));
        }
        self.ready &= !start;
        if answer.is_some() {
            self.requests.pop_front();
        }
        self.requests.iter_mut().for_each(|request| request.1 = request.1.saturating_sub(1));
        if let Some(at) = asks.filter(|_| cache_ready) {
            let latency = if chance(&mut self.rng, 8) { 40 } else { 2 };
            self.requests.push_back((at as u32, latency));
            self.used = true;
        }
        match &mut self.draining {
            Some(0) => (self.draining, self.used) = (None, false),
            Some(cycles) => *cycles -= 1,
            None if drains => self.draining = Some(self.rng.random_range(0..50)),
            None => {}
        }
        self.engine.tick(false);
    }

    /// Looks at what the front asks in this cycle.
    fn look(&mut self, asks: Option<u64>, cache_ready: bool, room: bool) {
        let seed = self.seed;
        if let Some(before) = self.offered {
            assert_eq!(asks, Some(before), "seed {seed}: a request that is offered stays");
        }
        self.offered = asks.filter(|_| !cache_ready);
        let plan = self.plan.clone();
        if let Some(at) = asks {
            let plan = plan.as_ref().expect("a launch is under way");
            assert_eq!(self.get("cache_write") + self.get("cache_hint"), 0, "seed {seed}: programs are only read");
            let word = (at as u32).wrapping_sub(plan.code_at) / 16;
            assert!(!plan.host_fed && (word as usize) < plan.words.len(), "seed {seed}: word {word} is asked for");
        }
        if self.get("put") == 1 {
            assert!(!self.running && self.ready, "seed {seed}: scalar registers, while no program runs");
            let (number, value) = (self.get("put_number"), self.get("put_value"));
            self.held[number as usize] = Some(value as u32);
        }
        if self.get("restart") == 1 || self.get("fill") == 1 {
            assert!(!self.running && self.filling.is_none() && self.requests.is_empty(), "seed {seed}: a wave");
        }
        if self.get("start") == 1 {
            assert!(self.ready && !self.running && self.requests.is_empty(), "seed {seed}: a start");
            assert_eq!(self.held, self.scalars.map(Some), "seed {seed}: scalar registers of a wave");
            self.held = [None; SCALARS];
        }
        if room && self.get("write_valid") == 1 {
            let plan = plan.as_ref().expect("a launch is under way");
            let value = self.engine.value(self.nets["write_data"]);
            let word = u128::from(value[0]) | u128::from(value.get(1).copied().unwrap_or(0)) << 64;
            let there = plan.failing.unwrap_or(u32::MAX).min(plan.words.len() as u32);
            let expected = if self.tail < there { plan.words[self.tail as usize] } else { NO_WORD };
            assert_eq!(word, expected, "seed {seed}: word {} of {}", self.tail, plan.words.len());
        }
    }

    /// A cycle of the control block.
    fn work(&mut self, stop: bool, written: bool) {
        let Some(plan) = self.plan.clone().filter(|_| self.running) else { return };
        let there = plan.failing.unwrap_or(u32::MAX).min(plan.words.len() as u32);
        let end = plan.waves[self.wave as usize - 1];
        let (at, goes) = (self.pc, self.rng.random_range(0..3) == 0 && self.pc < self.tail);
        if stop && self.rng.random_range(0..10) == 0 {
            self.end(Some((Trap::Aborted as u8, at)), 0);
        } else if goes && at >= there {
            // The control block finds that this is no word; the front knows why.
            let why = if plan.failing.is_some() { Trap::Bus } else { Trap::PastEnd };
            self.end(Some((Trap::Kind as u8, at)), 0);
            self.trap = Some((why as u8, at));
        } else if goes {
            match end {
                End::Code(last, code) if last == at => self.end(None, code),
                End::Trap(last, code) if last == at => self.end(Some((code, at)), 0),
                End::Past(to) if at + 1 == there => (self.pc, self.frontier) = (to, to),
                _ => {
                    self.pc += 1;
                    // Loops keep words.
                    if self.rng.random_range(0..4) > 0 {
                        self.frontier = self.pc;
                    }
                }
            }
            // A loop that is as long as the ring ends.
            if self.frontier + self.ring <= self.pc {
                self.frontier = self.pc;
            }
        }
        self.tail += u32::from(written);
    }

    fn end(&mut self, stopped: Option<(u8, u32)>, code: u8) {
        (self.running, self.stopped, self.code, self.trap) = (false, stopped, code, stopped);
        if self.first_code == 0 {
            self.first_code = code;
        }
    }

    /// The half of a word at an address, and whether memory cannot give it.
    fn memory(&self, at: u32) -> (u64, bool) {
        let plan = self.plan.as_ref().expect("a launch is under way");
        let offset = at.wrapping_sub(plan.code_at);
        let word = plan.words[offset as usize / 16];
        let failed = plan.failing == Some(offset / 16) && (offset / 8 % 2 == 1) == (plan.code_at & 16 == 0);
        ((word >> (8 * (offset % 16))) as u64, failed)
    }
}
