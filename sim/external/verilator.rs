//! The emitted Verilog under Verilator, as an [`Engine`].
//!
//! Verilator's C++ and a small generated shim with a C interface become one shared library, which is loaded into this
//! process. Registers, memories and nets are read and written in place, through the addresses that Verilator's own
//! tables of public variables give.

pub mod board;
mod build;
mod compiler;
mod contents;
mod fetch;
mod fill;
mod inputs;
mod library;
mod place;
pub mod program;
mod units;

use std::cell::{Cell, OnceCell};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libloading::{Library, Symbol};

use super::names::{Names, Spot, limb_count};
use crate::engine::{self, Engine, Kept, Limbs};
use crate::error::{Error, Result};
use crate::kernel::flat::{Flat, FlatDriver};
use crate::kernel::netlist::{NetId, Netlist};
pub use build::Build;
use fetch::Fetch;
use place::Place;

/// Functions of the shim.
struct Shim {
    /// Lets nets follow; whether anything but the clock was written since the last time.
    eval: unsafe extern "C" fn(*mut c_void, c_int),
    run: unsafe extern "C" fn(*mut c_void, u64),
    delete: unsafe extern "C" fn(*mut c_void),
    port: unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void,
    find: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, *mut usize) -> *mut c_void,
    /// Writes what Verilator has counted to a file.
    coverage: Option<unsafe extern "C" fn(*mut c_void, *const c_char)>,
}

/// A Verilator model of a netlist.
pub struct Verilated {
    top: String,
    flat: Flat,
    names: Names,
    model: *mut c_void,
    shim: Shim,
    clock: Option<Place>,
    reset: Option<Place>,
    /// Of the flat design's nets: ports always, all others if they were asked for and have a place.
    nets: Vec<Option<Place>>,
    memories: Vec<Option<Place>>,
    /// Registers' values after the last edge, one after the other, and where each begins.
    state: Vec<u64>,
    starts: Vec<usize>,
    /// The same for who compares all of them at once.
    places: Vec<engine::Place>,
    /// Where the model has the registers that can be read, with their places in `state`.
    fetch: Fetch,
    words: Vec<OnceCell<Vec<u64>>>,
    /// Room for words that are fetched again.
    room: Vec<Cell<Vec<u64>>>,
    /// Whether inputs, registers or memories were written and nets have not followed yet.
    written: bool,
    /// Whether the clock is still high behind an edge.
    high: bool,
    /// Where what Verilator has counted goes at the end.
    coverage: Option<PathBuf>,
    // Dropped last: the functions above lie in it.
    _library: Library,
}

impl Verilated {
    /// Builds and loads a model whose ports, registers and memories can be read and written.
    ///
    /// # Errors
    /// [`Error::Tool`] if Verilator or the C++ compiler is missing or has anything to say, [`Error::File`] if `folder`
    /// cannot be written.
    pub fn build(netlist: &Netlist, folder: &Path) -> Result<Verilated> {
        Verilated::build_with(netlist, folder, Build::State)
    }

    /// Builds and loads a model. What was built for the same Verilog before is found below `folder` and used again.
    ///
    /// # Errors
    /// As [`Verilated::build`].
    pub fn build_with(netlist: &Netlist, folder: &Path, how: Build) -> Result<Verilated> {
        Verilated::watched(netlist, folder, how, &[])
    }

    /// The same with SystemVerilog files, as names and texts, that watch the design: modules that are bound to its own,
    /// with assertions.
    ///
    /// # Errors
    /// As [`Verilated::build`].
    pub fn watched(netlist: &Netlist, folder: &Path, how: Build, watchers: &[(&str, &str)]) -> Result<Verilated> {
        let flat = Flat::new(netlist);
        let names = Names::new(netlist, &flat);
        let (library, contents) = library::compile(netlist, &flat, &names, folder, how, watchers)?;
        let mut model = Verilated::load(netlist, flat, names, &library, how)?;
        model.fill(netlist, &contents);
        Ok(model)
    }

    /// Builds and loads a model that Verilator counts changes of bits in. It writes them to `file` when it is dropped.
    ///
    /// # Errors
    /// As [`Verilated::build`].
    pub fn covered(netlist: &Netlist, folder: &Path, file: PathBuf) -> Result<Verilated> {
        let mut model = Verilated::build_with(netlist, folder, Build::Covered)?;
        model.coverage = Some(file);
        Ok(model)
    }

    /// A 32-bit variable of a watcher, which must be public. `scope` is its instance below the top module.
    ///
    /// # Errors
    /// [`Error::Tool`] if there is none.
    pub fn variable(&self, scope: &str, name: &str) -> Result<u32> {
        let mut size = 0;
        let path = format!("TOP.{}.{scope}", self.top);
        let text = |s: &str| CString::new(s).expect("names have no zero bytes");
        let (c_scope, c_name) = (text(&path), text(name));
        // SAFETY: the strings end in a zero byte and outlive the call.
        let at = unsafe { (self.shim.find)(self.model, c_scope.as_ptr(), c_name.as_ptr(), &mut size) };
        if at.is_null() || size != 4 {
            let reason = format!("{path}.{name}: no variable of 32 bits");
            return Err(Error::Tool { tool: "verilator".into(), reason });
        }
        // SAFETY: the variable has four bytes, in a model that lives as long as `self`.
        Ok(unsafe { at.cast::<u32>().read() })
    }

