//! Which register each piece of the model's state stands for.

use crate::lockstep::state::Visit;
use crate::model::board::array_memory::ArrayMemory;
use crate::model::board::frame_receiver::FrameReceiver;
use crate::model::board::frame_sender::FrameSender;
use crate::model::board::host_bridge::HostBridge;
use crate::model::board::interconnect::Interconnect;
use crate::model::board::slave::Slave;
use crate::model::board::status_lights::StatusLights;
use crate::model::board::system::System;

/// Visits registers with their values.
macro_rules! visit {
    ($visit:ident; $($path:literal $value:expr;)+) => {
        $($visit($path, Some(&[u64::from($value)]));)+
    };
}

/// Every register.
pub fn registers(model: &System, visit: &mut Visit<'_>) {
    host(&model.host, visit);
    interconnect(&model.interconnect, visit);
    let board = &model.registers;
    slave(&board.slave, &REGISTERS_SLAVE, visit);
    for (path, at) in [
        ["registers.scratch.bytes_0", "registers.led.bytes_0"],
        ["registers.scratch.bytes_1", "registers.led.bytes_1"],
        ["registers.scratch.bytes_2", "registers.led.bytes_2"],
        ["registers.scratch.bytes_3", "registers.led.bytes_3"],
    ]
    .into_iter()
    .zip(0..)
    {
        visit(path[0], Some(&[(board.scratch >> (8 * at) & 0xff).into()]));
        visit(path[1], Some(&[(board.led >> (8 * at) & 0xff).into()]));
    }
    visit! { visit;
        "registers.inputs" board.inputs;
        "registers.frames_ok" board.counts[0];
        "registers.frames_refused" board.counts[1];
        "registers.wrong_bytes" board.counts[2];
    }
    memory(&model.memory, visit);
    lights(&model.lights, visit);
}

fn host(host: &HostBridge, visit: &mut Visit<'_>) {
    let line = &host.uart_receiver;
    visit! { visit;
        "host.uart_receiver.first" line.line[0];
        "host.uart_receiver.line" line.line[1];
        "host.uart_receiver.active" line.waits.is_some();
        "host.uart_receiver.broken" line.broken;
        "host.uart_receiver.bits" line.bits;
        "host.uart_receiver.good" line.ended == Some(true);
        "host.uart_receiver.wrong" line.ended == Some(false);
    }
    visit("host.uart_receiver.cycles", line.waits.map(|waits| [waits.0.into()]).as_ref().map(|v| &v[..]));
    visit("host.uart_receiver.number", line.waits.map(|waits| [waits.1.into()]).as_ref().map(|v| &v[..]));
    let sent = &host.uart_transmitter;
    visit! { visit;
        "host.uart_transmitter.active" sent.active;
        "host.uart_transmitter.line" sent.line;
        "host.uart_transmitter.cycles" sent.cycles;
        "host.uart_transmitter.left" sent.left;
        "host.uart_transmitter.bits" sent.bits;
    }
    receiver(&host.receiver, visit);
    sender(&host.sender, visit);
    let bridge = &host.bridge;
    visit! { visit;
        "host.bridge.phase" bridge.phase as u8;
        "host.bridge.address" bridge.address;
        "host.bridge.data" bridge.data;
        "host.bridge.done" bridge.done;
        "host.bridge.status" bridge.status;
        "host.bridge.aw_valid" bridge.offers[0];
        "host.bridge.w_valid" bridge.offers[1];
        "host.bridge.ar_valid" bridge.offers[2];
        "host.bridge.waiting" bridge.waiting;
        "host.bridge.cycles" bridge.cycles;
        "host.bridge.storing" bridge.storing;
        "host.bridge.stored" bridge.stored;
        "host.bridge.stored_index" bridge.stored_index;
    }
}

fn receiver(receiver: &FrameReceiver, visit: &mut Visit<'_>) {
    let (cycles, bits) = receiver.timer.counters();
    let mut header = [0; 16];
    header[..10].copy_from_slice(&receiver.header);
    let header = u128::from_le_bytes(header);
    visit("host.receiver.header", Some(&[header as u64, (header >> 64) as u64]));
    visit! { visit;
        "host.receiver.checksum.state" receiver.checksum.0;
        "host.receiver.timer.cycles" cycles;
        "host.receiver.timer.bits" bits;
        "host.receiver.phase" receiver.phase as u8;
        "host.receiver.position" receiver.position;
        "host.receiver.tag" receiver.tag;
        "host.receiver.word" receiver.word;
        "host.receiver.complete" receiver.complete;
        "host.receiver.index" receiver.index;
        "host.receiver.left" receiver.left;
        "host.receiver.sum_wrong" receiver.wrong[0];
        "host.receiver.operation_wrong" receiver.wrong[1];
        "host.receiver.count_wrong" receiver.wrong[2];
        "host.receiver.alignment_wrong" receiver.wrong[3];
        "host.receiver.status" receiver.status;
    }
}

