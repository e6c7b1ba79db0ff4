//! The protocol between host and board over a UART: frames, statuses, checksum and the board's address map.
//!
//! Both sides are made from this file: the bridge in the FPGA (`hdl/units/system/blocks`) and the host's tool. 8 data
//! bits, no parity, one stop bit, lowest bit first; numbers of several bytes are little-endian; addresses count bytes,
//! transfers move words of 32 bits.
//!
//! ```text
//!  request   0x5a  operation  tag  count (2)  address (4)  checksum (2)  [ words, checksum (2): a write ]
//!  reply     0xa5  status     tag  count (2)               checksum (2)  [ words, checksum (2): bit 7 of status ]
//! ```
//!
//! A header's checksum covers all bytes before it, that of the words only these. One request is under way at a time; a
//! reply carries its tag.
//!
//! **Rules of the bridge.** Outside of a frame, bytes other than 0x5a are dropped. A write reaches the bus only when
//! all of its frame is there and both checksums are right; a read is answered only when all its words are there or the
//! bus has refused one. `count` in a reply is the number of words that were read or written before anything failed, and
//! a reply to a read carries these. After a frame that is refused for its form (statuses `checksum`, `timeout`,
//! `operation`, `count`, `alignment`) the bridge answers at once and drops bytes until the line was quiet for the
//! time-out, so that what is left of a frame is never taken for another. The first of these statuses, in this order,
//! that fits is told: a header's checksum comes first, then operation, count and alignment. A frame of which no byte
//! has come for the time-out ends with status `timeout`; the reply's tag is 0 if the frame's has not come. From the
//! last byte of a request to that of its reply, bytes are dropped. So are bytes with a wrong stop bit, wherever they
//! come; but the line is not quiet with them.

use crc::{CRC_16_IBM_3740, Crc};

use crate::error::{Error, Result};

/// First byte of a request.
pub const REQUEST_START: u8 = 0x5a;
/// First byte of a reply.
pub const REPLY_START: u8 = 0xa5;
/// Bytes of a request's header with its checksum.
pub const REQUEST_BYTES: usize = 11;
/// Bytes of a reply's header with its checksum.
pub const REPLY_BYTES: usize = 7;
/// Most words of one request.
pub const MAX_WORDS: usize = 256;
/// Set in `operation`: every word goes to, or comes from, the same address.
pub const FIXED_ADDRESS: u8 = 0x80;
/// Set in `status`: words follow.
pub const WORDS_FOLLOW: u8 = 0x80;
/// Default bits a second.
pub const DEFAULT_BAUD: u32 = 3_000_000;
/// Default time-out, in bits on the line: 44 ms at 3 Mbaud, more than a USB adapter holds bytes back.
pub const DEFAULT_TIMEOUT_BITS: u32 = 1 << 17;

/// First address of the board's own registers.
pub const BOARD_BASE: u32 = 0x0000_0000;
/// First address of the compute array's registers.
pub const ARRAY_BASE: u32 = 0x1000_0000;
/// First address of the array's memory, in block RAM. The array's own bus sees it from address 0.
pub const ARRAY_MEMORY_BASE: u32 = 0x2000_0000;
/// First address of the Duality Cache's registers, where there is one.
pub const DUALITY_BASE: u32 = 0x1800_0000;
/// First address of its memory, in block RAM. Its own bus sees it from address 0.
pub const DUALITY_MEMORY_BASE: u32 = 0x2800_0000;
/// First address of the cache compute system's memory. The system itself sees it from address 0.
pub const CCS_MEMORY_BASE: u32 = 0x4000_0000;
/// First address of the cache compute system's registers. It sees them from address 2^31.
pub const CCS_BASE: u32 = 0xc000_0000;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Words from the bus.
    Read = 1,
    /// Words to the bus.
    Write = 2,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    /// All words were read or written.
    Ok = 0,
    /// A checksum is wrong. Nothing was written.
    Checksum = 1,
    /// The frame stopped in the middle. Nothing was written.
    Timeout = 2,
    /// No such operation.
    Operation = 3,
    /// Count 0, or more than [`MAX_WORDS`].
    Count = 4,
    /// The address is not a multiple of 4.
    Alignment = 5,
    /// The bus refused a word: there is nothing at its address, or what is there reports an error.
    Bus = 6,
    /// The bus has not answered in time. Until it has, every request that is not refused for its form ends so, at once;
    /// none reaches the bus.
    Slow = 7,
}

impl Status {
    /// Every status, by code.
    pub const ALL: [Status; 8] = [
        Status::Ok,
        Status::Checksum,
        Status::Timeout,
        Status::Operation,
        Status::Count,
        Status::Alignment,
        Status::Bus,
        Status::Slow,
    ];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Checksum => "checksum",
            Status::Timeout => "timeout",
            Status::Operation => "operation",
            Status::Count => "count",
            Status::Alignment => "alignment",
            Status::Bus => "bus",
            Status::Slow => "slow",
        }
    }
}

/// What a checksum starts from.
pub const CHECKSUM_START: u16 = 0xffff;
/// x^16 + x^12 + x^5 + 1.
pub const CHECKSUM_POLYNOMIAL: u16 = 0x1021;

