//! The line port: what goes over it in a cycle.

/// A line that is written, or some bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineWrite {
    /// Its number.
    pub line: u32,
    /// Lanes that are written.
    pub lanes: Vec<bool>,
    /// Bytes of each 32 bits that are.
    pub bytes: u8,
    /// A word that is written in place of the elements, in the lanes of its bytes.
    pub word: Option<u32>,
    /// An element for each lane.
    pub data: Vec<u32>,
}

impl LineWrite {
    /// The bits of a lane that are written.
    pub fn mask(&self, lane: usize, element_bits: usize) -> u32 {
        if !self.lanes[lane] {
            return 0;
        }
        let bytes = (0..element_bits / 8).filter(|byte| self.bytes >> ((lane * element_bits / 8 + byte) % 4) & 1 == 1);
        bytes.map(|byte| 0xff << (8 * byte)).sum()
    }

    /// What a lane is written with.
    pub fn element(&self, lane: usize, element_bits: usize) -> u32 {
        let ones = u32::MAX >> (32 - element_bits);
        self.word.map_or(self.data[lane], |word| word >> (lane * element_bits % 32) & ones)
    }

    /// Puts what is written into a line.
    pub fn merge(&self, line: &mut [u32], element_bits: usize) {
        for (lane, element) in line.iter_mut().enumerate() {
            let mask = self.mask(lane, element_bits);
            *element = *element & !mask | self.element(lane, element_bits) & mask;
        }
    }
}

/// What the master shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRequests {
    /// A line to read.
    pub read: Option<u32>,
    /// A line that is there is taken.
    pub take: bool,
    /// A write.
    pub write: Option<LineWrite>,
    /// With two read ports, a line to read on the second; what comes there is always taken.
    pub more_read: Option<u32>,
    /// Unless it is not.
    pub more_waits: bool,
}

/// What memory shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineAnswers {
    /// A read is taken.
    pub ready: bool,
    /// A line; none in it if what it holds means nothing.
    pub reply: Option<LineReply>,
    /// A write is done; whether it failed.
    pub ack: Option<bool>,
    /// With two read ports: a read is taken on the second.
    pub more_ready: bool,
    /// A line on the second.
    pub more_reply: Option<LineReply>,
}

/// A line that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineReply {
    /// Its elements; empty if they mean nothing.
    pub data: Vec<u32>,
    /// The read failed.
    pub error: bool,
}

state! {
    LineRequests(self, lanes: usize, two: bool) {
        let write = self.write.as_ref();
        read_valid = self.read.is_some();
        read_line = self.read;
        reply_ready = self.take;
        write_valid = write.is_some();
        write_line = write.map(|write| write.line);
        write_bytes = write.map(|write| write.bytes);
        write_word = write.map(|write| write.word.is_some());
        write_value = write.and_then(|write| write.word);
        write_lanes[] = (0..lanes).map(|lane| write.map(|write| write.lanes[lane]));
        write_data[] = (0..lanes).map(|lane| write.map(|write| write.data[lane]));
        if (two) {
            more_read_0_valid = self.more_read.is_some();
            more_read_0_line = self.more_read;
            more_reply_0_ready = !self.more_waits;
        }
    }

    LineAnswers(self, asked: bool, more_asked: bool, lanes: usize, two: bool) {
        // Whether memory is ready matters when a read is asked for.
        read_ready = asked.then_some(self.ready);
        let reply = self.reply.as_ref();
        reply_valid = reply.is_some();
        reply_error = reply.map(|reply| reply.error);
        reply_data[] = (0..lanes).map(|lane| reply.and_then(|reply| reply.data.get(lane)));
        ack_valid = self.ack.is_some();
        ack_error = self.ack;
        if (two) {
            let more = self.more_reply.as_ref();
            more_read_0_ready = more_asked.then_some(self.more_ready);
            more_reply_0_valid = more.is_some();
            more_reply_0_error = more.map(|reply| reply.error);
            more_reply_0_data[] = (0..lanes).map(|lane| more.and_then(|reply| reply.data.get(lane)));
        }
    }
}
