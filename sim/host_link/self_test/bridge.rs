//! Requests that the bridge must refuse, and what they leave.

use rand::Rng;

use super::{Outcome, Tester};
use crate::host_link::error::{LinkError, Result};
use crate::host_link::place;
use crate::system::protocol::{
    ARRAY_MEMORY_BASE, CCS_MEMORY_BASE, DUALITY_MEMORY_BASE, MAX_WORDS, Operation, REQUEST_BYTES, Request, Status,
    checksum,
};

/// Between the array's memory and that of the cache compute system.
const NOWHERE: u32 = 0x3000_0000;
/// Tag of requests that are made by hand.
const TAG: u8 = 0xc3;

/// What a refused request must say.
fn refused<T>(result: Result<T>, status: Status, done: usize) -> Result<Outcome> {
    match result {
        Err(LinkError::Refused { status: said, done: did, .. }) if (said, did) == (status, done) => Ok(Ok(())),
        Err(error @ LinkError::Refused { .. }) => Ok(Err(format!("{error}, must be {} after {done}", status.name()))),
        Err(error) => Err(error),
        Ok(_) => Ok(Err(format!("answered with ok, must be {} after {done}", status.name()))),
    }
}

/// The part.
pub fn test(t: &mut Tester) -> Result<()> {
    let session = &mut t.board.session;
    let read = refused(session.read(NOWHERE, 1), Status::Bus, 0)?;
    let write = refused(session.write(NOWHERE, &[1, 2]), Status::Bus, 0)?;
    t.record("bridge", "nothing there", "read", 1, read);
    t.record("bridge", "nothing there", "write", 1, write);
    let memories =
        [("array-memory", ARRAY_MEMORY_BASE), ("ccs-memory", CCS_MEMORY_BASE), ("duality-memory", DUALITY_MEMORY_BASE)];
    for (part, base) in memories {
        if place::bytes(&t.board.params, part) == 0 {
            continue;
        }
        let end = base + place::bytes(&t.board.params, part) as u32;
        let data: u32 = t.stimulus.rng().random();
        let session = &mut t.board.session;
        let write = refused(session.write(end - 4, &[data, !data]), Status::Bus, 1)?;
        let read = refused(session.read(end - 4, 2), Status::Bus, 1)?;
        let kept = session.read_word(end - 4)?;
        t.record("bridge", "end of a memory", part, 1, write);
        t.record("bridge", "end of a memory", part, 1, read);
        t.record("bridge", "end of a memory", part, 1, super::same("the last word", kept, data));
    }
    fixed(t)?;
    if t.full() { frames(t) } else { Ok(()) }
}

/// Several words to one address: the last one stays.
fn fixed(t: &mut Tester) -> Result<()> {
    let [first, last, next]: [u32; 3] = t.stimulus.rng().random();
    let session = &mut t.board.session;
    session.write(ARRAY_MEMORY_BASE, &[0, next])?;
    session.write_once(ARRAY_MEMORY_BASE, &[first, last], true)?;
    let words = session.read(ARRAY_MEMORY_BASE, 2)?;
    t.record("bridge", "fixed address", "write", 2, super::same("a word", words[0], last));
    t.record("bridge", "fixed address", "write", 2, super::same("the next word", words[1], next));
    Ok(())
}

/// Frames that break a rule of the form: each is refused, writes nothing, and the bridge listens again when the line
/// was quiet.
fn frames(t: &mut Tester) -> Result<()> {
    let keep: u32 = t.stimulus.rng().random();
    t.board.session.write(ARRAY_MEMORY_BASE, &[keep, keep])?;
    let good = Request {
        operation: Operation::Write,
        fixed: false,
        tag: TAG,
        address: ARRAY_MEMORY_BASE,
        count: 2,
        words: vec![!keep, !keep],
    };
    let header_of = |request: &Request| request.encode()[..REQUEST_BYTES].to_vec();
    let mut operation = good.encode();
    operation[1] = 3;
    let sum = checksum(&operation[..REQUEST_BYTES - 2]).to_le_bytes();
    operation[REQUEST_BYTES - 2..REQUEST_BYTES].copy_from_slice(&sum);
    let (mut header, mut words) = (good.encode(), good.encode());
    header[REQUEST_BYTES - 1] ^= 0x10;
    words[REQUEST_BYTES + 3] ^= 1;
    let too_many = Request { count: MAX_WORDS as u16 + 1, ..good.clone() };
    let cases = [
        ("header's checksum", header, Status::Checksum),
        ("words' checksum", words, Status::Checksum),
        ("operation", operation, Status::Operation),
        ("no words", header_of(&Request { count: 0, ..good.clone() }), Status::Count),
        ("too many words", header_of(&too_many), Status::Count),
        ("alignment", header_of(&Request { address: ARRAY_MEMORY_BASE + 2, ..good.clone() }), Status::Alignment),
        ("stops in the header", good.encode()[..5].to_vec(), Status::Timeout),
        ("stops in the words", good.encode()[..REQUEST_BYTES + 5].to_vec(), Status::Timeout),
    ];
    for (name, bytes, status) in cases {
        let session = &mut t.board.session;
        session.send_raw(&bytes)?;
        let patience = session.timing.answer + 2 * session.timing.quiet;
        let reply = session.reply_raw(TAG, patience)?;
        session.recover()?;
        let outcome = match &reply {
            Some(reply) if reply.status == status && reply.count == 0 => Ok(()),
            other => Err(format!("answer {other:?}, must be status {} and no words", status.name())),
        };
        let kept = session.read(ARRAY_MEMORY_BASE, 2)?;
        t.record("bridge", "refused frames", name, 1, outcome);
        t.record("bridge", "refused frames", name, 2, super::same("memory", kept[0], keep));
        t.record("bridge", "refused frames", name, 2, super::same("memory", kept[1], keep));
    }
    // Bytes that are no frame are dropped without an answer.
    let mut noise: Vec<u8> = (0..40).map(|_| t.stimulus.rng().random()).collect();
    noise.retain(|&byte| byte != crate::system::protocol::REQUEST_START);
    t.board.session.send_raw(&noise)?;
    let kept = t.board.session.read_word(ARRAY_MEMORY_BASE)?;
    t.record("bridge", "bytes before a frame", "", 1, super::same("memory", kept, keep));
    Ok(())
}