    fn load(netlist: &Netlist, flat: Flat, names: Names, library: &Path, how: Build) -> Result<Verilated> {
        let fail = |reason: String| Error::Tool { tool: "verilator".into(), reason };
        let broken = |e: libloading::Error| fail(format!("{}: {e}", library.display()));
        // SAFETY: the library was generated by `compile`; it runs no code when loaded, and its functions have these
        // signatures.
        let (library, model, shim) = unsafe {
            let library = Library::new(library).map_err(broken)?;
            let new: Symbol<unsafe extern "C" fn() -> *mut c_void> = library.get(b"bitline_new").map_err(broken)?;
            let shim = Shim {
                eval: *library.get(b"bitline_eval").map_err(broken)?,
                run: *library.get(b"bitline_run").map_err(broken)?,
                delete: *library.get(b"bitline_delete").map_err(broken)?,
                port: *library.get(b"bitline_port").map_err(broken)?,
                find: *library.get(b"bitline_find").map_err(broken)?,
                coverage: library.get(b"bitline_coverage").ok().map(|symbol| *symbol),
            };
            let model = new();
            (library, model, shim)
        };
        let mut v = Verilated {
            top: netlist.top().name.clone(),
            clock: None,
            reset: None,
            nets: vec![None; flat.nets.len()],
            memories: vec![None; flat.memories.len()],
            state: vec![],
            starts: vec![],
            places: vec![],
            fetch: Fetch::default(),
            words: vec![OnceCell::new(); flat.memories.len()],
            room: flat.memories.iter().map(|_| Cell::default()).collect(),
            written: true,
            high: false,
            coverage: None,
            flat,
            names,
            model,
            shim,
            _library: library,
        };
        v.place(netlist, how).map_err(fail)?;
        for register in &v.flat.registers {
            let start = v.state.len();
            let width = v.flat.net(register.net).width;
            v.starts.push(start);
            v.places.push(engine::Place::whole(start as u32, width));
            v.state.resize(start + limb_count(width), 0);
            if let Some(place) = v.nets[register.net.0 as usize] {
                v.fetch.add(place, start..v.state.len());
            }
        }
        v.starts.push(v.state.len());
        v.refresh();
        Ok(v)
    }

    /// Asks the model where everything is.
    fn place(&mut self, netlist: &Netlist, how: Build) -> std::result::Result<(), String> {
        // SAFETY: the numbers are those of the generated switch.
        let port = |number: i32, width: u32| unsafe { Place { at: (self.shim.port)(self.model, number), width } };
        self.clock = netlist.top().clocked.then(|| port(0, 1));
        self.reset = netlist.top().resettable.then(|| port(1, 1));
        let ports = netlist.top().ports.iter();
        // The top module's nets come first in the flat design, so its ports' numbers are the same there.
        for (number, net) in ports.map(|p| p.net).enumerate() {
            self.nets[net.0 as usize] = Some(port(number as i32 + 2, self.flat.net(net).width));
        }
        if how == Build::Fast {
            return Ok(());
        }
        for index in 0..self.flat.nets.len() {
            let wanted = how.opens() || matches!(self.flat.nets[index].driver, FlatDriver::Register(_));
            if let (None, true, Spot::Variable(instance, name)) = (self.nets[index], wanted, &self.names.nets[index]) {
                let place = self.find(netlist, *instance, name, self.flat.nets[index].width)?;
                self.nets[index] = Some(place);
            }
        }
        for (index, (instance, name)) in self.names.memories.iter().enumerate() {
            let place = self.find(netlist, *instance, name, self.flat.memories[index].width)?;
            self.memories[index] = Some(place);
        }
        Ok(())
    }

    fn find(&self, netlist: &Netlist, instance: usize, name: &str, width: u32) -> std::result::Result<Place, String> {
        let path = &self.names.instances[instance].0;
        let scope: Vec<&str> =
            ["TOP", &netlist.top().name].into_iter().chain(path.iter().map(String::as_str)).collect();
        let (scope, mut size) = (scope.join("."), 0);
        let text = |s: &str| CString::new(s).expect("names have no zero bytes");
        let (c_scope, c_name) = (text(&scope), text(name));
        // SAFETY: the strings end in a zero byte and outlive the call.
        let at = unsafe { (self.shim.find)(self.model, c_scope.as_ptr(), c_name.as_ptr(), &mut size) };
        let place = Place { at, width };
        if at.is_null() {
            return Err(format!("the model has no variable {scope}.{name}"));
        }
        if size != place.stride() {
            return Err(format!("{scope}.{name}: {size} bytes where {} were expected", place.stride()));
        }
        Ok(place)
    }

