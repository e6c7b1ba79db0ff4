//! Ports of the accesses, and those of the cache ways.

use bitline_units::duality::isa::codes::MemoryOp;

use super::super::look::Place;
use super::super::store_merge::{masked, strobes};
use crate::state::Masked;

/// A line of a cache way.
pub type Line = [u64; 8];

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInputs {
    /// What is done.
    pub op: MemoryOp,
    /// log2 of an element's bytes.
    pub log_bytes: u8,
    /// Values are extended with their sign.
    pub extends: bool,
    /// The highest bit of a thread's data.
    pub last: u8,
    /// The place of a thread is noted.
    pub note: Option<(u16, Place)>,
    /// A line is asked for.
    pub hint: Option<u32>,
    /// Goes to thread 0.
    pub first: bool,
    /// Threads have their turns.
    pub active: bool,
    /// Or those have whose places are offered.
    pub direct: bool,
    /// The place that is.
    pub offered: Option<Place>,
    /// Its thread asks for it, as far as is known: all that take part do.
    pub asks: bool,
    /// The thread's place in its group.
    pub column: u16,
    /// Data are kept.
    pub keep: bool,
    /// Data.
    pub data: Option<u64>,
    /// The cache ways take a request.
    pub ready: bool,
    /// They answer: the line, and whether it failed.
    pub answer: Option<(Line, bool)>,
    /// What ports hold that mean nothing in this cycle.
    pub noise: u64,
}

impl Default for AccessInputs {
    fn default() -> AccessInputs {
        AccessInputs {
            op: MemoryOp::Load,
            log_bytes: 0,
            extends: false,
            last: 0,
            note: None,
            hint: None,
            first: false,
            active: false,
            direct: false,
            offered: None,
            asks: false,
            column: 0,
            keep: false,
            data: None,
            ready: false,
            answer: None,
            noise: 0,
        }
    }
}

/// A request to the cache ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A line is fetched, which holds this byte.
    Hint(u32),
    /// The word that holds this byte is read; with the second nobody else gets to it until the next request.
    Read(u32, bool),
    /// Bytes of a word are written.
    Write(u32, [Option<u8>; 8]),
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessOutputs {
    /// A line that is asked for is taken.
    pub hint_ready: bool,
    /// A turn ends: whether its thread takes part.
    pub goes: Option<bool>,
    /// The same of a read: that one ends.
    pub reads: Option<bool>,
    /// A value is given.
    pub value: Option<u64>,
    /// Nothing is under way.
    pub empty: bool,
    /// Of reads: the last value is given in this cycle or the next.
    pub settles: bool,
    /// A line could not be fetched.
    pub failed: bool,
    /// What is asked of the cache ways.
    pub request: Option<Request>,
}

/// Where a request is, of which not all bits matter.
fn address(request: Option<Request>) -> Masked {
    match request {
        Some(Request::Hint(address)) => Masked::low(address.into(), !63),
        Some(Request::Read(address, _) | Request::Write(address, _)) => Masked::low(address.into(), !7),
        None => Masked::default(),
    }
}

/// Bytes that are written.
fn written(request: Option<Request>) -> Option<[Option<u8>; 8]> {
    match request {
        Some(Request::Write(_, bytes)) => Some(bytes),
        _ => None,
    }
}

/// What comes from the cache ways: an answer, whether they take a request, and what ports hold that mean nothing.
#[derive(Clone, Copy, Debug)]
pub struct CachePorts(pub Option<(Line, bool)>, pub bool, pub u64);

/// What is asked of the cache ways.
#[derive(Clone, Copy, Debug)]
pub struct RequestPorts(pub Option<Request>);

state! {
    CachePorts(self) {
        cache_ready = self.1;
        cache_answer = self.0.is_some();
        // The word is in the line, too, and nobody looks at it here.
        cache_answer_data = self.2;
        cache_answer_failed = self.0.map_or(self.2 & 1 == 1, |answer| answer.1);
        answer_line = self.0.map_or([self.2; 8], |answer| answer.0);
    }

    RequestPorts(self) {
        cache_valid = self.0.is_some();
        cache_address = address(self.0);
        cache_hint = self.0.map(|request| matches!(request, Request::Hint(_)));
        cache_write = self.0.map(|request| matches!(request, Request::Write(..)));
        cache_data = written(self.0).map_or_else(Masked::default, |bytes| masked(&bytes));
        cache_strobes = written(self.0).map(|bytes| strobes(&bytes));
        lock = self.0.map(|request| matches!(request, Request::Read(_, true)));
    }

    AccessInputs(self) {
        operation = self.op.code();
        extends_ = self.extends;
        self => log_bytes, last, first, active, direct, column, keep;
        note = self.note.is_some();
        note_thread = self.note.map(|note| note.0);
        note_place = self.note.map(|note| note.1).or(self.offered).map(Place::packed);
        offered = self.offered.is_some();
        offered_asks = self.asks;
        hint = self.hint.is_some();
        hint_place = self.hint;
        data_valid = self.data.is_some();
        data = self.data;
        with CachePorts(self.answer, self.ready, self.noise);
    }

    AccessOutputs(self) {
        self => hint_ready, empty, settles, failed;
        goes = self.goes.is_some();
        part = self.goes;
        reads = self.reads;
        emits = self.value.is_some();
        value = self.value;
        with RequestPorts(self.request);
    }
}
