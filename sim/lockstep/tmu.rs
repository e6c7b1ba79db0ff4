//! A transpose memory unit and its model side by side.

use super::Divergence;
use super::compare::{Difference, Registers};
use super::state::Visit;
use crate::engine::{Engine, Lookup};
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::model::tmu::{Tmu, TmuInputs, TmuOutputs};

const INPUTS: [&str; 7] =
    ["start_valid", "start_store", "start_width", "start_count", "s_axis_tvalid", "s_axis_tdata", "m_axis_tready"];
const OUTPUTS: [&str; 8] = [
    "start_ready",
    "refused",
    "busy",
    "s_axis_tready",
    "m_axis_tvalid",
    "m_axis_tdata",
    "m_axis_tlast",
    "m_axis_is_element",
];

/// Hardware and model.
pub struct TmuLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: Tmu,
    inputs: [NetId; 7],
    outputs: [NetId; 8],
    registers: Registers,
    cells: Cells,
}

/// Where the hardware keeps the bits of the tiles.
pub(super) enum Cells {
    /// A register for each slice, and what was read last.
    Slices(Vec<usize>, usize),
    /// Memories of one-bit words, and the number that was read last.
    Banks(Vec<usize>, usize),
}

impl Cells {
    /// Finds them below the instance path `prefix`, which is empty or ends in a dot.
    ///
    /// # Panics
    /// If the design has neither memories nor registers for them.
    pub(super) fn find(design: &Flat, prefix: &str, words: u16, bits: u16) -> Cells {
        let banks: Option<Vec<usize>> =
            (0..words).map(|bank| design.find_memory(&format!("{prefix}rotated_0.banks_{bank}.bits"))).collect();
        let slices: Option<Vec<usize>> =
            (0..2 * bits).map(|slice| design.find_register(&format!("{prefix}flop_0.slices_{slice}"))).collect();
        let register = |path: &str| {
            let path = format!("{prefix}{path}");
            design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}"))
        };
        match (banks, slices) {
            (Some(banks), _) => Cells::Banks(banks, register("rotated_0.last_read")),
            (None, slices) => Cells::Slices(slices.expect("tiles are memories or registers"), register("flop_0.read")),
        }
    }

    /// Numbers of the memories.
    pub(super) fn memories(&self) -> &[usize] {
        match self {
            Cells::Banks(banks, _) => banks,
            Cells::Slices(..) => &[],
        }
    }

    /// Numbers of the registers.
    pub(super) fn registers(&self) -> Vec<usize> {
        match self {
            Cells::Banks(_, last) => vec![*last],
            Cells::Slices(slices, last) => slices.iter().chain([last]).copied().collect(),
        }
    }

    /// Compares what was read last.
    ///
    /// # Errors
    /// A difference.
    pub(super) fn compare_last<E: Engine>(&self, engine: &E, model: &Tmu) -> Result<(), Box<Difference>> {
        let Some(read) = &model.read else { return Ok(()) };
        let (register, expected, counts) = match self {
            Cells::Banks(_, last) => (*last, vec![read.number.into()], vec![u64::MAX]),
            Cells::Slices(_, last) => {
                let limbs = read.bits.len() as u16;
                (*last, read.bits.clone(), (0..limbs).map(|l| low_ones(read.used.saturating_sub(64 * l))).collect())
            }
        };
        let actual: Vec<u64> = engine.register(register).iter().zip(counts).map(|(word, mask)| word & mask).collect();
        if actual == expected {
            return Ok(());
        }
        Err(Box::new(Difference::new("what the tiles gave last", &expected, &actual)))
    }

    /// Compares them with the model's.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn compare<E: Engine>(&self, engine: &E, model: &Tmu) -> Result<(), Box<Difference>> {
        for (t, tile) in model.cells.iter().enumerate() {
            for (r, word) in tile.iter().enumerate() {
                for (c, cell) in word.iter().enumerate() {
                    let Some(expected) = *cell else { continue };
                    let actual = match self {
                        Cells::Slices(slices, _) => engine.register(slices[t * word.len() + c])[r / 64] >> (r % 64) & 1,
                        Cells::Banks(banks, _) => engine.memory(banks[r ^ c])[t * word.len() + c],
                    };
                    if actual != u64::from(expected) {
                        let path = format!("tile {t}, word {r}, bit {c}");
                        return Err(Box::new(Difference::new(path, &[expected.into()], [actual])));
                    }
                }
            }
        }
        Ok(())
    }
}

