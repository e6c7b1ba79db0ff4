//! Requests and replies over a transport: splits what is long, repeats what was damaged, and leaves no request half
//! done.
//!
//! A request that got no reply, or a damaged one, is sent again after the line was quiet for longer than the board's
//! own time-out, so that both sides start anew. Reads, and writes to memory and to plain registers, may happen twice. A
//! write that must not, such as one that starts a command, is [`Session::write_once`]: if its reply is lost the board's
//! count of answered requests tells whether it was done.

use std::time::Duration;

use super::error::{LinkError, Result};
use super::transport::Transport;
use crate::system::SystemParams;
use crate::system::protocol::{
    BOARD_BASE, MAX_WORDS, Operation, REPLY_BYTES, REPLY_START, REQUEST_BYTES, Reply, Request, Status,
};
use crate::system::registers::REG_FRAMES_OK;

/// How long the host waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Bits a second on the line.
    pub baud: u32,
    /// For an answer, and for the next byte of one, beyond what the bytes take on the line.
    pub answer: Duration,
    /// So long the line must be quiet before a damaged request is sent again.
    pub quiet: Duration,
    /// How often a request is sent, at most.
    pub attempts: u32,
}

impl Timing {
    /// For a board with these parameters; `answer` must be longer than anything that the adapter and the board do.
    pub fn of(params: &SystemParams, answer: Duration) -> Timing {
        let timeout = f64::from(params.timeout_bits) / f64::from(params.baud);
        Timing { baud: params.baud, answer, quiet: Duration::from_secs_f64(1.25 * timeout), attempts: 4 }
    }

    fn on_line(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(10.0 * bytes as f64 / f64::from(self.baud))
    }
}

/// The board's count of requests answered with status `ok`.
const ANSWERED: u32 = BOARD_BASE + REG_FRAMES_OK as u32;

/// What has gone over the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Traffic {
    /// Requests answered.
    pub requests: u64,
    /// Requests that were sent again.
    pub repeated: u64,
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Bytes received, damaged ones included.
    pub bytes_received: u64,
}

/// Why an attempt has no reply.
enum Trouble {
    /// No byte came.
    Silence(Duration),
    /// Bytes came that are no reply.
    Damage(String),
    /// The board has not understood: nothing was done.
    Misheard(Status),
}

/// Requests and replies.
pub struct Session {
    transport: Box<dyn Transport>,
    /// How long the host waits.
    pub timing: Timing,
    /// What has gone over the line.
    pub traffic: Traffic,
    tag: u8,
    /// What the board's count of answered requests must be, while every reply has come.
    answered: Option<u32>,
}

impl Session {
    /// Over a transport.
    pub fn new(transport: Box<dyn Transport>, timing: Timing) -> Session {
        Session { transport, timing, traffic: Traffic::default(), tag: 0, answered: None }
    }

    /// Name of the line.
    pub fn port(&self) -> String {
        self.transport.name()
    }