/// CRC-16/IBM-3740 (often called CCITT-FALSE): polynomial 0x1021, highest bit first, from 0xffff.
pub fn checksum(bytes: &[u8]) -> u16 {
    static TABLE: Crc<u16> = Crc::<u16>::new(&CRC_16_IBM_3740);
    TABLE.checksum(bytes)
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is asked for.
    pub operation: Operation,
    /// Every word at the same address.
    pub fixed: bool,
    /// Comes back in the reply.
    pub tag: u8,
    /// Byte address of the first word: a multiple of 4.
    pub address: u32,
    /// Words to read, or those to write: their number.
    pub count: u16,
    /// Words to write; empty for a read.
    pub words: Vec<u32>,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How the request ended.
    pub status: Status,
    /// The request's.
    pub tag: u8,
    /// Words that were read or written before anything failed.
    pub count: u16,
    /// The words of a read.
    pub words: Vec<u32>,
}

fn with_checksum(mut bytes: Vec<u8>, words: &[u32]) -> Vec<u8> {
    bytes.extend(checksum(&bytes).to_le_bytes());
    if !words.is_empty() {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(&data);
        bytes.extend(checksum(&data).to_le_bytes());
    }
    bytes
}

impl Request {
    /// The frame. What it asks for is not checked: tests send wrong ones.
    pub fn encode(&self) -> Vec<u8> {
        let operation = self.operation as u8 | if self.fixed { FIXED_ADDRESS } else { 0 };
        let mut bytes = vec![REQUEST_START, operation, self.tag];
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.address.to_le_bytes());
        with_checksum(bytes, &self.words)
    }
}

impl Reply {
    /// The frame.
    pub fn encode(&self) -> Vec<u8> {
        let follow = if self.words.is_empty() { 0 } else { WORDS_FOLLOW };
        let mut bytes = vec![REPLY_START, self.status as u8 | follow, self.tag];
        bytes.extend(self.count.to_le_bytes());
        with_checksum(bytes, &self.words)
    }

    /// Bytes of the whole frame, from its header (7 bytes or more).
    ///
    /// # Errors
    /// [`Error::Syntax`] if it does not start as a reply, its checksum is wrong, or its status or count cannot be.
    pub fn length(header: &[u8]) -> Result<usize> {
        let wrong = |reason: String| Err(Error::Syntax { origin: "reply".into(), line: 1, reason });
        if header.len() < REPLY_BYTES || header[0] != REPLY_START {
            return wrong(format!("{header:02x?} is not a reply's header"));
        }
        let sum = u16::from_le_bytes([header[5], header[6]]);
        if checksum(&header[..5]) != sum {
            return wrong(format!("checksum {sum:#06x} of the header, expected {:#06x}", checksum(&header[..5])));
        }
        let count = usize::from(u16::from_le_bytes([header[3], header[4]]));
        if usize::from(header[1] & !WORDS_FOLLOW) >= Status::ALL.len() || count > MAX_WORDS {
            return wrong(format!("status {:#04x}, {count} words", header[1]));
        }
        Ok(REPLY_BYTES + if header[1] & WORDS_FOLLOW != 0 { 4 * count + 2 } else { 0 })
    }

    /// Reads a whole frame.
    ///
    /// # Errors
    /// As [`Reply::length`]; also if its length is another or the words' checksum is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Reply> {
        let wrong = |reason: String| Err(Error::Syntax { origin: "reply".into(), line: 1, reason });
        let length = Reply::length(bytes)?;
        if bytes.len() != length {
            return wrong(format!("{} bytes, expected {length}", bytes.len()));
        }
        let mut words = Vec::new();
        if length > REPLY_BYTES {
            let (data, sum) = bytes[REPLY_BYTES..].split_at(length - REPLY_BYTES - 2);
            if checksum(data).to_le_bytes() != sum {
                return wrong(format!("checksum {sum:02x?} of the words, expected {:#06x}", checksum(data)));
            }
            words = data.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        }
        let count = u16::from_le_bytes([bytes[3], bytes[4]]);
        Ok(Reply { status: Status::ALL[usize::from(bytes[1] & !WORDS_FOLLOW)], tag: bytes[2], count, words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published check value of this checksum.
    #[test]
    fn checksum_is_the_published_one() {
        assert_eq!(checksum(b"123456789"), 0x29b1);
    }

    #[test]
    fn frames_have_the_documented_bytes() {
        let mut request = Request {
            operation: Operation::Write,
            fixed: true,
            tag: 7,
            address: 0xc000_0010,
            count: 1,
            words: vec![5],
        };
        let bytes = request.encode();
        assert_eq!(&bytes[..9], [0x5a, 0x82, 7, 1, 0, 0x10, 0, 0, 0xc0]);
        assert_eq!(bytes.len(), REQUEST_BYTES + 6);
        assert_eq!(checksum(&bytes[..9]).to_le_bytes(), bytes[9..11]);
        assert_eq!(checksum(&[5, 0, 0, 0]).to_le_bytes(), bytes[15..]);
        request.words.clear();
        assert_eq!(request.encode().len(), REQUEST_BYTES);
    }

    #[test]
    fn replies_come_back_and_damaged_ones_do_not() {
        for words in [vec![], vec![1, 0xffff_ffff, 3]] {
            let reply = Reply { status: Status::Bus, tag: 9, count: words.len() as u16, words };
            let bytes = reply.encode();
            assert_eq!(Reply::decode(&bytes).unwrap(), reply);
            for bit in 0..8 * bytes.len() {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(Reply::decode(&damaged).is_err(), "bit {bit}");
            }
            assert!(Reply::decode(&bytes[..bytes.len() - 1]).is_err());
        }
    }

    #[test]
    fn statuses_are_their_codes() {
        for (code, status) in Status::ALL.iter().enumerate() {
            assert_eq!(*status as usize, code);
        }
    }
}
