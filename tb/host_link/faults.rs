//! Lines with faults: what is damaged on the way, in either direction, at chosen bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use bitline::sim::host_link::{LinkError, Result, Transport};

/// What happens to a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not arrive.
    Lost,
    /// It arrives with these bits turned.
    Turned(u8),
    /// These come before it.
    Noise(Vec<u8>),
    /// Nothing arrives from here on, until the line was silent for a while.
    Silence,
    /// The cable is pulled out.
    Unplugged,
}

/// A transport with faults at bytes that are counted from its beginning.
pub struct Faulty<T: Transport> {
    inner: T,
    /// Faults by the number of the byte: to the board, and from it.
    pub faults: [BTreeMap<u64, Fault>; 2],
    seen: [u64; 2],
    silent: bool,
    gone: bool,
}

impl<T: Transport> Faulty<T> {
    /// Faults on the way to the board, and on the way back.
    pub fn new(inner: T, to: &[(u64, Fault)], from: &[(u64, Fault)]) -> Faulty<T> {
        let map = |faults: &[(u64, Fault)]| faults.iter().cloned().collect();
        Faulty { inner, faults: [map(to), map(from)], seen: [0; 2], silent: false, gone: false }
    }

    fn damage(&mut self, way: usize, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for &byte in bytes {
            let fault = self.faults[way].remove(&self.seen[way]);
            self.seen[way] += 1;
            match fault {
                _ if self.silent || self.gone => {}
                None => out.push(byte),
                Some(Fault::Lost) => {}
                Some(Fault::Turned(bits)) => out.push(byte ^ bits),
                Some(Fault::Noise(noise)) => {
                    out.extend(noise);
                    out.push(byte);
                }
                Some(Fault::Silence) => self.silent = true,
                Some(Fault::Unplugged) => self.gone = true,
            }
        }
        out
    }

    fn there(&self) -> Result<()> {
        let gone =
            || LinkError::Gone { port: self.name(), during: "a request".into(), reason: "no such device".into() };
        if self.gone { Err(gone()) } else { Ok(()) }
    }
}

impl<T: Transport> Transport for Faulty<T> {
    fn name(&self) -> String {
        format!("faulty line to {}", self.inner.name())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.there()?;
        self.silent = false;
        let bytes = self.damage(0, bytes);
        self.inner.send(&bytes)
    }

    fn receive(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize> {
        self.there()?;
        let mut bytes = vec![0; (buffer.len() / 4).max(1)];
        loop {
            let count = self.inner.receive(&mut bytes, timeout)?;
            if count == 0 {
                return Ok(0);
            }
            let arrived = self.damage(1, &bytes[..count]);
            self.there()?;
            if !arrived.is_empty() {
                // Noise is shorter than what the buffer has room for beyond a byte.
                let fits = arrived.len().min(buffer.len());
                buffer[..fits].copy_from_slice(&arrived[..fits]);
                return Ok(fits);
            }
        }
    }
}
