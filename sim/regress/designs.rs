//! The designs of a regression: every preset's netlist is made once, whichever worker needs it first.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::campaigns::Subject;
use super::choice::Choice;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::kernel::netlist::Netlist;

/// A netlist, and the lock under which a simulator is built from it.
#[derive(Default)]
struct Design {
    netlist: OnceLock<std::result::Result<Netlist, String>>,
    building: Mutex<()>,
}

/// Netlists by unit and preset.
pub struct Designs {
    designs: Mutex<HashMap<(&'static str, String), Arc<Design>>>,
    folder: PathBuf,
}

impl Designs {
    /// None yet; simulators will be built below `folder`.
    pub fn new(folder: PathBuf) -> Designs {
        Designs { designs: Mutex::default(), folder }
    }

    /// A design on an engine.
    ///
    /// # Errors
    /// [`Error::Tool`] if the netlist or a simulator cannot be made.
    pub fn engine(&self, subject: &'static Subject, preset: &str, choice: Choice) -> Result<Box<dyn Engine>> {
        let design = {
            // A worker that panicked has left the table as it was.
            let mut designs = self.designs.lock().unwrap_or_else(PoisonError::into_inner);
            designs.entry((subject.name, preset.into())).or_default().clone()
        };
        let made = design.netlist.get_or_init(|| (subject.netlist)(preset).map_err(|e| e.to_string()));
        let netlist = made
            .as_ref()
            .map_err(|reason| Error::Tool { tool: format!("{} {preset}", subject.name), reason: reason.clone() })?;
        // The first one builds; the others find what it has built.
        let _guard = choice.program().map(|_| design.building.lock().unwrap_or_else(PoisonError::into_inner));
        choice.engine(netlist, subject.open, &self.folder)
    }
}
