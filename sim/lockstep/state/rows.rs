//! State of address generator, address adder and issue stage: rows on their way.

use super::{Visit, pack};
use crate::model::address_adder::{AddressAdder, Row};
use crate::model::flow_control::Fetched;
use crate::model::sequencer::Sequencer;
use crate::params::{Memory, Params};

/// Paths of the registers that hold a fetched row, in one of the two stages.
struct StagePaths {
    valid: &'static str,
    fields: [&'static str; 11],
    rows: [&'static str; 2],
}

const ROM_STAGE: StagePaths = StagePaths {
    valid: "sequencer.addresses.rom_valid",
    fields: [
        "sequencer.addresses.rom_exit",
        "sequencer.addresses.rom_rest_a",
        "sequencer.addresses.rom_key_bits",
        "sequencer.addresses.rom_first",
        "sequencer.addresses.rom_last",
        "sequencer.addresses.rom_bank",
        "sequencer.addresses.rom_token",
        "sequencer.addresses.rom_keyed",
        "sequencer.addresses.rom_at",
        "sequencer.addresses.rom_carry",
        "sequencer.addresses.rom_keep_tag",
    ],
    rows: ["sequencer.addresses.rom_key_rows", "sequencer.addresses.rom_width_rows"],
};

const ADDRESS_STAGE: StagePaths = StagePaths {
    valid: "sequencer.addresses.row_valid",
    fields: [
        "sequencer.addresses.row_exit",
        "sequencer.addresses.row_rest_a",
        "sequencer.addresses.row_key_bits",
        "sequencer.addresses.row_first",
        "sequencer.addresses.row_last",
        "sequencer.addresses.row_bank",
        "sequencer.addresses.row_token",
        "sequencer.addresses.row_keyed",
        "sequencer.addresses.row_at",
        "sequencer.addresses.row_carry",
        "sequencer.addresses.row_keep_tag",
    ],
    rows: ["sequencer.addresses.row_key_rows", "sequencer.addresses.row_width_rows"],
};

fn fetched(params: &Params, f: &Fetched, paths: &StagePaths, visit: &mut Visit<'_>) {
    visit(paths.valid, Some(&[f.valid.into()]));
    let values: [u64; 11] = [
        f.exit.into(),
        f.rest_a.into(),
        f.key_bits.into(),
        f.first.into(),
        f.last.into(),
        f.bank.into(),
        f.token.into(),
        f.keyed.into(),
        f.position.into(),
        f.carry.into(),
        f.keep_tag.into(),
    ];
    for (path, value) in paths.fields.iter().zip(values) {
        visit(path, f.valid.then_some(&[value]));
    }
    if params.memory == Memory::Behavioural {
        for (path, value) in paths.rows.iter().zip([f.key, f.ones]) {
            visit(path, f.valid.then_some(&[value]));
        }
    }
}

pub(super) fn addresses(params: &Params, sequencer: &Sequencer, visit: &mut Visit<'_>) {
    fetched(params, &sequencer.rom.fetched, &ROM_STAGE, visit);
    let first = sequencer.rom.fetched;
    visit("sequencer.addresses.rom_i", first.valid.then_some(&[first.i_start.into()]));
    fetched(params, &sequencer.address.fetched, &ADDRESS_STAGE, visit);
    let word = sequencer.address.word;
    visit("sequencer.addresses.word", sequencer.address.fetched.valid.then_some(&[word as u64, (word >> 64) as u64]));
    visit("sequencer.addresses.used_0", Some(&[sequencer.used[0].into()]));
    visit("sequencer.addresses.used_1", Some(&[sequencer.used[1].into()]));
    visit("sequencer.addresses.indices.j", Some(&[sequencer.indices.j.into()]));
    visit("sequencer.addresses.indices.i", Some(&[sequencer.indices.i.into()]));
    visit("sequencer.addresses.indices.l", Some(&[sequencer.indices.l.into()]));
}

/// Paths of the registers that hold a row in one of the adder's stages.
struct RowPaths {
    valid: &'static str,
    fields: [&'static str; 12],
    multi: [&'static str; 2],
}

const SUM_STAGE: RowPaths = RowPaths {
    valid: "sequencer.adder.sum_valid",
    fields: [
        "sequencer.adder.sum_column",
        "sequencer.adder.sum_merge",
        "sequencer.adder.sum_a_enable",
        "sequencer.adder.sum_b_enable",
        "sequencer.adder.sum_write_enable",
        "sequencer.adder.sum_load",
        "sequencer.adder.sum_store",
        "sequencer.adder.sum_token",
        "sequencer.adder.sum_first",
        "sequencer.adder.sum_last",
        "sequencer.adder.sum_carry",
        "sequencer.adder.sum_keep_tag",
    ],
    multi: ["sequencer.adder.sum_multi", "sequencer.adder.sum_multi_rows"],
};

const ROW_STAGE: RowPaths = RowPaths {
    valid: "sequencer.adder.row_valid",
    fields: [
        "sequencer.adder.row_column",
        "sequencer.adder.row_merge",
        "sequencer.adder.row_a_enable",
        "sequencer.adder.row_b_enable",
        "sequencer.adder.row_write_enable",
        "sequencer.adder.row_load",
        "sequencer.adder.row_store",
        "sequencer.adder.row_token",
        "sequencer.adder.row_first",
        "sequencer.adder.row_last",
        "sequencer.adder.row_carry",
        "sequencer.adder.row_keep_tag",
    ],
    multi: ["sequencer.adder.row_multi", "sequencer.adder.row_multi_rows"],
};

fn row(params: &Params, row: &Row, paths: &RowPaths, visit: &mut Visit<'_>) {
    visit(paths.valid, Some(&[row.valid.into()]));
    let (issue, lines) = (&row.issue, &row.issue.lines);
    let values: [u64; 12] = [
        pack(&issue.column),
        lines.merge.into(),
        lines.a.is_some().into(),
        lines.b.is_some().into(),
        issue.write.is_some().into(),
        issue.load.into(),
        issue.store.into(),
        row.token.into(),
        row.first.into(),
        row.last.into(),
        row.carry.into(),
        row.keep_tag.into(),
    ];
    for (path, value) in paths.fields.iter().zip(values) {
        visit(path, row.valid.then_some(&[value]));
    }
    if params.memory == Memory::Behavioural {
        for (path, value) in paths.multi.iter().zip([lines.multi.code(), lines.mask]) {
            visit(path, row.valid.then_some(&[value]));
        }
    }
}

const BASES: [[&str; 2]; 3] = [
    ["sequencer.adder.sum_a_base", "sequencer.adder.sum_a_index"],
    ["sequencer.adder.sum_b_base", "sequencer.adder.sum_b_index"],
    ["sequencer.adder.sum_write_base", "sequencer.adder.sum_write_index"],
];

const SUMS: [&str; 3] = ["sequencer.adder.row_a", "sequencer.adder.row_b", "sequencer.adder.row_write"];

pub(super) fn adder(params: &Params, adder: &AddressAdder, visit: &mut Visit<'_>) {
    row(params, &adder.sum, &SUM_STAGE, visit);
    for (k, [base, index]) in BASES.into_iter().enumerate() {
        visit(base, adder.sum.valid.then_some(&[adder.sum.bases[k].into()]));
        visit(index, adder.sum.valid.then_some(&[adder.sum.indices[k].into()]));
    }
    row(params, &adder.row, &ROW_STAGE, visit);
    for (k, sum) in SUMS.into_iter().enumerate() {
        visit(sum, adder.row.valid.then_some(&[adder.row.sum(k) as u64]));
    }
}

pub(super) fn issue(params: &Params, sequencer: &Sequencer, visit: &mut Visit<'_>) {
    let ready = &sequencer.ready;
    let (lines, row) = (&ready.issue.lines, &ready.issue);
    visit("sequencer.issue.ready", Some(&[ready.valid.into()]));
    let mut of = |matters: bool, path, value: u64| visit(path, (ready.valid && matters).then_some(&[value]));
    of(true, "sequencer.issue.ready_column", pack(&row.column));
    of(true, "sequencer.issue.ready_merge", lines.merge.into());
    if params.memory == Memory::Behavioural {
        of(true, "sequencer.issue.ready_multi", lines.multi.code());
        of(true, "sequencer.issue.ready_multi_rows", lines.mask);
    }
    of(true, "sequencer.issue.ready_a_enable", lines.a.is_some().into());
    of(lines.a.is_some(), "sequencer.issue.ready_a", lines.a.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_b_enable", lines.b.is_some().into());
    of(lines.b.is_some(), "sequencer.issue.ready_b", lines.b.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_write_enable", row.write.is_some().into());
    of(row.write.is_some(), "sequencer.issue.ready_write", row.write.unwrap_or(0) as u64);
    of(true, "sequencer.issue.ready_load", row.load.into());
    of(true, "sequencer.issue.ready_store", row.store.into());
    of(true, "sequencer.issue.ready_token", ready.token.into());
    of(true, "sequencer.issue.ready_first", ready.first.into());
    of(true, "sequencer.issue.ready_last", ready.last.into());
    let [blocked, again] = sequencer.blocked();
    visit("sequencer.issue.blocked", Some(&[blocked.into()]));
    if params.memory == Memory::BlockRam {
        visit("sequencer.issue.blocked_again", Some(&[again.into()]));
    }
    let tokens = [
        "sequencer.issue.tokens_0",
        "sequencer.issue.tokens_1",
        "sequencer.issue.tokens_2",
        "sequencer.issue.tokens_3",
    ];
    for (path, token) in tokens.iter().zip(sequencer.tokens).take(Sequencer::tag_latency(params.memory)) {
        visit(path, Some(&[token.into()]));
    }
    if params.memory == Memory::BlockRam {
        visit("sequencer.issue.flight_0", Some(&[sequencer.flight[0].into()]));
        visit("sequencer.issue.flight_1", Some(&[sequencer.flight[1].into()]));
        let write = sequencer.writes[0];
        visit("sequencer.issue.writes", Some(&[write.is_some().into()]));
        visit("sequencer.issue.written", write.map(|row| [row as u64]).as_ref().map(|row| &row[..]));
        visit("sequencer.issue.loads", Some(&[sequencer.loads[0].into()]));
    }
}
