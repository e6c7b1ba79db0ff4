//! What is around the front: the host's bus, control blocks that do as a plan says, memory units that fill rows, cache
//! ways that give the program's words.

mod block;

use std::collections::{HashMap, VecDeque};

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::codes::Trap;
use bitline_units::duality::params::SCALARS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::plan::Plan;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;

/// A control block with its memory unit, and the way of its launch unit to the cache.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// What `put` has written.
    held: [Option<u32>; SCALARS],
    // Memory unit: the wave that was filled last; cycles until rows are filled; they are for this wave.
    dealt: u64,
    filling: Option<u32>,
    ready: bool,
    /// The wave that has begun last.
    pub wave: u64,
    running: bool,
    /// The ring.
    pub pc: u32,
    /// Its oldest word.
    pub frontier: u32,
    /// The word that comes next.
    pub tail: u32,
    stopped: Option<(u8, u32)>,
    code: u8,
    // Requests with cycles until they are answered; what was offered before.
    requests: VecDeque<(u32, u32)>,
    offered: Option<u64>,
    special: u64,
}

/// The front with all that is around it.
pub struct World<E: Engine> {
    engine: E,
    rng: ChaCha8Rng,
    seed: u64,
    nets: HashMap<String, NetId>,
    ring: u32,
    /// Every way.
    all: u64,
    plan: Option<Plan>,
    scalars: [u32; SCALARS],
    /// Control blocks.
    pub blocks: Vec<Block>,
    /// Waves that have begun, and that have ended by themselves.
    pub wave: u64,
    whole: u64,
    /// Waves that were dealt.
    dealt: u64,
    /// Most programs that ran at the same time.
    pub together: usize,
    /// The host has ended the launch.
    pub aborted: bool,
    /// Cycles with a launch.
    pub busy_cycles: u64,
    /// Something was asked of the ways since they were empty.
    pub used: bool,
    /// Cycles until ways are drained, and which.
    draining: Option<(u32, u64)>,
    counts: [u64; 6],
    // What the launch will have come to: a code, a trap in a control block, programs that the host has stopped.
    first_code: u8,
    trap: Option<(u8, u32, usize)>,
    stopped: bool,
}

/// Ports, apart by blanks: of all, and of each control block.
const INPUTS: &str = "\
    s_axil_awaddr s_axil_awvalid s_axil_wdata s_axil_wstrb s_axil_wvalid s_axil_bready s_axil_araddr \
    s_axil_arvalid s_axil_rready drain_ready drained write_failed asked hit miss merged written_back";
const OUTPUTS: &str = "\
    s_axil_awready s_axil_wready s_axil_bvalid s_axil_bresp s_axil_arready s_axil_rvalid s_axil_rdata \
    s_axil_rresp irq busy wave_x wave_y wave_z enabled drain_valid drain_ways";
const BLOCK_INPUTS: &str = "\
    special_number filled write_ready running trapped block_code pc frontier tail trap_pc trap_slot trap_thread \
    trap_address trap_names doorbell memory_busy cache.ready cache.answer cache.answer_data cache.answer_failed";
const BLOCK_OUTPUTS: &str = "\
    special_word fill put put_number put_value start stop write_valid write_data shared_base spill_base cache.valid \
    cache.address cache.write cache.hint";

/// The net of a control block's port.
fn of(name: &str, k: usize) -> String {
    match name.split_once('.') {
        Some((bundle, signal)) => format!("{bundle}_{k}_{signal}"),
        None => format!("{name}_{k}"),
    }
}

