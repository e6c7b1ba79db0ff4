//! Model of the compute unit: what its registers hold after every cycle.

use std::collections::VecDeque;

use super::lanes::{Lanes, field};
use bitline_units::ccs::CcsGeometry;
use bitline_units::ccs::control::{MAP_LATENCY, TREE, reduce_latency, tree};

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// First lane that counts.
    pub low: u8,
    /// Last lane that counts.
    pub high: u8,
    /// A reduction's first.
    pub first: bool,
    /// A reduction's last.
    pub last: bool,
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitInputs {
    /// Control word.
    pub control: u64,
    /// What a reduction's result is combined with by exclusive or.
    pub flip: u32,
    /// Stride mask.
    pub mask: Vec<bool>,
    /// A step.
    pub step: Option<Step>,
    /// First operands of the step before.
    pub a: Vec<u32>,
    /// Its second operands.
    pub b: Vec<u32>,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitOutputs {
    /// Results.
    pub y: Vec<u32>,
    /// Those to write.
    pub write: Vec<bool>,
    /// They are a step's.
    pub y_valid: bool,
    /// Those of the next cycle are.
    pub y_soon: bool,
    /// A reduction's result.
    pub result: Option<Option<u32>>,
}

/// The unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    bits: usize,
    /// The lanes.
    pub lanes: Lanes,
    /// Lanes from the first up, if there was a step; lanes before the last.
    pub range: (Vec<bool>, Vec<bool>),
    /// Lanes that do not count, the latest cycle's first.
    pub idle: Vec<bool>,
    /// Values of the tree's nodes.
    pub values: Vec<u32>,
    /// The accumulator, once it was cleared.
    pub accumulator: Option<u32>,
    /// A reduction's value, once there was one.
    pub total: Option<u32>,
    /// The same with the flip.
    pub flipped: Option<u32>,
    /// Steps on their way, the latest first.
    pub steps: VecDeque<bool>,
    /// First steps on their way.
    pub firsts: VecDeque<bool>,
    /// Last steps on their way.
    pub lasts: VecDeque<bool>,
}

/// Moves a queue by one; the oldest leaves.
fn shift<T>(queue: &mut VecDeque<T>, new: T) {
    queue.push_front(new);
    queue.pop_back();
}

fn node(control: u64, a: u32, b: u32, bits: usize) -> u32 {
    match field(control, TREE, 2) {
        tree::SUM => a.wrapping_add(b) & (u32::MAX >> (32 - bits)),
        tree::OR => a | b,
        tree::XOR => a ^ b,
        _ => a.max(b),
    }
}

impl Unit {
    /// A unit after reset, in whose pipeline there is nothing but zeros.
    pub fn new(geometry: &CcsGeometry) -> Unit {
        let lanes = geometry.lanes;
        let latency = reduce_latency(lanes);
        Unit {
            bits: geometry.element_bits,
            lanes: Lanes::new(lanes),
            range: (vec![false; lanes], vec![false; lanes - 1]),
            idle: vec![true; lanes * (MAP_LATENCY - 1)],
            values: vec![0; lanes - 1],
            accumulator: None,
            total: None,
            flipped: None,
            steps: vec![false; MAP_LATENCY].into(),
            firsts: vec![false; latency - 3].into(),
            lasts: vec![false; latency].into(),
        }
    }

    /// Bits of an element.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Reset: the rest of lanes and tree goes on.
    pub fn reset(&mut self) {
        let clear = |queue: &mut VecDeque<bool>| queue.iter_mut().for_each(|bit| *bit = false);
        clear(&mut self.steps);
        clear(&mut self.firsts);
        clear(&mut self.lasts);
        self.lanes.reset();
        let none = vec![false; self.lanes.count()];
        self.range = (none.clone(), none[1..].to_vec());
        self.idle.fill(true);
    }

    /// What it gives in this cycle.
    pub fn outputs(&self) -> UnitOutputs {
        UnitOutputs {
            y: self.lanes.result.clone(),
            write: self.idle[self.idle.len() - self.lanes.count()..].iter().map(|idle| !idle).collect(),
            y_valid: self.steps.back() == Some(&true),
            y_soon: self.steps[MAP_LATENCY - 2],
            result: (self.lasts.back() == Some(&true)).then_some(self.flipped),
        }
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &UnitInputs) -> UnitOutputs {
        let outputs = self.outputs();
        self.reduce(inputs, &outputs.y);
        let control = inputs.control;
        let lanes = self.lanes.count();
        self.lanes.step(self.bits, control, &self.idle[..lanes], &inputs.a, &inputs.b);
        let older = self.idle.len() - lanes;
        self.idle.copy_within(..older, lanes);
        for (k, idle) in self.idle[..lanes].iter_mut().enumerate() {
            *idle = !(self.range.0[k] && (k == 0 || self.range.1[k - 1]) && inputs.mask[k]);
        }
        let step = inputs.step;
        let (low, high) = (step.map(|step| usize::from(step.low)), usize::from(step.unwrap_or_default().high));
        self.range.0.iter_mut().enumerate().for_each(|(k, from)| *from = low.is_some_and(|low| low <= k));
        self.range.1.iter_mut().enumerate().for_each(|(k, beyond)| *beyond = high > k);
        shift(&mut self.steps, step.is_some());
        shift(&mut self.firsts, step.is_some_and(|step| step.first));
        shift(&mut self.lasts, step.is_some_and(|step| step.last));
        outputs
    }

    fn reduce(&mut self, inputs: &UnitInputs, y: &[u32]) {
        let (control, bits, lanes) = (inputs.control, self.bits, y.len());
        self.flipped = self.total.map(|total| total ^ inputs.flip);
        let sum = self.accumulator.map(|sum| node(control, sum, self.values.last().copied().unwrap_or(y[0]), bits));
        if self.lasts[self.lasts.len() - 3] {
            self.total = sum;
        }
        self.accumulator = if self.firsts.back() == Some(&true) { Some(0) } else { sum };
        // Nodes come level by level, each behind the two that it takes: the last one first, so that it finds them as
        // they were.
        for number in (0..lanes - 1).rev() {
            let operand = |number: usize| if number < lanes { y[number] } else { self.values[number - lanes] };
            self.values[number] = node(control, operand(2 * number), operand(2 * number + 1), bits);
        }
    }
}

state! {
    UnitInputs(self) {
        self => control, flip;
        step = self.step.is_some();
        bus step {
            self.step.unwrap_or_default() => low, high, first, last;
        }
        row mask[] = &self.mask;
        row a[] = &self.a;
        row b[] = &self.b;
    }

    UnitOutputs(self) {
        self => y_valid, y_soon, result;
        result_valid = self.result.is_some();
        row y[] = &self.y;
        row write[] = &self.write;
    }

    Unit(self) {
        with self.lanes;
        steps[] = &self.steps;
        firsts[] = &self.firsts;
        lasts[] = &self.lasts;
        in masks {
            row from[] = &self.range.0;
            let lanes = self.lanes.count();
            row skips[] = &self.idle[..lanes];
            row later[] = &self.idle[lanes..], (lanes);
            // Without a step, its last lane does not matter.
            let stepped = self.range.0.last() == Some(&true);
            beyond[] = self.range.1.iter().map(|&beyond| stepped.then_some(beyond));
        }
        in tree {
            row values[] = &self.values;
            let ones = u32::MAX >> (32 - self.bits);
            accumulator = self.accumulator.map(|value| value & ones);
            total = self.total.map(|value| value & ones);
            flipped = self.flipped.map(|value| value & ones);
        }
    }
}
