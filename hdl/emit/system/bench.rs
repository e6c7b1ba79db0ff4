//! What the bench over a board's UART pins does, and the names that templates of a board's files may use.

use serde::Serialize;

use crate::manifest::hexadecimal;
use bitline_units::array::registers;
use bitline_units::ccs::registers as ccs_registers;
use bitline_units::duality::registers as duality_registers;
use bitline_units::system::SystemParams;
use bitline_units::system::protocol::{
    ARRAY_BASE, ARRAY_MEMORY_BASE, BOARD_BASE, CCS_BASE, CCS_MEMORY_BASE, CHECKSUM_POLYNOMIAL, CHECKSUM_START,
    DUALITY_BASE, DUALITY_MEMORY_BASE, FIXED_ADDRESS, MAX_WORDS, Operation, REPLY_START, REQUEST_START, Status,
    WORDS_FOLLOW,
};
use bitline_units::system::registers::{MAGIC, REG_ID, REG_SCRATCH};

/// Where no unit of the board answers.
const HOLE: u32 = 0x0800_0000;

/// A step of the bench: a request, and what its reply must be.
#[derive(Serialize)]
struct Step {
    what: &'static str,
    writes: bool,
    address: String,
    count: usize,
    status: String,
    /// Words that the reply counts.
    replied: usize,
    words: Vec<String>,
    /// A bit for each word of a reply that must be as it is here.
    known: String,
}

impl Step {
    fn new(what: &'static str, writes: bool, status: Status, address: u32, words: &[Option<u32>]) -> Step {
        let ok = status == Status::Ok;
        let follow = if ok && !writes { WORDS_FOLLOW } else { 0 };
        let known = words.iter().enumerate().map(|(i, word)| u32::from(word.is_some()) << i).sum::<u32>();
        Step {
            what,
            writes,
            address: word_text(address),
            count: words.len(),
            status: format!("{:02x}", status as u8 | follow),
            replied: if ok { words.len() } else { 0 },
            words: words.iter().map(|word| word_text(word.unwrap_or(0))).collect(),
            known: format!("{known:x}"),
        }
    }
}

fn word_text(word: u32) -> String {
    format!("{word:08x}")
}

/// Names that the templates of a board's files may use.
pub(crate) fn context(params: &SystemParams) -> tera::Context {
    let halves = |hash: u64| [Some(hash as u32), Some((hash >> 32) as u32)];
    let (array, ccs) = (registers::configuration_hash(&params.array), ccs_registers::configuration_hash(&params.ccs));
    let [low, high] = halves(params.hash());
    let board = [Some(MAGIC), None, low, high, Some(params.clock_mhz * 1_000_000), Some(params.baud)];
    let at = |base: u32, offset: u64| base + offset as u32;
    let read = |what, address, words: &[_]| Step::new(what, false, Status::Ok, address, words);
    let write = |what, address, words: &[_]| Step::new(what, true, Status::Ok, address, words);
    let key = at(ARRAY_BASE, registers::REG_KEY_LOW);
    let scratch = at(BOARD_BASE, REG_SCRATCH);
    let (keys, words) = ([Some(0x600d_cafe)], [Some(0x0123_4567), Some(0x89ab_cdef), Some(0x5a5a_a5a5)]);
    let mut steps = vec![
        read("The board: identification, version, configuration hash, clock, baud", at(BOARD_BASE, REG_ID), &board),
        read("The array: identification", ARRAY_BASE, &[Some(registers::MAGIC)]),
        read("Its configuration hash", at(ARRAY_BASE, registers::REG_HASH_LOW), &halves(array)),
        read("The cache compute system: identification", CCS_BASE, &[Some(ccs_registers::MAGIC)]),
        read("Its configuration hash", at(CCS_BASE, ccs_registers::REG_HASH_LOW), &halves(ccs)),
        write("A register of the board", scratch, &keys),
        read("keeps what was written", scratch, &keys),
        write("A register of the array", key, &keys),
        read("keeps what was written", key, &keys),
        write("The array's memory", ARRAY_MEMORY_BASE + 8, &words),
        read("keeps what was written", ARRAY_MEMORY_BASE + 8, &words),
        write("The cache compute system's memory", CCS_MEMORY_BASE + 16, &words),
        read("keeps what was written", CCS_MEMORY_BASE + 16, &words),
        Step::new("There is nothing here", false, Status::Bus, HOLE, &[None]),
    ];
    if let Some(duality) = &params.duality {
        let hash = halves(duality_registers::configuration_hash(&duality.unit));
        let register = at(DUALITY_BASE, duality_registers::REG_WORD_0);
        steps.extend([
            read("The Duality Cache: identification", DUALITY_BASE, &[Some(duality_registers::MAGIC)]),
            read("Its configuration hash", at(DUALITY_BASE, duality_registers::REG_HASH_LOW), &hash),
            write("A register of the Duality Cache", register, &keys),
            read("keeps what was written", register, &keys),
            write("The Duality Cache's memory", DUALITY_MEMORY_BASE + 24, &words),
            read("keeps what was written", DUALITY_MEMORY_BASE + 24, &words),
        ]);
    }
    let mut context = tera::Context::new();
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("preset", &params.name);
    context.insert("duality", &params.duality.is_some());
    context.insert("hash", &hexadecimal(params.hash()));
    context.insert("baud", &params.baud);
    context.insert("cycles_a_bit", &params.cycles_a_bit());
    context.insert("polynomial", &format!("{CHECKSUM_POLYNOMIAL:04x}"));
    context.insert("request_start", &format!("{REQUEST_START:02x}"));
    context.insert("reply_start", &format!("{REPLY_START:02x}"));
    context.insert("operation_read", &(Operation::Read as u8));
    context.insert("operation_write", &(Operation::Write as u8));
    context.insert("fixed_address", &format!("{FIXED_ADDRESS:02x}"));
    context.insert("words_follow", &format!("{WORDS_FOLLOW:02x}"));
    context.insert("checksum_start", &format!("{CHECKSUM_START:04x}"));
    context.insert("max_words", &MAX_WORDS);
    context.insert("timeout_bits", &params.timeout_bits);
    context.insert("bench_words", &steps.iter().map(|step| step.count).max());
    context.insert("bench_steps", &steps);
    context
}
