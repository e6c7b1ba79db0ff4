//! A compute unit of a cache compute system and its model side by side.

use std::fmt::Arguments;

use super::Divergence;
use super::compare::Difference;
use crate::ccs::CcsGeometry;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::ccs::unit::{Unit, UnitInputs, UnitOutputs};

/// Cycles in which everything in the pipeline leaves it, at most.
const DRAIN: usize = 32;

/// Hardware and model.
pub struct UnitLockstep<E: Engine> {
    seed: u64,
    cycle: u64,
    /// The hardware.
    pub engine: E,
    /// The model.
    pub model: Unit,
    inputs: [NetId; 7],
    masks: Vec<NetId>,
    operands: [Vec<NetId>; 2],
    outputs: [NetId; 3],
    results: [Vec<NetId>; 2],
    registers: Vec<usize>,
}

/// Registers by name, an array's by number too, of the unit or of a lane, and their patterns; nothing where a value does not matter.
pub(super) fn registers(model: &Unit, bits: usize, visit: &mut dyn FnMut(Arguments<'_>, Option<u64>)) {
    let part = |value: i64, bits: u32| value as u64 & (u64::MAX >> (64 - bits));
    for (k, lane) in model.lanes.iter().enumerate() {
        macro_rules! numbers {
            ($($name:ident)+) => { $(visit(format_args!("lanes_{k}.{}", stringify!($name)), Some(lane.$name.into()));)+ };
        }
        macro_rules! arrays {
            ($($name:ident)+) => { $(for (i, &value) in lane.$name.iter().enumerate() {
                visit(format_args!("lanes_{k}.{}_{i}", stringify!($name)), Some(value.into()));
            })+ };
        }
        macro_rules! signed {
            ($($name:ident $bits:literal;)+) => { $(
                visit(format_args!("lanes_{k}.{}", stringify!($name)), Some(part(lane.$name, $bits)));
            )+ };
        }
        numbers!(first second addend factor turned still low_m choice result);
        visit(format_args!("lanes_{k}.r"), Some(u64::from(lane.r) | u64::from(lane.less) << bits));
        arrays!(low_r high_m lowest negative flag none);
        signed!(low_product 36; high_r 18; middle_product 31; high_product 31; sum_0 48; sum_1 31; sum_2 31;);
    }
    let mut flags = |name: &str, values: &mut dyn Iterator<Item = bool>| {
        for (i, value) in values.enumerate() {
            visit(format_args!("{name}_{i}"), Some(value.into()));
        }
    };
    flags("steps", &mut model.steps.iter().copied());
    flags("firsts", &mut model.firsts.iter().copied());
    flags("lasts", &mut model.lasts.iter().copied());
    flags("masks.from", &mut model.range.0.iter().copied());
    flags("masks.skips", &mut model.counts[0].iter().map(|counts| !counts));
    flags("masks.later", &mut model.counts.iter().skip(1).flatten().map(|counts| !counts));
    // Without a step, its last lane does not matter.
    let stepped = model.range.0.last() == Some(&true);
    for (i, &beyond) in model.range.1.iter().enumerate() {
        visit(format_args!("masks.beyond_{i}"), stepped.then_some(beyond.into()));
    }
    for (i, &value) in model.values.iter().enumerate() {
        visit(format_args!("tree.values_{i}"), Some(value.into()));
    }
    let ones = u32::MAX >> (32 - bits);
    for (name, value) in [("accumulator", model.accumulator), ("total", model.total), ("flipped", model.flipped)] {
        visit(format_args!("tree.{name}"), value.map(|value| (value & ones).into()));
    }
}

impl<E: Engine> UnitLockstep<E> {
    /// Brings the hardware out of reset, and zeros into its pipeline.
    ///
    /// # Panics
    /// If it is no compute unit of this geometry.
    pub fn new(mut engine: E, geometry: &CcsGeometry, seed: u64) -> UnitLockstep<E> {
        let design = engine.design();
        let net = |path: &str| design.find_net(path).unwrap_or_else(|| panic!("the design has no signal {path}"));
        let lanes = |name: &str| (0..geometry.lanes).map(|k| net(&format!("{name}_{k}"))).collect::<Vec<_>>();
        let inputs = ["control", "flip", "step", "step_low", "step_high", "step_first", "step_last"].map(net);
        let outputs = ["y_valid", "result_valid", "result"].map(net);
        let (masks, operands, results) = (lanes("mask"), ["a", "b"].map(lanes), ["y", "write"].map(lanes));
        let model = Unit::new(geometry);
        let mut found = vec![];
        registers(&model, geometry.element_bits, &mut |path, _| {
            let path = path.to_string();
            found.push(design.find_register(&path).unwrap_or_else(|| panic!("the design has no register {path}")));
        });
        for &input in inputs.iter().chain(&masks).chain(operands.iter().flatten()) {
            engine.set_input(input, &[0]);
        }
        let mut unit =
            UnitLockstep { seed, cycle: 0, engine, model, inputs, masks, operands, outputs, results, registers: found };
        let idle = UnitInputs {
            mask: vec![false; geometry.lanes],
            a: vec![0; geometry.lanes],
            b: vec![0; geometry.lanes],
            ..UnitInputs::default()
        };
        unit.engine.tick(true);
        for _ in 0..DRAIN {
            unit.engine.tick(false);
            unit.model.step(&idle);
        }
        unit
    }

    fn drive(&mut self, inputs: &UnitInputs) {
        let step = inputs.step.unwrap_or_default();
        let values = [
            inputs.control,
            inputs.flip.into(),
            inputs.step.is_some().into(),
            step.low.into(),
            step.high.into(),
            step.first.into(),
            step.last.into(),
        ];
        for (&net, value) in self.inputs.iter().zip(values) {
            self.engine.set_input(net, &[value]);
        }
        for (&net, &bit) in self.masks.iter().zip(&inputs.mask) {
            self.engine.set_input(net, &[bit.into()]);
        }
        for (nets, values) in self.operands.iter().zip([&inputs.a, &inputs.b]) {
            for (&net, &value) in nets.iter().zip(values) {
                self.engine.set_input(net, &[value.into()]);
            }
        }
    }

    /// One clock cycle of both; everything is compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn cycle(&mut self, inputs: &UnitInputs) -> Result<UnitOutputs, Box<Divergence>> {
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
    pub fn reset(&mut self, inputs: &UnitInputs) -> Result<(), Box<Divergence>> {
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
        let registers = (0..design.registers.len()).filter(|register| !self.registers.contains(register));
        let registers = registers.map(|register| design.net(design.registers[register].net).path.as_str());
        registers.chain(design.memories.iter().map(|memory| memory.path.as_str())).collect()
    }

    /// Cycles since the reset.
    pub fn cycle_count(&self) -> u64 {
        self.cycle
    }

    fn diverged(&self, difference: Difference) -> Box<Divergence> {
        let Difference { path, expected, actual } = difference;
        Box::new(Divergence { seed: self.seed, cycle: self.cycle, path, expected, actual })
    }

    fn compare_outputs(&mut self, outputs: &UnitOutputs) -> Result<(), Box<Difference>> {
        let [y_valid, result_valid, result] = self.outputs;
        let mut values = vec![
            ("y_valid".to_string(), y_valid, outputs.y_valid.into()),
            ("result_valid".to_string(), result_valid, outputs.result.is_some().into()),
        ];
        if let Some(Some(value)) = outputs.result {
            values.push(("result".to_string(), result, value.into()));
        }
        for (k, (&y, &write)) in outputs.y.iter().zip(&outputs.write).enumerate() {
            values.push((format!("y_{k}"), self.results[0][k], y.into()));
            values.push((format!("write_{k}"), self.results[1][k], write.into()));
        }
        for (path, net, expected) in values {
            let actual = self.engine.value(net);
            if actual != [expected] {
                return Err(Box::new(Difference::new(path, &[expected], &actual)));
            }
        }
        Ok(())
    }

    fn compare_state(&self) -> Result<(), Box<Difference>> {
        let mut numbers = self.registers.iter();
        let mut wrong = None;
        registers(&self.model, self.model.bits(), &mut |path, expected| {
            let number = *numbers.next().expect("as many as at the start");
            let (Some(expected), None) = (expected, &wrong) else { return };
            let actual = self.engine.register(number);
            if actual != [expected] {
                wrong = Some(Box::new(Difference::new(path.to_string(), &[expected], actual)));
            }
        });
        wrong.map_or(Ok(()), Err)
    }
}
