//! Throughput: how many bytes a second go to the board and come back, and how many requests.

use std::time::Instant;

use super::board::Board;
use super::error::Result;
use super::session::Session;
use crate::system::protocol::{ARRAY_MEMORY_BASE, BOARD_BASE, MAX_WORDS};

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Throughput {
    /// Bytes written, and the same read.
    pub bytes: u64,
    /// Bytes a second to the board, in requests of [`MAX_WORDS`] words.
    pub write: f64,
    /// Bytes a second from the board.
    pub read: f64,
    /// What the line allows, either way.
    pub limit: f64,
    /// Requests of one word a second.
    pub requests: f64,
    /// What the line allows of these.
    pub request_limit: f64,
    /// Whether what was read is what was written.
    pub correct: bool,
}

/// Measures with `blocks` requests of [`MAX_WORDS`] words each way and as many of one word. The beginning of the
/// array's memory is lost.
///
/// # Errors
/// Anything about the line.
pub fn measure(board: &mut Board, blocks: usize, progress: &mut dyn FnMut(u64, u64)) -> Result<Throughput> {
    let session = &mut board.session;
    let words: Vec<u32> = (0..MAX_WORDS as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let blocks = blocks.max(1);
    let total = 3 * blocks as u64;
    let mut correct = true;
    let mut done = 0;
    let mut timed = |session: &mut Session, step: &mut dyn FnMut(&mut Session) -> Result<()>| -> Result<f64> {
        let begin = Instant::now();
        for _ in 0..blocks {
            step(session)?;
            done += 1;
            progress(done, total);
        }
        Ok(begin.elapsed().as_secs_f64().max(1e-9))
    };
    let write = timed(session, &mut |session| session.write(ARRAY_MEMORY_BASE, &words))?;
    let read = timed(session, &mut |session| {
        correct &= session.read(ARRAY_MEMORY_BASE, MAX_WORDS)? == words;
        Ok(())
    })?;
    let single = timed(session, &mut |session| session.read(BOARD_BASE, 1).map(|_| ()))?;
    let bytes = (4 * MAX_WORDS * blocks) as f64;
    let line = f64::from(session.timing.baud) / 10.0;
    Ok(Throughput {
        bytes: bytes as u64,
        write: bytes / write,
        read: bytes / read,
        limit: line * (4 * MAX_WORDS) as f64 / Session::line_bytes(MAX_WORDS) as f64,
        requests: blocks as f64 / single,
        request_limit: line / Session::line_bytes(1) as f64,
        correct,
    })
}

impl std::fmt::Display for Throughput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = |part: f64, whole: f64| 100.0 * part / whole;
        for (what, rate, limit, unit) in [
            ("write", self.write, self.limit, "bytes/s"),
            ("read", self.read, self.limit, "bytes/s"),
            ("requests", self.requests, self.request_limit, "of one word/s"),
        ] {
            writeln!(f, "{what:<9} {rate:>10.0} {unit}, {:.1} % of what the line allows", share(rate, limit))?;
        }
        Ok(())
    }
}
