//! Carriers of bytes: serial ports, any stream, a board in this process.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use serialport::SerialPort;

use super::error::{LinkError, Result};
use super::wire::Wire;

/// How long a stream sleeps at most in one call.
const NAP: Duration = Duration::from_millis(20);

/// Something that carries bytes both ways.
pub trait Transport {
    /// Its name in messages.
    fn name(&self) -> String;

    /// Puts all bytes on the line.
    ///
    /// # Errors
    /// [`LinkError::Gone`].
    fn send(&mut self, bytes: &[u8]) -> Result<()>;

    /// Waits for bytes and takes as many as are there; 0 if none came in time.
    ///
    /// # Errors
    /// [`LinkError::Gone`].
    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize>;
}

/// A stream whose calls return within a moment, with `TimedOut` or `WouldBlock` if nothing moved.
pub struct Stream<S: Read + Write> {
    name: String,
    stream: S,
    /// How long it may take no byte before it counts as gone.
    patience: Duration,
}

impl<S: Read + Write> Stream<S> {
    /// A stream with a name for messages.
    pub fn new(name: impl Into<String>, stream: S, patience: Duration) -> Stream<S> {
        Stream { name: name.into(), stream, patience }
    }

    fn gone(&self, during: &str, reason: impl ToString) -> LinkError {
        LinkError::Gone { port: self.name.clone(), during: during.into(), reason: reason.to_string() }
    }
}

fn waits(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl<S: Read + Write> Transport for Stream<S> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let (mut left, mut last) = (bytes, Instant::now());
        while !left.is_empty() {
            match self.stream.write(left) {
                Ok(0) => return Err(self.gone("a request", "takes no bytes any more")),
                Ok(taken) => (left, last) = (&left[taken..], Instant::now()),
                Err(e) if waits(e.kind()) && last.elapsed() < self.patience => {}
                Err(e) => return Err(self.gone("a request", e)),
            }
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize> {
        let begin = Instant::now();
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return Err(self.gone("a reply", "has ended")),
                Ok(count) => return Ok(count),
                Err(e) if waits(e.kind()) => {}
                Err(e) => return Err(self.gone("a reply", e)),
            }
            if begin.elapsed() >= timeout {
                return Ok(0);
            }
        }
    }
}

/// Opens a serial port, 8 data bits, no parity, one stop bit, no flow control.
///
/// # Errors
/// [`LinkError::Port`] with what to do about it.
pub fn serial(port: &str, baud: u32, patience: Duration) -> Result<Stream<Box<dyn SerialPort>>> {
    let opened = serialport::new(port, baud).timeout(NAP).open().map_err(|e| refused(port, baud, &e))?;
    // What an earlier program has left in the driver is not for us.
    opened.clear(serialport::ClearBuffer::Input).map_err(|e| refused(port, baud, &e))?;
    Ok(Stream::new(port, opened, patience))
}

fn refused(port: &str, baud: u32, error: &serialport::Error) -> LinkError {
    let text = error.to_string();
    let kind = match error.kind() {
        serialport::ErrorKind::Io(kind) => kind,
        serialport::ErrorKind::NoDevice if text.to_lowercase().contains("no such") => ErrorKind::NotFound,
        _ => ErrorKind::Other,
    };
    let lower = text.to_lowercase();
    let advice = if kind == ErrorKind::NotFound || lower.contains("no such file") {
        let found = ports();
        let known = if found.is_empty() { "none".into() } else { found.join(", ") };
        vec![
            format!("serial ports here: {known}"),
            "is the cable plugged in, and the board switched on? `dmesg` tells the name that it got".into(),
        ]
    } else if kind == ErrorKind::PermissionDenied || lower.contains("permission") {
        vec![
            "add yourself to the group that owns the port: sudo usermod -aG dialout $USER, then log in again".into(),
            format!("what it is now: ls -l {port}"),
        ]
    } else if lower.contains("busy") || lower.contains("lock") || lower.contains("temporarily unavailable") {
        vec![format!("another program holds it: fuser {port}")]
    } else if lower.contains("inappropriate") || lower.contains("not a typewriter") || lower.contains("not a tty") {
        vec!["this is not a serial port".into()]
    } else {
        vec![format!("does the adapter allow {baud} bits a second? If not, build for less: gen --baud")]
    };
    LinkError::Port { port: port.into(), reason: text, advice }
}

/// Names of the serial ports of this computer, as far as the system tells.
pub fn ports() -> Vec<String> {
    let found = serialport::available_ports().unwrap_or_default();
    let mut names: Vec<String> = found.into_iter().map(|port| port.port_name).collect();
    names.sort();
    names
}

/// A board in this process: time passes on the line while the host waits.
pub struct InProcess<W: Wire> {
    /// The other end.
    pub wire: W,
    waiting: Vec<u8>,
}

impl<W: Wire> InProcess<W> {
    /// A line to this end.
    pub fn new(wire: W) -> InProcess<W> {
        InProcess { wire, waiting: Vec::new() }
    }
}

impl<W: Wire> Transport for InProcess<W> {
    fn name(&self) -> String {
        format!("the {}", self.wire.name())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.wire.send(bytes);
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize> {
        // Bytes on their way to the board take their time first, as they would on a line.
        let bits = (timeout.as_secs_f64() * f64::from(self.wire.baud())) as u64;
        let end = self.wire.now() + bits + 10 * self.wire.unsent() as u64;
        while self.waiting.is_empty() && self.wire.now() < end {
            self.wire.pass(10, &mut self.waiting);
        }
        let count = self.waiting.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.waiting[..count]);
        self.waiting.drain(..count);
        Ok(count)
    }
}