impl<E: Engine> World<E> {
    /// A front out of reset.
    pub fn new(engine: E, params: &DualityParams, seed: u64) -> World<E> {
        let names = |all: &str| all.split(' ').map(String::from).collect::<Vec<_>>();
        let each = |all: &str| {
            let count = 0..params.blocks;
            count.flat_map(|k| all.split(' ').map(move |name| of(name, k)).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let inputs = [names(INPUTS), each(BLOCK_INPUTS)].concat();
        let nets = [inputs.clone(), names(OUTPUTS), each(BLOCK_OUTPUTS)].concat().into_iter().map(|name| {
            let net = engine.design().find_net(&name).unwrap_or_else(|| panic!("a front has no {name}"));
            (name, net)
        });
        let nets = nets.collect();
        let mut world = World {
            engine,
            rng: ChaCha8Rng::seed_from_u64(seed ^ 1),
            seed,
            nets,
            ring: params.ring as u32,
            all: (1 << params.cache_ways) - 1,
            plan: None,
            scalars: [0; SCALARS],
            blocks: vec![Block::default(); params.blocks],
            wave: 0,
            whole: 0,
            dealt: 0,
            together: 0,
            aborted: false,
            busy_cycles: 0,
            used: false,
            draining: None,
            counts: [0; 6],
            first_code: 0,
            trap: None,
            stopped: false,
        };
        for name in inputs {
            world.set(&name, 0);
        }
        for k in 0..params.blocks {
            world.set_of("trap_names", k, 3);
            world.set_of("trap_thread", k, 10 + k as u64);
            world.set_of("trap_address", k, 0x100 + k as u64);
            world.set_of("trap_slot", k, k as u64);
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

    fn set_of(&mut self, name: &str, k: usize, value: u64) {
        self.set(&of(name, k), value);
    }

    fn get_of(&mut self, name: &str, k: usize) -> u64 {
        self.get(&of(name, k))
    }

    /// The next launch, and what scalar registers hold then.
    pub fn begin(&mut self, plan: Plan, scalars: [u32; SCALARS]) {
        (self.plan, self.scalars) = (Some(plan), scalars);
        (self.wave, self.whole, self.dealt, self.busy_cycles, self.counts) = (0, 0, 0, 0, [0; 6]);
        (self.aborted, self.first_code, self.trap, self.stopped) = (false, 0, None, false);
        for block in &mut self.blocks {
            (block.stopped, block.wave, block.dealt) = (None, 0, 0);
        }
    }

    /// The word that a host would push next to a control block.
    pub fn next_word(&self, k: usize) -> Option<u128> {
        let plan = self.plan.as_ref().expect("a launch");
        plan.words.get(self.blocks[k].tail as usize).copied()
    }

    /// Outcome, code and word of the last launch, and the control block of a trap.
    pub fn expected(&self) -> (u32, u8, u32, usize) {
        let whole = self.whole as usize == self.plan.as_ref().map_or(0, |plan| plan.waves.len());
        match self.trap {
            Some((code, pc, k)) => (2, code, pc, k),
            None if self.stopped => (3, Trap::Aborted as u8, 0, 0),
            None => {
                assert!(whole || self.aborted, "seed {}: waves are missing", self.seed);
                (if whole { 1 } else { 3 }, self.first_code, 0, 0)
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
        let any = self.blocks.iter().any(|block| block.running);
        let events: Vec<u64> = (0..4).map(|_| u64::from(any && chance(&mut self.rng, 4))).collect();
        let drained = self.draining.is_some_and(|draining| draining.0 == 0);
        let drain_ready = self.draining.is_none() && chance(&mut self.rng, 3);
        for (name, value) in [
            ("hit", events[0]),
            ("miss", events[1]),
            ("merged", events[2]),
            ("written_back", events[3]),
            ("drain_ready", drain_ready.into()),
            ("drained", drained.into()),
        ] {
            self.set(name, value);
        }
        let (mut works, mut shown) = (0, vec![]);
        for k in 0..self.blocks.len() {
            let block = self.blocks[k].clone();
            let room = block.running && block.tail < block.frontier + self.ring;
            let answer = block.requests.front().filter(|request| request.1 == 0).map(|request| request.0);
            let ready = !chance(&mut self.rng, 3);
            let working = u64::from(block.running && chance(&mut self.rng, 4));
            let (data, failed) = answer.map_or((0, false), |at| self.memory(at));
            works |= working;
            self.blocks[k].special = self.rng.random_range(0..8);
            for (name, value) in [
                ("filled", u64::from(block.filling == Some(0))),
                ("write_ready", room.into()),
                ("running", block.running.into()),
                ("trapped", block.stopped.is_some().into()),
                ("block_code", block.stopped.map_or(block.code, |stopped| stopped.0).into()),
                ("trap_pc", block.stopped.map_or(0, |stopped| stopped.1).into()),
                ("pc", block.pc.into()),
                ("frontier", block.frontier.into()),
                ("tail", block.tail.into()),
                ("doorbell", (block.tail <= block.frontier + self.ring / 2).into()),
                ("memory_busy", working),
                ("special_number", self.blocks[k].special),
                ("cache.ready", ready.into()),
                ("cache.answer", answer.is_some().into()),
                ("cache.answer_data", data),
                ("cache.answer_failed", failed.into()),
            ] {
                self.set_of(name, k, value);
            }
            shown.push((room, answer.is_some(), ready));
        }
        let mut asks = vec![];
        for k in 0..self.blocks.len() {
            asks.push((self.get_of("cache.valid", k) == 1).then(|| self.get_of("cache.address", k)));
        }
        let asked = asks.iter().zip(&shown).any(|(asks, shown)| asks.is_some() && shown.2);
        self.set("asked", asked.into());
        self.counts[1] += works;
        for (count, event) in self.counts[2..].iter_mut().zip(events) {
            *count += event;
        }
        let drains = self.get("drain_valid") == 1 && drain_ready;
        self.busy_cycles += self.get("busy");
        self.used |= asked;
        for k in 0..self.blocks.len() {
            let (room, answered, ready) = shown[k];
            self.look(k, asks[k], ready, room);
            self.step(k, asks[k].filter(|_| ready), answered, room);
        }
        let running = self.blocks.iter().filter(|block| block.running).count();
        self.together = self.together.max(running);
        self.look_at_ways();
        match &mut self.draining {
            Some((0, ways)) => {
                self.used &= *ways != self.all;
                self.draining = None;
            }
            Some((cycles, _)) => *cycles -= 1,
            None if drains => self.draining = Some((self.rng.random_range(0..50), self.get("drain_ways"))),
            None => {}
        }
        self.engine.tick(false);
    }

    /// A control block that has a wave is no cache, and is not without one.
    fn look_at_ways(&mut self) {
        let (enabled, seed) = (self.get("enabled"), self.seed);
        let serving = enabled & !self.draining.map_or(0, |draining| draining.1);
        for (k, block) in self.blocks.iter().enumerate() {
            let works = block.running || block.filling.is_some();
            assert!(!works || enabled >> k & 1 == 0, "seed {seed}: control block {k} has a wave and is a cache");
            assert!(!works || serving != 0, "seed {seed}: control block {k} has a wave and there is no cache");
        }
    }
}