fn low_ones(bits: u16) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Every register besides the tiles; nothing where a value does not matter.
pub(super) fn registers(model: &Tmu, visit: &mut Visit<'_>) {
    let mut one = |path, value: Option<u64>| visit(path, value.as_ref().map(std::slice::from_ref));
    let filling = model.filling;
    one("filling", Some(filling.is_some().into()));
    one("store", filling.map(|t| t.store.into()));
    one("last_bit", filling.map(|t| u64::from(t.width) - 1));
    one("rest", filling.map(|t| u64::from(t.count) - 1));
    one("in_tile", Some(model.entering.0 as u64));
    one("in_index", Some(model.entering.1.into()));
    macro_rules! tile {
        ($($t:literal)+) => {$(
            let tile = Some(model.tiles[$t]).filter(|tile| tile.full);
            one(concat!("tiles_", $t, ".full"), Some(tile.is_some().into()));
            one(concat!("tiles_", $t, ".by_word"), tile.map(|tile| tile.by_word.into()));
            one(concat!("tiles_", $t, ".last_index"), tile.map(|tile| u64::from(tile.beats) - 1));
            one(concat!("tiles_", $t, ".last_bit"), tile.map(|tile| u64::from(tile.used) - 1));
            one(concat!("tiles_", $t, ".last"), tile.map(|tile| tile.last.into()));
        )+};
    }
    tile!(0 1);
    one("out_tile", Some(model.leaving.0 as u64));
    one("out_index", Some(model.leaving.1.into()));
    one("out_valid", Some(model.read.is_some().into()));
    one("out_last", model.read.as_ref().map(|read| read.last.into()));
    let ones = |used: u16| -> Vec<u64> {
        (0..model.words().div_ceil(64)).map(|limb| low_ones(used.saturating_sub(64 * limb))).collect()
    };
    visit("out_mask", model.read.as_ref().map(|read| ones(read.used)).as_deref());
    let mut one = |path, value: Option<u64>| visit(path, value.as_ref().map(std::slice::from_ref));
    one("out_element", model.read.as_ref().map(|read| read.element.into()));
}

impl<E: Engine> TmuLockstep<E> {
    /// Brings the hardware, with tiles of `words` words of `bits` bits, out of reset.
    ///
    /// # Panics
    /// If it is no transpose memory unit of this size.
    pub fn new(mut engine: E, words: u16, bits: u16, seed: u64) -> TmuLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let (inputs, outputs) = (INPUTS.map(net), OUTPUTS.map(net));
        let model = Tmu::new(words, bits);
        let registers = Registers::find(design, "", |visit| registers(&model, visit));
        let cells = Cells::find(design, "", words, bits);
        for &input in &inputs {
            engine.set_input(input, &[0]);
        }
        engine.tick(true);
        TmuLockstep { seed, cycle: 0, engine, model, inputs, outputs, registers, cells }
    }

    fn drive(&mut self, inputs: &TmuInputs) {
        let start = inputs.start;
        let [valid, store, width, count, offered, data, take] = self.inputs;
        let mut set = |net, value: u64| self.engine.set_input(net, &[value]);
        set(valid, start.is_some().into());
        if let Some(start) = start {
            set(store, start.store.into());
            set(width, start.width.into());
            set(count, start.count.into());
        }
        set(offered, inputs.beat.is_some().into());
        set(take, inputs.take.into());
        if let Some(beat) = &inputs.beat {
            self.engine.set_input(data, beat);
        }
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &TmuInputs) -> Result<TmuOutputs, Box<Divergence>> {
        self.drive(inputs);
        let outputs = self.model.step(inputs);
        self.compare_outputs(&outputs).map_err(|d| self.diverged(*d))?;
        self.engine.tick(false);
        self.cycle += 1;
        self.compare_state().map_err(|d| self.diverged(*d))?;
        Ok(outputs)
    }

    /// One clock cycle of both with the reset on.
    ///
    /// # Errors
    /// The first difference.
    pub fn reset(&mut self, inputs: &TmuInputs) -> Result<(), Box<Divergence>> {
        self.drive(inputs);
        self.model.step(inputs);
        self.model.reset();
        self.engine.tick(true);
        self.cycle += 1;
        self.compare_state().map_err(|d| self.diverged(*d))
    }

    /// Registers and memories of the hardware that are not compared with the model.
    pub fn unseen(&self) -> Vec<&str> {
        let design = self.engine.design();
        let (own, cells) = (self.registers.numbers(), self.cells.registers());
        let seen = |register: &usize| own.contains(register) || cells.contains(register);
        let registers = (0..design.registers.len()).filter(|register| !seen(register));
        let memories = (0..design.memories.len()).filter(|memory| !self.cells.memories().contains(memory));
        let registers = registers.map(|register| design.net(design.registers[register].net).path.as_str());
        registers.chain(memories.map(|memory| design.memories[memory].path.as_str())).collect()
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &TmuOutputs) -> Result<(), Box<Difference>> {
        let flag = |value: bool| Some(vec![u64::from(value)]);
        let values = [
            flag(outputs.start_ready),
            flag(outputs.refused),
            flag(outputs.busy),
            flag(outputs.beat_ready),
            flag(outputs.beat.is_some()),
            outputs.beat.as_ref().map(|beat| beat.bits.clone()),
            outputs.beat.as_ref().and_then(|beat| flag(beat.last)),
            outputs.beat.as_ref().and_then(|beat| flag(beat.element)),
        ];
        for ((path, net), expected) in OUTPUTS.iter().zip(self.outputs).zip(values) {
            let Some(expected) = expected else { continue };
            let actual = self.engine.value(net);
            if actual != expected {
                return Err(Box::new(Difference::new(*path, &expected, &actual)));
            }
        }
        Ok(())
    }

    fn compare_state(&self) -> Result<(), Box<Difference>> {
        self.registers.compare(&self.engine, |visit| registers(&self.model, visit))?;
        self.cells.compare_last(&self.engine, &self.model)?;
        self.cells.compare(&self.engine, &self.model)
    }
}