    /// Sends bytes as they are; for tests of the board's own rules.
    ///
    /// # Errors
    /// [`LinkError::Gone`].
    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.traffic.bytes_sent += bytes.len() as u64;
        self.transport.send(bytes)
    }

    /// Waits for a reply with this tag, whatever its status; `None` if none came within `patience`, or a damaged one.
    ///
    /// # Errors
    /// [`LinkError::Gone`].
    pub fn reply_raw(&mut self, tag: u8, patience: Duration) -> Result<Option<Reply>> {
        Ok(self.reply(tag, patience)?.ok())
    }

    /// Drops bytes until the line was quiet for long enough that the board expects a new request.
    ///
    /// # Errors
    /// [`LinkError::Babble`] if it does not become quiet.
    pub fn recover(&mut self) -> Result<()> {
        let mut dropped = 0;
        let mut buffer = [0; 256];
        while dropped < 1 << 16 {
            let count = self.transport.receive(&mut buffer, self.timing.quiet)?;
            if count == 0 {
                return Ok(());
            }
            self.traffic.bytes_received += count as u64;
            dropped += count;
        }
        Err(LinkError::Babble { port: self.port(), bytes: dropped })
    }

    /// Bytes until `buffer` is full or none comes for so long.
    fn fill(&mut self, buffer: &mut [u8], patience: Duration) -> Result<usize> {
        let mut count = 0;
        while count < buffer.len() {
            let more = self.transport.receive(&mut buffer[count..], patience)?;
            if more == 0 {
                break;
            }
            self.traffic.bytes_received += more as u64;
            count += more;
        }
        Ok(count)
    }

    /// The next reply with this tag; late ones of requests that were given up are dropped.
    fn reply(&mut self, tag: u8, patience: Duration) -> Result<std::result::Result<Reply, Trouble>> {
        let damage = |reason: String| Ok(Err(Trouble::Damage(reason)));
        loop {
            let mut bytes = vec![0; REPLY_BYTES];
            match self.fill(&mut bytes[..1], patience)? {
                0 => return Ok(Err(Trouble::Silence(patience))),
                _ if bytes[0] != REPLY_START => return damage(format!("{:#04x} is no reply's first byte", bytes[0])),
                _ => {}
            }
            let there = 1 + self.fill(&mut bytes[1..], self.timing.answer)?;
            if there < REPLY_BYTES {
                return damage(format!("{there} of {REPLY_BYTES} bytes of its header"));
            }
            let length = match Reply::length(&bytes) {
                Ok(length) => length,
                Err(error) => return damage(error.to_string()),
            };
            bytes.resize(length, 0);
            let there = REPLY_BYTES + self.fill(&mut bytes[REPLY_BYTES..], self.timing.answer)?;
            if there < length {
                return damage(format!("{there} of {length} bytes"));
            }
            match Reply::decode(&bytes) {
                Ok(reply) if reply.tag == tag => return Ok(Ok(reply)),
                // The tag was among the bytes that did not arrive.
                Ok(Reply { status: status @ (Status::Checksum | Status::Timeout), .. }) => {
                    return Ok(Err(Trouble::Misheard(status)));
                }
                Ok(_) => {}
                Err(error) => return damage(error.to_string()),
            }
        }
    }

    /// Sends a request once and waits for its reply.
    fn attempt(&mut self, request: &mut Request) -> Result<std::result::Result<Reply, Trouble>> {
        self.tag = self.tag.wrapping_add(1);
        request.tag = self.tag;
        let bytes = request.encode();
        let answer = match request.operation {
            Operation::Read => REPLY_BYTES + 4 * usize::from(request.count) + 2,
            Operation::Write => REPLY_BYTES,
        };
        let patience = self.timing.answer + self.timing.on_line(bytes.len() + answer);
        self.send_raw(&bytes)?;
        let reply = match self.reply(request.tag, patience)? {
            Err(trouble) => {
                // It may have been answered, or not.
                self.answered = None;
                return Ok(Err(trouble));
            }
            Ok(reply) => reply,
        };
        match reply.status {
            Status::Checksum | Status::Timeout => return Ok(Err(Trouble::Misheard(reply.status))),
            Status::Ok => self.answered = self.answered.map(|count| count.wrapping_add(1)),
            _ => {}
        }
        if request.operation == Operation::Read && reply.words.len() != usize::from(reply.count)
            || reply.count > request.count
        {
            return Ok(Err(Trouble::Damage(format!("{} words, and says {}", reply.words.len(), reply.count))));
        }
        self.traffic.requests += 1;
        Ok(Ok(reply))
    }

    fn give_up(&self, trouble: Trouble, attempts: u32) -> LinkError {
        let port = self.port();
        match trouble {
            Trouble::Silence(waited) => LinkError::Silent { port, baud: self.timing.baud, waited },
            Trouble::Damage(reason) => LinkError::Damaged { port, attempts, reason },
            Trouble::Misheard(status) => LinkError::Misheard { port, attempts, status },
        }
    }

    /// Sends a request until it has a reply.
    fn exchange(&mut self, request: &mut Request) -> Result<Reply> {
        let mut attempts = 1;
        loop {
            match self.attempt(request)? {
                Ok(reply) => return Ok(reply),
                Err(trouble) if attempts == self.timing.attempts => return Err(self.give_up(trouble, attempts)),
                Err(_) => self.recover()?,
            }
            attempts += 1;
            self.traffic.repeated += 1;
        }
    }

    fn request(operation: Operation, address: u32, count: usize, words: &[u32]) -> Request {
        Request { operation, fixed: false, tag: 0, address, count: count as u16, words: words.to_vec() }
    }

    fn settled(request: &Request, reply: Reply) -> Result<Reply> {
        let (done, count) = (usize::from(reply.count), usize::from(request.count));
        if reply.status == Status::Ok && done == count {
            return Ok(reply);
        }
        let what = if request.operation == Operation::Read { "read" } else { "write" };
        Err(LinkError::Refused { what, address: request.address, status: reply.status, done, count })
    }

    /// Reads words from consecutive addresses.
    ///
    /// # Errors
    /// Anything of [`LinkError`] that is about the line; [`LinkError::Refused`] if the bus refuses a word.
    pub fn read(&mut self, address: u32, count: usize) -> Result<Vec<u32>> {
        let mut words = Vec::with_capacity(count.min(1 << 20));
        while words.len() < count {
            let size = (count - words.len()).min(MAX_WORDS);
            let from = address.wrapping_add(4 * words.len() as u32);
            let mut request = Session::request(Operation::Read, from, size, &[]);
            let reply = self.exchange(&mut request)?;
            words.extend(Session::settled(&request, reply)?.words);
        }
        Ok(words)
    }

    /// Reads one word.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn read_word(&mut self, address: u32) -> Result<u32> {
        Ok(self.read(address, 1)?[0])
    }

    /// Writes words to consecutive addresses; some of them may be written twice, if replies are lost.
    ///
    /// # Errors
    /// As [`Session::read`].
    pub fn write(&mut self, address: u32, words: &[u32]) -> Result<()> {
        for (number, block) in words.chunks(MAX_WORDS).enumerate() {
            let to = address.wrapping_add((4 * MAX_WORDS * number) as u32);
            let mut request = Session::request(Operation::Write, to, block.len(), block);
            let reply = self.exchange(&mut request)?;
            Session::settled(&request, reply)?;
        }
        Ok(())
    }

    /// Writes words, at most [`MAX_WORDS`], exactly once; with `fixed` all to the same address.
    ///
    /// # Errors
    /// As [`Session::read`]; [`LinkError::Unsure`] if the line is so bad that it cannot be told whether it was done.
    pub fn write_once(&mut self, address: u32, words: &[u32], fixed: bool) -> Result<()> {
        let mut before = match self.answered {
            Some(count) => count,
            // The question was answered, and counts.
            None => self.read_word(ANSWERED)?.wrapping_add(1),
        };
        let mut request = Session::request(Operation::Write, address, words.len(), words);
        request.fixed = fixed;
        let mut attempts = 1;
        loop {
            self.answered = Some(before);
            let trouble = match self.attempt(&mut request)? {
                Ok(reply) => return Session::settled(&request, reply).map(|_| ()),
                Err(trouble) if attempts == self.timing.attempts => return Err(self.give_up(trouble, attempts)),
                Err(trouble) => trouble,
            };
            self.recover()?;
            attempts += 1;
            self.traffic.repeated += 1;
            if matches!(trouble, Trouble::Misheard(_)) {
                continue;
            }
            // One question, one answer: a lost one would count, too.
            let mut question = Session::request(Operation::Read, ANSWERED, 1, &[]);
            let now = match self.attempt(&mut question)? {
                Ok(reply) => Session::settled(&question, reply)?.words[0],
                Err(silence @ Trouble::Silence(_)) => return Err(self.give_up(silence, attempts)),
                Err(_) => return Err(LinkError::Unsure { address }),
            };
            match now.wrapping_sub(before) {
                0 => before = now.wrapping_add(1),
                1 => {
                    self.answered = Some(now.wrapping_add(1));
                    return Ok(());
                }
                _ => return Err(LinkError::Unsure { address }),
            }
        }
    }

    /// Bytes on the line, both ways, of a request that reads or writes so many words.
    pub fn line_bytes(words: usize) -> usize {
        REQUEST_BYTES + REPLY_BYTES + 4 * words + 2
    }
}
