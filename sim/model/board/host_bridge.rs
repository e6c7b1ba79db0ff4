//! Model of the host bridge.

use super::bridge::Bridge;
use super::frame_receiver::FrameReceiver;
use super::frame_sender::{Answer, FrameSender};
use super::slave::{Answers, Master};
use super::uart_receiver::{Heard, UartReceiver};
use super::uart_transmitter::UartTransmitter;
use crate::state::{Contents, Touched, Words};
use bitline_units::system::protocol::{MAX_WORDS, Status};

/// What the bridge shows besides the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// A request is under way.
    pub busy: bool,
    /// One was answered with status `ok`.
    pub ok: bool,
    /// One was answered with another.
    pub refused: bool,
    /// A byte had a wrong stop bit.
    pub wrong_byte: bool,
}

/// The bridge with what is on its way to the pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBridge {
    /// Bytes from the line.
    pub uart_receiver: UartReceiver,
    /// Bytes to the line.
    pub uart_transmitter: UartTransmitter,
    /// Requests.
    pub receiver: FrameReceiver,
    /// Replies.
    pub sender: FrameSender,
    /// Their words.
    pub buffer: Vec<u32>,
    /// The word that the buffer shows.
    pub word: u32,
    /// The one that the last cycle has written.
    pub changed: Option<usize>,
    /// What requests ask for.
    pub bridge: Bridge,
}

impl HostBridge {
    /// A bridge after reset, its buffer full of zeros.
    pub fn new(cycles_a_bit: u32, timeout_bits: u32, log2_bus_timeout: usize) -> HostBridge {
        HostBridge {
            uart_receiver: UartReceiver::new(cycles_a_bit),
            uart_transmitter: UartTransmitter::new(cycles_a_bit),
            receiver: FrameReceiver::new(cycles_a_bit, timeout_bits),
            sender: FrameSender::default(),
            buffer: vec![0; MAX_WORDS],
            word: 0,
            changed: None,
            bridge: Bridge::new(log2_bus_timeout),
        }
    }

    /// What it shows to the bus.
    pub fn master(&self) -> Master {
        self.bridge.master()
    }

    /// What else it shows.
    pub fn events(&self) -> Events {
        let (ended, ok) = (self.sender.done() && self.bridge.replies(), self.bridge.status == Status::Ok as u8);
        Events {
            busy: self.receiver.busy(),
            ok: ended && ok,
            refused: ended && !ok,
            wrong_byte: self.uart_receiver.heard() == Some(Heard::Wrong),
        }
    }

    /// One clock edge: the line, what the bus shows, and its data's wires.
    pub fn step(&mut self, rxd: bool, bus: &Answers, wires: u32) {
        let asked = self.receiver.asked();
        let (offers, replies, sent) = (self.receiver.offers(), self.bridge.replies(), self.sender.done());
        let (byte, ready) = (self.sender.byte(), self.uart_transmitter.ready());
        let answer = Answer {
            status: self.bridge.status,
            tag: self.receiver.tag,
            count: self.bridge.done,
            words: !asked.write && self.bridge.done > 0,
        };
        let store = self.bridge.store().or(self.receiver.store());
        let fetch = self.bridge.fetch(&asked).or(self.sender.fetch());
        let shown = self.sender.piece as u8;
        self.uart_transmitter.step(byte, shown);
        self.sender.step(&answer, replies, self.word, ready);
        self.bridge.step(&asked, offers, self.word, bus, wires, sent);
        self.receiver.step(self.uart_receiver.heard(), replies && sent);
        self.uart_receiver.step(rxd);
        // A word is read before it is written.
        if let Some(number) = fetch {
            self.word = self.buffer[usize::from(number)];
        }
        self.changed = store.map(|(number, _)| number.into());
        if let Some((number, word)) = store {
            self.buffer[usize::from(number)] = word;
        }
    }
}

state! {
    HostBridge(self) {
        in uart_receiver = self.uart_receiver;
        in uart_transmitter = self.uart_transmitter;
        in receiver = self.receiver;
        in sender = self.sender;
        in bridge = self.bridge;
        let touched = |to: &mut dyn FnMut(usize)| self.changed.into_iter().for_each(to);
        in buffer {
            memory (words) = Contents {
                depth: self.buffer.len(),
                words: Words::Narrow(&|word| Some(self.buffer[word].into())),
                touched: Touched::Seldom(&touched),
            };
        }
    }
}
