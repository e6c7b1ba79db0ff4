//! State of flow control, loop counters and key scanner.

use super::Visit;
use crate::model::command_setup::word_at;
use crate::model::sequencer::Sequencer;

pub(super) fn flow(sequencer: &Sequencer, rom: &[u128], visit: &mut Visit<'_>) {
    let (flow, setup) = (&sequencer.flow, &sequencer.setup);
    let word = flow.active.then(|| [word_at(rom, flow.pc) as u64]);
    visit("sequencer.flow.word", word.as_ref().map(|word| &word[..]));
    let start_word = setup.armed.then(|| [word_at(rom, setup.start.entry) as u64]);
    visit("sequencer.flow.start_word", start_word.as_ref().map(|word| &word[..]));
    let mut one = |path, value: u64| visit(path, Some(&[value]));
    one("sequencer.flow.active", flow.active.into());
    one("sequencer.flow.pc", flow.pc.into());
    one("sequencer.flow.head", flow.head.into());
    one("sequencer.flow.head_word", flow.head_word as u64);
    one("sequencer.flow.stop", flow.stop.into());
    one("sequencer.flow.waiting", flow.waiting.into());
    one("sequencer.flow.bank", flow.bank.into());
    one("sequencer.flow.first", flow.first.into());
    one("sequencer.flow.carry", flow.carry.into());
    one("sequencer.flow.keep_tag", flow.keep_tag.into());
    one("sequencer.flow.i", flow.i_start.into());
    let counters = &flow.counters;
    one("sequencer.flow.counters.x", counters.x.into());
    one("sequencer.flow.counters.x_one", (counters.x == 1).into());
    one("sequencer.flow.counters.y", counters.y.into());
    one("sequencer.flow.counters.y_one", (counters.y == 1).into());
    one("sequencer.flow.counters.z", counters.z.into());
    one("sequencer.flow.counters.z_one", (counters.z == 1).into());
    one("sequencer.flow.counters.stride", counters.stride.into());
    one("sequencer.flow.counters.stride_one", (counters.stride == 1).into());
    one("sequencer.flow.counters.stride_two", (counters.stride == 2).into());
    one("sequencer.flow.counters.n", counters.n.into());
    one("sequencer.flow.counters.rest", counters.rest.into());
    one("sequencer.flow.counters.rest_one", (counters.rest == 1).into());
    one("sequencer.flow.counters.rest_doubled", counters.rest_doubled.into());
    one("sequencer.flow.counters.rest_doubled_one", (counters.rest_doubled == 1).into());
    one("sequencer.flow.counters.width_less_two", counters.width_less_two.into());
    one("sequencer.flow.counters.width_less_three", counters.width_less_three.into());
    let scanner = &flow.scanner;
    one("sequencer.flow.scanner.key", scanner.key);
    one("sequencer.flow.scanner.empty", scanner.empty.into());
    one("sequencer.flow.scanner.position", scanner.position.into());
    one("sequencer.flow.scanner.scanning", scanner.scanning.into());
    one("sequencer.flow.scanner.width", scanner.width.into());
    one("sequencer.flow.scanner.scan_left", scanner.scan_left.into());
    one("sequencer.flow.scanner.tokens", scanner.tokens.into());
    one("sequencer.flow.scanner.sent", scanner.sent.into());
    one("sequencer.flow.scanner.drained", scanner.drained.into());
}
