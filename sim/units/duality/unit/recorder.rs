//! Traces of what the whole unit asks of its cache ways.

use super::UnitMachine;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::duality::cache::CacheRequest;

/// The arbiter's port to the ways.
const PORT: [&str; 7] = ["valid", "ready", "address", "write", "hint", "data", "strobes"];

/// A trace.
pub(super) struct Recorder {
    port: [NetId; PORT.len()],
    requests: Vec<CacheRequest>,
}

impl<E: Engine> UnitMachine<E> {
    /// Requests to the cache ways are noted from now on, in the order in which they are taken.
    ///
    /// # Panics
    /// If the design has no arbiter.
    pub fn record(&mut self) {
        let design = self.engine.design();
        let port = PORT.map(|name| {
            let path = format!("arbiter.ways_{name}");
            design.find_net(&path).unwrap_or_else(|| panic!("a unit has no {path}"))
        });
        self.recorder = Some(Recorder { port, requests: vec![] });
    }

    /// The requests that were noted.
    pub fn recorded(&mut self) -> Vec<CacheRequest> {
        self.recorder.take().map_or_else(Vec::new, |recorder| recorder.requests)
    }

    /// Notes the request of this cycle.
    pub(super) fn look_at_requests(&mut self) {
        let Some(recorder) = &mut self.recorder else { return };
        let engine = &mut self.engine;
        let [valid, ready, address, write, hint, data, strobes] = recorder.port.map(|net| engine.low(net));
        if valid == 1 && ready == 1 {
            recorder.requests.push(CacheRequest {
                address: address as u32,
                write: (write == 1).then_some(data),
                strobes: strobes as u8,
                hint: hint == 1,
                whole: false,
            });
        }
    }
}
