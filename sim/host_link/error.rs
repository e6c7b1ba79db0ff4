//! What goes wrong between host and board, and what to try.

use std::time::Duration;

use crate::error::Error;
use crate::system::protocol::Status;

/// The result of everything that needs a board.
pub type Result<T> = std::result::Result<T, LinkError>;

/// Why a board cannot be used, or a request has failed.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The port cannot be opened.
    #[error("port = {port}: {reason}")]
    Port {
        /// As the user wrote it.
        port: String,
        /// What the system says.
        reason: String,
        /// What may help.
        advice: Vec<String>,
    },
    /// No byte came.
    #[error("nothing answers on {port}: no byte within {} s at {baud} baud", seconds(*waited))]
    Silent {
        /// Name of the line.
        port: String,
        /// Bits a second.
        baud: u32,
        /// How long the host has waited for the last answer.
        waited: Duration,
    },
    /// Bytes came, but no reply that can be read.
    #[error("{port}: replies are damaged, {attempts} times in a row; the last one: {reason}")]
    Damaged {
        /// Name of the line.
        port: String,
        /// Requests sent in vain.
        attempts: u32,
        /// What was wrong with the last one.
        reason: String,
    },
    /// The board's side has not understood a request, again and again.
    #[error("{port}: the board refuses requests as damaged, {attempts} times in a row (status {})", status.name())]
    Misheard {
        /// Name of the line.
        port: String,
        /// Requests sent in vain.
        attempts: u32,
        /// What it said last.
        status: Status,
    },
    /// The line never becomes quiet.
    #[error("{port}: {bytes} bytes came that belong to no reply, and it does not end")]
    Babble {
        /// Name of the line.
        port: String,
        /// Bytes that were dropped.
        bytes: usize,
    },
    /// The line is gone: unplugged, or the program at its other end has ended.
    #[error("{port} was unplugged, or what was at its other end has ended, in the middle of {during} ({reason})")]
    Gone {
        /// Name of the line.
        port: String,
        /// What was under way.
        during: String,
        /// What the system says.
        reason: String,
    },
    /// A request was understood and refused.
    #[error("{what} at {address:#010x}: status {} after {done} of {count} words", status.name())]
    Refused {
        /// Read or write.
        what: &'static str,
        /// Its first address.
        address: u32,
        /// The board's answer.
        status: Status,
        /// Words done before.
        done: usize,
        /// Words asked for.
        count: usize,
    },
    /// It is not known whether a write that must happen once has happened.
    #[error("write at {address:#010x}: its reply was lost, and so was the answer to whether it was done")]
    Unsure {
        /// Its first address.
        address: u32,
    },
    /// Something answers, but it is no board of ours.
    #[error("{port}: register id = {id:#010x}: must be {expected:#010x}, `BLBD`")]
    NotABoard {
        /// Name of the line.
        port: String,
        /// What was read.
        id: u32,
        /// What must be there.
        expected: u32,
    },
    /// The board's configuration is not the tool's.
    #[error("configuration = {board:#018x} on the board (version {version}): must be {tool:#018x}, {described}")]
    Configuration {
        /// The board's hash.
        board: u64,
        /// Version of the generator that wrote it.
        version: String,
        /// The tool's hash.
        tool: u64,
        /// What the tool was told.
        described: String,
        /// Options that make the tool's configuration the board's, if there are any.
        options: Option<String>,
    },
    /// A command does not end.
    #[error("{what} does not end: still busy after {polls} looks")]
    Stuck {
        /// What was started.
        what: String,
        /// How often the host has looked.
        polls: u32,
    },
    /// Hardware refused a command, or has ended it with an error.
    #[error("{command}: refused with error {code} ({reason})")]
    Command {
        /// The command.
        command: String,
        /// Error code.
        code: u64,
        /// What it means.
        reason: String,
    },
    /// Any other error of the library.
    #[error(transparent)]
    Other(#[from] Error),
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64()).trim_end_matches('0').trim_end_matches('.').into()
}

impl LinkError {
    /// What to try, a line each.
    pub fn advice(&self) -> Vec<String> {
        let lines: &[&str] = match self {
            LinkError::Port { advice, .. } => return advice.clone(),
            LinkError::Silent { baud, .. } => {
                return vec![
                    format!("is the FPGA configured, and was it built for {baud} baud? (--baud)"),
                    "is it the board's USB-UART connector, not the one for JTAG? (--port)".into(),
                    "does the heartbeat, LED 0, blink? If not: clock or bitstream; keep the reset button SW8 released"
                        .into(),
                    "does another program hold the port? A simulated board answers slowly: --timeout SECONDS".into(),
                ];
            }
            LinkError::Damaged { .. } | LinkError::Misheard { .. } => &[
                "is --baud the rate that the board was built for? A wrong one gives just this",
                "does the USB bridge manage this rate? Some stop at 1 Mbaud or before: build for less (gen --baud \
                 921600), or try another cable",
                "is another program reading from the same port?",
            ],
            LinkError::Babble { .. } => &[
                "what sends here is no bitline board, or at another rate: check --port and --baud",
                "a console, as of another design, on the same UART?",
            ],
            LinkError::Gone { .. } => &[
                "plug the cable in and start again: nothing was written beyond the requests that were answered",
                "the board forgets nothing by this; `info` tells whether it is there",
            ],
            LinkError::Refused { status: Status::Bus, .. } => {
                &["there is nothing at this address, or what is there reports an error; `info` prints the address map"]
            }
            LinkError::Refused { status: Status::Slow, .. } => {
                &["what is at this address does not answer: a command may still run; if it stays so, reset the board"]
            }
            LinkError::Refused { .. } => &["the board breaks the protocol: is its bitstream of this version?"],
            LinkError::Unsure { .. } => &["look at the result, or start again from the inputs"],
            LinkError::NotABoard { .. } => &["another design is in the FPGA: program the bitstream (program.tcl)"],
            LinkError::Configuration { options: Some(options), .. } => {
                return vec![
                    format!("tell the tool what the board is: {options}"),
                    "or program the bitstream that belongs to these options".into(),
                ];
            }
            LinkError::Configuration { .. } => &[
                "give the preset, clock and rate that the bitstream was made with (--preset, --clock, --baud)",
                "or program the bitstream of this version: gen --target vc709, then program.tcl",
            ],
            LinkError::Stuck { .. } => &["reset the board; if it happens again, this is a bug of the design"],
            LinkError::Command { .. } | LinkError::Other(_) => &[],
        };
        lines.iter().map(|line| line.to_string()).collect()
    }
}

impl From<LinkError> for Error {
    fn from(error: LinkError) -> Error {
        match error {
            LinkError::Other(error) => error,
            other => Error::Tool { tool: "board".into(), reason: other.to_string() },
        }
    }
}
