//! Model of the compute unit: what its registers hold after every cycle.

use std::collections::VecDeque;

use super::lane::{Lane, field};
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
    pub lanes: Vec<Lane>,
    /// Lanes from the first up, if there was a step; lanes before the last.
    pub range: (Vec<bool>, Vec<bool>),
    /// Lanes that count, the latest cycle's first.
    pub counts: VecDeque<Vec<bool>>,
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
            lanes: vec![Lane::default(); lanes],
            range: (vec![false; lanes], vec![false; lanes - 1]),
            counts: vec![vec![false; lanes]; MAP_LATENCY - 1].into(),
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
        for lane in &mut self.lanes {
            (lane.flag, lane.negative, lane.none) = ([false; 3], [false; 3], [false; 3]);
        }
        let none = vec![false; self.lanes.len()];
        self.range = (none.clone(), none[1..].to_vec());
        self.counts.iter_mut().for_each(|mask| mask.clone_from(&none));
    }

    /// What it gives in this cycle.
    pub fn outputs(&self) -> UnitOutputs {
        UnitOutputs {
            y: self.lanes.iter().map(|lane| lane.result).collect(),
            write: self.counts.back().cloned().unwrap_or_default(),
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
        for (k, lane) in self.lanes.iter_mut().enumerate() {
            lane.step(self.bits, control, self.counts[0][k], inputs.a[k], inputs.b[k]);
        }
        let counts =
            (0..self.lanes.len()).map(|k| self.range.0[k] && (k == 0 || self.range.1[k - 1]) && inputs.mask[k]);
        shift(&mut self.counts, counts.collect());
        let lanes = 0..self.lanes.len();
        let step = inputs.step;
        self.range = (
            lanes.clone().map(|k| step.is_some_and(|step| usize::from(step.low) <= k)).collect(),
            lanes.skip(1).map(|k| usize::from(step.unwrap_or_default().high) >= k).collect(),
        );
        shift(&mut self.steps, step.is_some());
        shift(&mut self.firsts, step.is_some_and(|step| step.first));
        shift(&mut self.lasts, step.is_some_and(|step| step.last));
        outputs
    }

    fn reduce(&mut self, inputs: &UnitInputs, y: &[u32]) {
        let (control, bits, lanes) = (inputs.control, self.bits, y.len());
        self.flipped = self.total.map(|total| total ^ inputs.flip);
        let operands: Vec<u32> = y.iter().chain(&self.values).copied().collect();
        let sum = self.accumulator.map(|sum| node(control, sum, operands[operands.len() - 1], bits));
        if self.lasts[self.lasts.len() - 3] {
            self.total = sum;
        }
        self.accumulator = if self.firsts.back() == Some(&true) { Some(0) } else { sum };
        for (value, pair) in self.values.iter_mut().zip(operands.chunks(2)).take(lanes - 1) {
            *value = node(control, pair[0], pair[1], bits);
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
        mask[] = &self.mask;
        a[] = &self.a;
        b[] = &self.b;
    }

    UnitOutputs(self) {
        self => y_valid, y_soon, result;
        result_valid = self.result.is_some();
        y[] = &self.y;
        write[] = &self.write;
    }

    Unit(self) {
        in lanes[] = &self.lanes, (self.bits);
        steps[] = &self.steps;
        firsts[] = &self.firsts;
        lasts[] = &self.lasts;
        in masks {
            from[] = &self.range.0;
            skips[] = self.counts[0].iter().map(|counts| !counts);
            later[] = self.counts.iter().skip(1).flatten().map(|counts| !counts);
            // Without a step, its last lane does not matter.
            let stepped = self.range.0.last() == Some(&true);
            beyond[] = self.range.1.iter().map(|&beyond| stepped.then_some(beyond));
        }
        in tree {
            values[] = &self.values;
            let ones = u32::MAX >> (32 - self.bits);
            accumulator = self.accumulator.map(|value| value & ones);
            total = self.total.map(|value| value & ones);
            flipped = self.flipped.map(|value| value & ones);
        }
    }
}
