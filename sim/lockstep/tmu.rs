//! A transpose memory unit and its model side by side.

use super::Divergence;
use super::compare::{Difference, Registers};
use super::state::Visit;
use crate::kernel::netlist::NetId;
use crate::sim::engine::{Engine, Lookup};
use crate::sim::model::tmu::{Tmu, TmuInputs, TmuOutputs};

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
enum Cells {
    /// A register for each slice.
    Slices(Vec<usize>),
    /// A memory of one-bit words.
    Banks(Vec<usize>),
}

/// Every register besides the tiles; nothing where a value does not matter.
fn registers(model: &Tmu, visit: &mut Visit<'_>) {
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
        let banks: Option<Vec<usize>> =
            (0..words).map(|bank| design.find_memory(&format!("rotated_0.banks_{bank}.bits"))).collect();
        let slices: Option<Vec<usize>> =
            (0..2 * bits).map(|slice| design.find_register(&format!("flop_0.slices_{slice}"))).collect();
        let cells = match (banks, slices) {
            (Some(banks), _) => Cells::Banks(banks),
            (None, slices) => Cells::Slices(slices.expect("tiles are memories or registers")),
        };
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
        for (t, tile) in self.model.cells.iter().enumerate() {
            for (r, word) in tile.iter().enumerate() {
                for (c, cell) in word.iter().enumerate() {
                    let Some(expected) = *cell else { continue };
                    let actual = match &self.cells {
                        Cells::Slices(slices) => {
                            self.engine.register(slices[t * word.len() + c])[r / 64] >> (r % 64) & 1
                        }
                        Cells::Banks(banks) => self.engine.memory(banks[r ^ c])[t * word.len() + c],
                    };
                    if actual != u64::from(expected) {
                        let path = format!("tile {t}, word {r}, bit {c}");
                        return Err(Box::new(Difference::new(path, &[expected.into()], &[actual])));
                    }
                }
            }
        }
        Ok(())
    }
}
