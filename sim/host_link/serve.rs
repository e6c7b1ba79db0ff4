//! A simulated board on a pseudo-terminal, which programs open as they would a serial port.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::error::{LinkError, Result};
use super::wire::Wire;
use crate::system::protocol::{Status, WORDS_FOLLOW};

/// Bits that pass between two looks at the pseudo-terminal.
const LOOK: u64 = 10;
/// How long the server sleeps while nobody speaks.
const NAP: Duration = Duration::from_millis(50);

/// What the server knows of the conversation.
struct Talk {
    /// When the last byte went either way.
    last: Instant,
    /// Bits of simulated time since then.
    quiet: u64,
    /// What the board has said since the host last spoke.
    said: Vec<u8>,
}

impl Talk {
    /// Whether the bridge may be dropping bytes until the line is quiet.
    fn troubled(&self) -> bool {
        let refusals = Status::Checksum as u8..=Status::Alignment as u8;
        self.said.get(1).is_none_or(|status| refusals.contains(&(status & !WORDS_FOLLOW)))
    }

    fn moved(&mut self) {
        (self.last, self.quiet) = (Instant::now(), 0);
    }
}

#[cfg(unix)]
mod terminal {
    use std::io::{ErrorKind, Read, Write};

    use serialport::{SerialPort, TTYPort};

    use super::*;

    /// A pseudo-terminal. The far side stays open here, so that programs may come and go.
    pub struct PseudoTerminal {
        near: TTYPort,
        far: TTYPort,
    }

    impl PseudoTerminal {
        /// A new one.
        ///
        /// # Errors
        /// [`LinkError::Port`] if the system has none left.
        pub fn open() -> Result<PseudoTerminal> {
            let (near, far) = TTYPort::pair().map_err(broken)?;
            Ok(PseudoTerminal { near, far })
        }

        /// What programs open.
        pub fn name(&self) -> String {
            self.far.name().unwrap_or_default()
        }

        /// Serves a board that forgets a stopped frame after `timeout_bits`, until `stop`. While nobody speaks,
        /// simulated time stands still; after something that the board has not understood, it is never behind the
        /// silence that the host has kept.
        ///
        /// # Errors
        /// [`LinkError::Port`] if the pseudo-terminal fails.
        pub fn serve(&mut self, wire: &mut dyn Wire, timeout_bits: u32, stop: &AtomicBool) -> Result<()> {
            let enough = u64::from(timeout_bits) * 5 / 4 + 100;
            let mut talk = Talk { last: Instant::now(), quiet: 0, said: vec![0, 0] };
            let mut buffer = [0; 4096];
            while !stop.load(Ordering::Relaxed) {
                let rests = wire.unsent() == 0 && talk.quiet >= enough;
                if rests {
                    // A program that was killed leaves the port to itself.
                    drop(self.far.try_clone_native());
                }
                self.near.set_timeout(if rests { NAP } else { Duration::ZERO }).map_err(broken)?;
                let count = match self.near.read(&mut buffer) {
                    Ok(count) => count,
                    Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => 0,
                    Err(e) if e.kind() == ErrorKind::Interrupted => 0,
                    Err(e) => return Err(broken(e)),
                };
                if count > 0 {
                    let silence = (talk.last.elapsed().as_secs_f64() * f64::from(wire.baud())) as u64;
                    while talk.troubled() && talk.quiet < silence.min(enough) {
                        self.pass(wire, &mut talk)?;
                    }
                    wire.send(&buffer[..count]);
                    talk.said.clear();
                    talk.moved();
                }
                if !rests || count > 0 {
                    self.pass(wire, &mut talk)?;
                }
            }
            Ok(())
        }

        fn pass(&mut self, wire: &mut dyn Wire, talk: &mut Talk) -> Result<()> {
            let mut received = Vec::new();
            let idle = wire.unsent() == 0;
            wire.pass(LOOK, &mut received);
            talk.quiet = if idle { talk.quiet + LOOK } else { 0 };
            if !received.is_empty() {
                talk.said.extend(&received);
                talk.moved();
                self.near.set_timeout(NAP).map_err(broken)?;
                match self.near.write_all(&received) {
                    // Nobody listens: as on a line, it is lost.
                    Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {}
                    other => other.map_err(broken)?,
                }
            }
            Ok(())
        }
    }

    fn broken(error: impl ToString) -> LinkError {
        LinkError::Port { port: "pseudo-terminal".into(), reason: error.to_string(), advice: Vec::new() }
    }
}

#[cfg(unix)]
pub use terminal::PseudoTerminal;
