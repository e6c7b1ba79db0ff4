//! Registers of the memory path, and what the model says that they hold; nothing where a value does not matter.

use crate::lockstep::state::Visit;
use crate::model::memory::Elements;
use crate::model::memory::burst_generator::BurstGenerator;
use crate::model::memory::core::MemoryCore;
use crate::model::memory::dispatch::{Ranged, State};
use crate::model::memory::reader::MemoryReader;
use crate::model::memory::stages::TransferStages;
use crate::model::memory::writer::MemoryWriter;
use crate::model::queue::Queue;

const STRIDE: u32 = 0xf_ffff;

fn stride(stride: i32) -> u64 {
    u64::from(stride as u32 & STRIDE)
}

fn one(visit: &mut Visit<'_>, path: &'static str, value: Option<u64>) {
    visit(path, value.as_ref().map(std::slice::from_ref));
}

fn queue<T>(queue: &Queue<T>, paths: [&'static str; 3], visit: &mut Visit<'_>) {
    for (path, value) in paths.into_iter().zip([queue.tail, queue.front, queue.count]) {
        one(visit, path, Some(value.into()));
    }
}

pub(super) fn path(core: &MemoryCore, visit: &mut Visit<'_>) {
    queue(&core.commands, ["commands.tail", "commands.front", "commands.count"], visit);
    queue(&core.decisions, ["decisions.tail", "decisions.front", "decisions.count"], visit);
    one(visit, "fills_slices", Some(core.fills_slices.into()));
    let dispatch = &core.dispatch;
    let state = dispatch.state;
    one(visit, "dispatch.state", Some(state as u64));
    one(visit, "dispatch.step", Some(dispatch.step.into()));
    one(visit, "dispatch.scoreboard.scan_row", dispatch.scanned.map(|(first, _)| first.into()));
    one(visit, "dispatch.scoreboard.scan_end", dispatch.scanned.map(|(_, end)| end.into()));
    one(visit, "dispatch.conflict", Some(dispatch.conflict.into()));
    let within = |states: &[State]| states.contains(&state);
    one(visit, "dispatch.code", Some(dispatch.fault.0.into()));
    one(visit, "dispatch.operand", Some(dispatch.fault.1.into()));
    one(visit, "dispatch.doubled", Some(dispatch.doubled.into()).filter(|_| state == State::Span));
    one(visit, "dispatch.multiplier", Some(dispatch.multiplier.into()).filter(|_| state == State::Span));
    let spanned = within(&[State::Span, State::End, State::Range, State::Judge]);
    one(visit, "dispatch.span", Some(u64::from(dispatch.span as u32)).filter(|_| spanned));
    let head = core.commands.head().and_then(|head| crate::isa::transfer::Transfer::of(&head.command, head.opcode));
    let last = head.map(|t| t.address.wrapping_add_signed(dispatch.span.into()));
    one(visit, "dispatch.last", last.filter(|_| state == State::Range));
    let ranged = within(&[State::Judge, State::Offer]);
    let range = head.filter(|t| ranged && t.count > 0).map(|t| t.range());
    if !core.streams {
        one(visit, "dispatch.outside", range.map(|range| range.is_none().into()));
    }
    one(visit, "dispatch.low", range.flatten().map(|range| range.0));
    one(visit, "dispatch.high", range.flatten().map(|range| range.1));
}

const FIRST: [&str; 9] = ["store", "width", "row", "behind", "count", "size", "stride", "dense", "index"];
const SECOND: [&str; 9] = [
    "next_store",
    "next_width",
    "next_row",
    "next_behind",
    "next_count",
    "next_size",
    "next_stride",
    "next_dense",
    "next_index",
];

fn transfer(ranged: Option<Ranged>, paths: [&'static str; 9], visit: &mut Visit<'_>) {
    let values = ranged.map(|Ranged { transfer: t, elements, index, .. }| {
        [
            t.store.into(),
            t.width.into(),
            t.row.into(),
            u64::from(t.row) + u64::from(t.width),
            t.count.into(),
            u64::from(elements.bytes.ilog2()),
            stride(elements.stride),
            elements.dense().into(),
            index.into(),
        ]
    });
    for (number, path) in paths.into_iter().enumerate() {
        one(visit, path, values.map(|values| values[number]));
    }
}

pub(super) fn stages(stages: &TransferStages, streams: bool, visit: &mut Visit<'_>) {
    one(visit, "valid", Some(stages.first.is_some().into()));
    one(visit, "asked", stages.first.map(|(_, asked)| asked.into()));
    transfer(stages.first.map(|(ranged, _)| ranged), FIRST, visit);
    one(visit, "address", stages.first.map(|(ranged, _)| ranged.transfer.address));
    let second = stages.second;
    one(visit, "next_valid", Some(second.is_some().into()));
    one(visit, "fills", second.map(|second| second.fills.into()));
    one(visit, "filled", second.map(|second| second.filled.is_some().into()));
    let filled = second.and_then(|second| second.filled);
    // Once full, the address is that of an error, if there is one.
    let address = second.and_then(|second| match second.filled {
        None => Some(second.ranged.transfer.address),
        Some((response, address)) => (response != 0).then_some(address),
    });
    transfer(second.map(|second| second.ranged), SECOND, visit);
    one(visit, "next_address", address);
    one(visit, "response", filled.map(|(response, _)| response.into()));
    one(visit, "writing", Some(stages.writing.is_some().into()));
    one(visit, "writing_index", stages.writing.map(|(_, index)| index.into()));
    if streams {
        return;
    }
    let (first, second) = (stages.first.map(|(ranged, _)| ranged.range), second.map(|second| second.ranged.range));
    one(visit, "low", first.map(|range| range.0));
    one(visit, "high", first.map(|range| range.1));
    one(visit, "next_low", second.map(|range| range.0));
    one(visit, "next_high", second.map(|range| range.1));
    one(visit, "writing_low", stages.writing.map(|(range, _)| range.0));
    one(visit, "writing_high", stages.writing.map(|(range, _)| range.1));
}

pub(super) fn bursts(bursts: &BurstGenerator, visit: &mut Visit<'_>) {
    let piece = bursts.piece;
    one(visit, "active", Some(piece.is_some().into()));
    one(visit, "address", piece.map(|piece| piece.address));
    one(visit, "rest", piece.map(|piece| u64::from(piece.bytes) - 1));
    one(visit, "base", piece.map(|piece| piece.base));
    one(visit, "runs", piece.map(|piece| piece.runs.into()));
    one(visit, "run_rest", piece.map(|piece| u64::from(piece.element) - 1));
    one(visit, "stride", piece.map(|piece| stride(piece.stride)));
    one(visit, "offered", Some(bursts.offered.is_some().into()));
    one(visit, "offered_address", bursts.offered.map(|burst| burst.address));
    one(visit, "offered_length", bursts.offered.map(|burst| u64::from(burst.beats) - 1));
}

pub(super) fn reader(reader: &MemoryReader, visit: &mut Visit<'_>) {
    queue(&reader.waiting, ["waiting.tail", "waiting.front", "waiting.count"], visit);
    let chunks = reader.chunks;
    one(visit, "splitter.active", Some(chunks.is_some().into()));
    one(visit, "splitter.number", chunks.map(|chunks| chunks.number.into()));
    one(visit, "splitter.rest", chunks.map(|chunks| u64::from(chunks.left) - 1));
    one(visit, "splitter.runs", chunks.map(|chunks| chunks.runs.into()));
    one(visit, "splitter.offset", chunks.map(|chunks| chunks.run.address % 64));
    one(visit, "splitter.stride", chunks.map(|chunks| stride(chunks.run.stride) % 64));
    one(visit, "splitter.element_rest", chunks.map(|chunks| u64::from(chunks.run.bytes) - 1));
    let elements = reader.elements;
    one(visit, "unpacker.active", Some(elements.is_some().into()));
    one(visit, "unpacker.address", elements.map(|elements| elements.address));
    one(visit, "unpacker.count", elements.map(|elements| u64::from(elements.count) - 1));
    one(visit, "unpacker.size", elements.map(|elements| elements.bytes.into()));
    one(visit, "unpacker.stride", elements.map(|elements| stride(elements.stride)));
    one(visit, "unpacker.dense", elements.map(|elements| elements.dense().into()));
    one(visit, "unpacker.place", elements.map(|_| (reader.place + 7) as u64));
    one(visit, "unpacker.held", Some(reader.held.is_some().into()));
    one(visit, "unpacker.chunk", reader.held.map(|chunk| chunk.data));
    one(visit, "unpacker.response", reader.held.map(|chunk| chunk.response.into()));
    one(visit, "unpacker.carried", reader.before);
    one(visit, "unpacker.failed", Some(reader.failed.into()));
    one(visit, "unpacker.failed_address", Some(reader.failed_address).filter(|_| reader.failed != 0));
    one(visit, "unpacker.full", Some(reader.word.is_some().into()));
    one(visit, "unpacker.word", reader.word.map(|(word, _)| word));
    one(visit, "unpacker.last", reader.word.map(|(_, last)| last.into()));
}

const CHUNKS: [[&str; 2]; 8] = [
    ["joiner.chunks_0", "joiner.strobes_0"],
    ["joiner.chunks_1", "joiner.strobes_1"],
    ["joiner.chunks_2", "joiner.strobes_2"],
    ["joiner.chunks_3", "joiner.strobes_3"],
    ["joiner.chunks_4", "joiner.strobes_4"],
    ["joiner.chunks_5", "joiner.strobes_5"],
    ["joiner.chunks_6", "joiner.strobes_6"],
    ["joiner.chunks_7", "joiner.strobes_7"],
];

pub(super) fn writer(writer: &MemoryWriter, visit: &mut Visit<'_>) {
    queue(&writer.lengths, ["lengths.tail", "lengths.front", "lengths.count"], visit);
    queue(&writer.addresses, ["addresses.tail", "addresses.front", "addresses.count"], visit);
    one(visit, "address_valid", Some(writer.address.is_some().into()));
    one(visit, "address", writer.address.map(|burst| burst.address));
    one(visit, "length", writer.address.map(|burst| u64::from(burst.beats) - 1));
    one(visit, "error", Some(writer.failed.into()));
    one(visit, "error_address", writer.failed_address.filter(|_| writer.failed != 0));
    let elements: Option<Elements> = writer.elements;
    one(visit, "packer.active", Some(elements.is_some().into()));
    one(visit, "packer.count", elements.map(|elements| u64::from(elements.count) - 1));
    one(visit, "packer.bytes", elements.map(|elements| (1 << elements.bytes) - 1));
    one(visit, "packer.stride", elements.map(|elements| stride(elements.stride) % 8));
    one(visit, "packer.dense", elements.map(|elements| elements.dense().into()));
    one(visit, "packer.place", elements.map(|elements| elements.address % 8));
    one(visit, "packer.gathered", writer.gathered.map(|bytes| bytes.data));
    one(visit, "packer.strobes", Some(writer.gathered.map_or(0, |bytes| bytes.strobes.into())));
    one(visit, "packer.flush", Some(writer.flush.into()));
    one(visit, "packer.full", Some(writer.chunk.is_some().into()));
    one(visit, "packer.chunk", writer.chunk.map(|(bytes, _)| bytes.data));
    one(visit, "packer.chunk_bytes", writer.chunk.map(|(bytes, _)| bytes.strobes.into()));
    one(visit, "packer.ends", writer.chunk.map(|(_, ends)| ends.into()));
    one(visit, "joiner.number", writer.joined.map(|_| writer.number.into()));
    if writer.beat.len() > 1 {
        one(visit, "joiner.offset", writer.joined.map(|(offset, _)| offset.into()));
        one(visit, "joiner.stride", writer.joined.map(|(_, step)| step.into()));
    }
    one(visit, "joiner.full", Some(writer.full.into()));
    one(visit, "joiner.beats", Some(writer.beats.into()));
    for (chunk, [data, strobes]) in writer.beat.iter().zip(CHUNKS) {
        one(visit, data, Some(chunk.data));
        one(visit, strobes, Some(chunk.strobes.into()));
    }
}