fn sender(sender: &FrameSender, visit: &mut Visit<'_>) {
    visit! { visit;
        "host.sender.checksum.state" sender.checksum.0;
        "host.sender.phase" sender.phase as u8;
        "host.sender.piece" sender.piece;
        "host.sender.left" sender.left;
        "host.sender.words" sender.words;
    }
}

fn interconnect(bus: &Interconnect, visit: &mut Visit<'_>) {
    visit! { visit;
        "bus.write_held" bus.write_address.0;
        "bus.write_address" bus.write_address.1;
        "bus.write_known" bus.write_part.0;
        "bus.write_nowhere" bus.write_part.1.is_none();
        "bus.data_held" bus.data.0;
        "bus.data" bus.data.1;
        "bus.data_sent" bus.data_sent;
        "bus.written" bus.written.0;
        "bus.write_response" bus.written.1;
        "bus.read_held" bus.read_address.0;
        "bus.read_address" bus.read_address.1;
        "bus.read_known" bus.read_known;
        "bus.read" bus.read.0;
        "bus.read_data" bus.read.1;
        "bus.read_response" bus.read.2;
    }
    for (slave, paths) in PARTS.into_iter().enumerate() {
        let [part, aw, w, ar] = paths;
        visit(part, Some(&[(bus.write_part.1 == Some(slave)).into()]));
        for (path, offer) in [aw, w, ar].into_iter().zip(bus.offers[slave]) {
            visit(path, Some(&[offer.into()]));
        }
    }
}

const PARTS: [[&str; 4]; 4] = [
    ["bus.write_part_0", "bus.aw_valid_0", "bus.w_valid_0", "bus.ar_valid_0"],
    ["bus.write_part_1", "bus.aw_valid_1", "bus.w_valid_1", "bus.ar_valid_1"],
    ["bus.write_part_2", "bus.aw_valid_2", "bus.w_valid_2", "bus.ar_valid_2"],
    ["bus.write_part_3", "bus.aw_valid_3", "bus.w_valid_3", "bus.ar_valid_3"],
];

const REGISTERS_SLAVE: [&str; 10] = [
    "registers.slave.address_held",
    "registers.slave.address",
    "registers.slave.data_held",
    "registers.slave.data",
    "registers.slave.strobes",
    "registers.slave.written",
    "registers.slave.read_held",
    "registers.slave.read_address",
    "registers.slave.read_valid",
    "registers.slave.read_data",
];

const MEMORY_SLAVE: [&str; 10] = [
    "memory.slave.address_held",
    "memory.slave.address",
    "memory.slave.data_held",
    "memory.slave.data",
    "memory.slave.strobes",
    "memory.slave.written",
    "memory.slave.read_held",
    "memory.slave.read_address",
    "memory.slave.read_valid",
    "memory.slave.read_data",
];

fn slave(slave: &Slave, paths: &[&'static str; 10], visit: &mut Visit<'_>) {
    let values: [u32; 10] = [
        slave.address.0.into(),
        slave.address.1,
        slave.data.0.into(),
        slave.data.1,
        // All bytes, always.
        15,
        slave.written.into(),
        slave.read_address.0.into(),
        slave.read_address.1,
        slave.read_data.0.into(),
        slave.read_data.1,
    ];
    for (path, value) in paths.iter().zip(values) {
        visit(path, Some(&[value.into()]));
    }
}

fn memory(memory: &ArrayMemory, visit: &mut Visit<'_>) {
    slave(&memory.slave, &MEMORY_SLAVE, visit);
    visit! { visit;
        "memory.writing" memory.writing.0;
        "memory.write_index" memory.writing.1;
        "memory.write_beyond" memory.writing.2;
        "memory.beat" memory.beat.0;
        "memory.beat_data" memory.beat.1;
        "memory.beat_strobes" memory.beat.2;
        "memory.beat_index" memory.beat.3;
        "memory.written" memory.written;
        "memory.reading" memory.reading.0;
        "memory.read_index" memory.reading.1;
        "memory.read_beyond" memory.reading.2;
        "memory.read_left" memory.reading.3;
        "memory.shown" memory.shown.0;
        "memory.shown_last" memory.shown.1;
        "memory.shown_beyond" memory.shown.2;
        "memory.offered" memory.offered.0;
        "memory.offered_last" memory.offered.1;
        "memory.offered_beyond" memory.offered.2;
        "memory.offered_data" memory.offered_data;
        "memory.host_shown" memory.host[0];
        "memory.host_taken" memory.host[1];
        "memory.host_word" memory.host_word;
    }
}

fn lights(lights: &StatusLights, visit: &mut Visit<'_>) {
    visit! { visit;
        "lights.blink" lights.blink;
        "lights.held_0" lights.held[0];
        "lights.held_1" lights.held[1];
        "lights.held_2" lights.held[2];
        "lights.ok" lights.last[0];
        "lights.refused" lights.last[1];
        "lights.error" lights.seen[0];
        "lights.irq" lights.seen[1];
        "lights.second_irq" lights.seen[2];
        "lights.leds" lights.lights;
    }
}
