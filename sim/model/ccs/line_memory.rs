//! Model of the line memory.

use super::line_port::{LineAnswers, LineReply, LineRequests};
use crate::state::Touched;
use bitline_units::ccs::CcsGeometry;

/// The memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMemory {
    /// Lines, an element for each lane.
    pub lines: Vec<Vec<u32>>,
    /// The line on offer.
    pub reply: Option<LineReply>,
    /// The line on offer on the second read port, if there are two.
    pub more_reply: Option<LineReply>,
    /// A write was there; whether it failed.
    pub ack: Option<bool>,
    /// The line that the last cycle has written.
    touched: Option<usize>,
    element_bits: usize,
    /// There are two read ports.
    pub two: bool,
}

impl LineMemory {
    /// `lines` lines of zeros.
    pub fn new(geometry: &CcsGeometry, lines: usize) -> LineMemory {
        LineMemory {
            lines: vec![vec![0; geometry.lanes]; lines],
            reply: None,
            more_reply: None,
            ack: None,
            touched: None,
            element_bits: geometry.element_bits,
            two: geometry.read_ports == 2,
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        (self.reply, self.more_reply, self.ack) = (None, None, None);
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &LineRequests) -> LineAnswers {
        let ready = self.reply.is_none() || inputs.take;
        let more_ready = self.more_reply.is_none() || !inputs.more_waits;
        let more_reply = self.more_reply.clone();
        let outputs = LineAnswers { ready, reply: self.reply.clone(), ack: self.ack, more_ready, more_reply };
        if inputs.take {
            self.reply = None;
        }
        if let Some(line) = inputs.read.filter(|_| ready) {
            let data = self.lines.get(line as usize).cloned();
            self.reply = Some(LineReply { error: data.is_none(), data: data.unwrap_or_default() });
        }
        if !inputs.more_waits {
            self.more_reply = None;
        }
        if let Some(line) = inputs.more_read.filter(|_| more_ready && self.two) {
            let data = self.lines.get(line as usize).cloned();
            self.more_reply = Some(LineReply { error: data.is_none(), data: data.unwrap_or_default() });
        }
        let written = inputs.write.as_ref().map(|write| write.line as usize);
        self.touched = written.filter(|&line| line < self.lines.len());
        self.ack = inputs.write.as_ref().map(|write| match self.lines.get_mut(write.line as usize) {
            Some(line) => {
                write.merge(line, self.element_bits);
                false
            }
            None => true,
        });
        outputs
    }
}

/// A byte of a line's elements of so many bytes, a power of two: looked at so often that it must be quick.
#[inline(always)]
fn byte_of(line: &[u32], byte: usize, bytes: usize) -> u64 {
    let at = 8 * (byte & (bytes - 1));
    u64::from(line[byte >> bytes.trailing_zeros()] >> at & 0xff)
}

state! {
    LineMemory(self) {
        there = self.reply.is_some();
        beyond = self.reply.as_ref().map(|reply| reply.error);
        if (self.two) {
            more_there[] = [self.more_reply.is_some()];
            more_beyond[] = [self.more_reply.as_ref().map(|reply| reply.error)];
        }
        written = self.ack.is_some();
        missed = self.ack;
        let bytes = self.element_bits / 8;
        let touched = |to: &mut dyn FnMut(usize)| self.touched.into_iter().for_each(to);
        let (rams, depth) = (bytes * self.lines[0].len(), self.lines.len());
        memories (rams) [rams], (Touched::Seldom(&touched), depth) =
            |byte: usize, line: usize| byte_of(&self.lines[line], byte, bytes);
        memories (more_rams) [if self.two { rams } else { 0 }], (Touched::Seldom(&touched), depth) =
            |byte: usize, line: usize| byte_of(&self.lines[line], byte, bytes);
    }
}