    /// The clock gets a level, and nets follow.
    fn clock(&mut self, high: bool) {
        if let Some(clock) = self.clock {
            clock.write(0, &[high.into()]);
        }
        // SAFETY: the model lives as long as `self`.
        unsafe { (self.shim.eval)(self.model, self.written.into()) };
        (self.written, self.high) = (false, high);
    }

    /// Lets nets follow what was written.
    fn settle(&mut self) {
        if self.written {
            self.clock(false);
        }
    }

    /// Lowers the clock, if it is high.
    fn lower(&mut self) {
        if self.high {
            self.clock(false);
        }
    }

    /// Fetches the registers, forgets the memories.
    fn refresh(&mut self) {
        self.fetch.fetch(&mut self.state);
        (0..self.words.len()).for_each(|memory| self.forget(memory));
    }

    fn forget(&mut self, memory: usize) {
        if let Some(words) = self.words[memory].take() {
            self.room[memory].set(words);
        }
    }
}

impl Drop for Verilated {
    fn drop(&mut self) {
        if let (Some(file), Some(write)) = (&self.coverage, self.shim.coverage) {
            let file = CString::new(file.as_os_str().as_encoded_bytes()).expect("paths have no zero bytes");
            // SAFETY: the model is there, and the string ends in a zero byte and outlives the call.
            unsafe { write(self.model, file.as_ptr()) };
        }
        // SAFETY: made by `bitline_new`, not used after this.
        unsafe { (self.shim.delete)(self.model) };
    }
}

impl Engine for Verilated {
    fn design(&self) -> &Flat {
        &self.flat
    }

    fn set_input(&mut self, input: NetId, value: &[u64]) {
        assert_eq!(self.flat.net(input).driver, FlatDriver::Input, "{} is not an input", self.flat.net(input).path);
        self.nets[input.0 as usize].expect("ports have places").write(0, value);
        self.written = true;
    }

    fn value(&mut self, net: NetId) -> Vec<u64> {
        self.settle();
        let (net, spot) = self.names.spot(net);
        if let Spot::Constant(value) = spot {
            return value.clone();
        }
        let mut value = vec![0; limb_count(self.flat.net(net).width)];
        let place = self.nets[net.0 as usize];
        place.unwrap_or_else(|| panic!("{} cannot be read in this build", self.flat.net(net).path)).read(0, &mut value);
        value
    }

    fn low(&mut self, net: NetId) -> u64 {
        match self.nets[net.0 as usize] {
            Some(place) if place.width <= 64 => {
                self.settle();
                let mut value = [0];
                place.read(0, &mut value);
                value[0]
            }
            _ => self.value(net)[0],
        }
    }

    fn run(&mut self, cycles: u64) {
        self.settle();
        self.lower();
        // SAFETY: the model lives as long as `self`.
        unsafe { (self.shim.run)(self.model, cycles) };
        self.refresh();
    }

    fn tick(&mut self, reset: bool) {
        let reset = self.reset.filter(|_| reset);
        if let Some(place) = reset {
            place.write(0, &[1]);
            self.written = true;
        }
        self.lower();
        if self.clock.is_some() {
            self.clock(true);
        }
        if let Some(place) = reset {
            place.write(0, &[0]);
            self.written = true;
        }
        self.refresh();
    }

    fn register(&self, register: usize) -> Limbs<'_> {
        Limbs::Kept(&self.state[self.starts[register]..self.starts[register + 1]])
    }

    fn kept(&self) -> Option<Kept<'_>> {
        Some(Kept::new(&self.state, &self.places))
    }

    fn set_register(&mut self, register: usize, value: &[u64]) {
        let net = self.flat.registers[register].net;
        let place = self.nets[net.0 as usize];
        let place = place.unwrap_or_else(|| panic!("{} cannot be written in this build", self.flat.net(net).path));
        place.write(0, value);
        place.read(0, &mut self.state[self.starts[register]..self.starts[register + 1]]);
        self.written = true;
    }

    fn memory(&self, memory: usize) -> &[u64] {
        let m = &self.flat.memories[memory];
        let place = self.memories[memory].as_ref();
        let place = place.unwrap_or_else(|| panic!("{} cannot be read in this build", m.path));
        let count = limb_count(m.width);
        if let Some(words) = place.limbs(m.depth * count, count) {
            return words;
        }
        self.words[memory].get_or_init(|| {
            let mut words = self.room[memory].take();
            words.resize(m.depth * count, 0);
            place.read_all(&mut words, count);
            words
        })
    }

    fn set_word(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = &self.flat.memories[memory];
        assert!(word < m.depth && m.contents.is_none(), "{} has no word {word} to write", m.path);
        let place = self.memories[memory].unwrap_or_else(|| panic!("{} cannot be written in this build", m.path));
        place.write(word, value);
        self.forget(memory);
        self.written = true;
    }
}
