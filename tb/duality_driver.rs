//! The C driver of the Duality Cache on the hardware that it is generated with: every read and write of a register that
//! it does is one of the simulated unit's AXI4-Lite port.

use std::cell::RefCell;
use std::fs;

use bitline::duality::DualityParams;
use bitline::duality::isa::Program;
use bitline::duality::isa::assemble::assemble;
use bitline::duality::isa::codes::Trap;
use bitline::duality::registers::REG_WAYS;
use bitline::emit::duality::{DRIVER_PATH, HEADER_PATH};
use bitline::emit::unit::software;
use bitline::sim::engine::Native;
use bitline::sim::external::tool::{require, run};
use bitline::sim::units::duality::kernels::KERNELS;
use bitline::sim::units::duality::unit::UnitMachine;
use libloading::{Library, Symbol};

/// What the test calls. A place is a special register's code, array, first row and rows.
const CALLS: &str = r#"
#include "bitline_duality.h"

static struct bitline_dc cache;
static struct bitline_dc_place places[BITLINE_DC_MOST_SPECIALS];
static struct bitline_dc_launch launch;
static struct bitline_dc_result result;

int call_init(void) { return bitline_dc_init(&cache, 0, 100000); }
int call_map(uint32_t address, uint32_t physical, int writable)
{
    return bitline_dc_map(&cache, address, physical, writable);
}
int call_unmap(uint32_t address) { return bitline_dc_unmap(&cache, address); }
int call_start(uint32_t code, uint32_t words, uint32_t ctas, uint32_t threads, int host_fed,
               const uint32_t *parameters, uint32_t count, const uint32_t *specials, uint32_t special_count)
{
    uint32_t i;
    launch.code = code;
    launch.words = words;
    launch.grid[0] = ctas;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = threads;
    launch.block[1] = launch.block[2] = 1;
    launch.arrays = 4;
    launch.host_fed = (uint8_t)host_fed;
    launch.parameters = parameters;
    launch.parameter_count = (uint8_t)count;
    launch.specials = places;
    launch.special_count = (uint8_t)special_count;
    for (i = 0; i < special_count && i < BITLINE_DC_MOST_SPECIALS; i++) {
        places[i].special = (uint8_t)specials[4 * i];
        places[i].slot = (uint8_t)specials[4 * i + 1];
        places[i].row = (uint16_t)specials[4 * i + 2];
        places[i].rows = (uint8_t)specials[4 * i + 3];
    }
    return bitline_dc_start(&cache, &launch);
}
int call_feed(uint32_t block, const uint32_t *word, uint32_t wave)
{
    return bitline_dc_feed(&cache, block, word, wave);
}
uint32_t call_wave(uint32_t block) { return bitline_dc_wave(&cache, block); }
void call_abort(void) { bitline_dc_abort(&cache); }
int call_wait(uint32_t *told)
{
    const int status = bitline_dc_wait(&cache, &result);
    told[0] = result.outcome;
    told[1] = result.code;
    told[2] = result.pc;
    told[3] = result.has_thread ? result.thread : 0xffffffffu;
    told[4] = result.has_address ? result.address : 0;
    return status;
}
int call_set_ways(uint32_t blocks, int cut) { return bitline_dc_set_ways(&cache, blocks, cut); }
int call_flush(void) { return bitline_dc_flush(&cache); }
uint64_t call_cycles(void) { return bitline_dc_cycles(&cache); }
"#;

/// What stands for a register's read and write in the header.
const READ: &str = "    return *(const volatile uint32_t *)((const volatile char *)base + offset);\n";
const WRITE: &str = "    *(volatile uint32_t *)((volatile char *)base + offset) = value;\n";

thread_local! {
    static MACHINE: RefCell<Option<UnitMachine<Native>>> = const { RefCell::new(None) };
}

fn machine<T>(what: impl FnOnce(&mut UnitMachine<Native>) -> T) -> T {
    MACHINE.with(|machine| what(machine.borrow_mut().as_mut().expect("it was put there")))
}

extern "C" fn read(offset: u32) -> u32 {
    machine(|machine| machine.read(offset.into()))
}

/// A write that the hardware refuses is a bus error, which the driver must never cause.
extern "C" fn write(offset: u32, value: u32) {
    let taken = machine(|machine| machine.write(offset.into(), value));
    if !taken {
        eprintln!("register {offset:#x} does not take {value:#x}");
        std::process::abort();
    }
}

/// The driver as a library, its registers those of [`MACHINE`].
struct Driver {
    library: Library,
    _folder: tempfile::TempDir,
}

impl Driver {
    fn new(params: &DualityParams) -> Driver {
        let folder = tempfile::tempdir().expect("a folder");
        let files = software(params);
        let header = files.get(HEADER_PATH).expect("there is a header");
        assert!(header.contains(READ) && header.contains(WRITE), "the header's way to registers is another one");
        let hooks = "extern uint32_t (*test_read)(uint32_t);\nextern void (*test_write)(uint32_t, uint32_t);\n";
        let header = header
            .replace("#include <stdint.h>\n", &format!("#include <stdint.h>\n{hooks}"))
            .replace(READ, "    (void)base;\n    return test_read(offset);\n")
            .replace(WRITE, "    (void)base;\n    test_write(offset, value);\n");
        let own = "#include \"bitline_duality.h\"\nuint32_t (*test_read)(uint32_t);\n\
                   void (*test_write)(uint32_t, uint32_t);\n";
        let at = |name: &str| folder.path().join(name);
        fs::write(at("bitline_duality.h"), header).expect("writable");
        fs::write(at("driver.c"), files.get(DRIVER_PATH).expect("there is a driver")).expect("writable");
        fs::write(at("calls.c"), format!("{CALLS}\n{own}")).expect("writable");
        let strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-O1", "-fPIC"];
        let files = ["-shared", "driver.c", "calls.c", "-o", "driver.so"];
        let said = run("gcc", &[&strict[..], &files].concat(), folder.path()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(said.trim(), "");
        // SAFETY: what was just compiled from the texts above; its initialisation does nothing.
        let library = unsafe { Library::new(at("driver.so")) }.expect("a library");
        let driver = Driver { library, _folder: folder };
        // SAFETY: both variables are function pointers of these types, and are read by this thread alone.
        unsafe {
            **driver.library.get::<*mut extern "C" fn(u32) -> u32>(b"test_read\0").expect("a variable") = read;
            **driver.library.get::<*mut extern "C" fn(u32, u32)>(b"test_write\0").expect("a variable") = write;
        }
        driver
    }

    fn call<T: Copy>(&self, name: &str) -> T {
        // SAFETY: callers name the type of the function in `CALLS`.
        let found: Symbol<'_, T> = unsafe { self.library.get(name.as_bytes()) }.expect("a function");
        *found
    }

    fn init(&self) -> i32 {
        self.call::<extern "C" fn() -> i32>("call_init")()
    }

    fn map(&self, address: u32, physical: u32, writable: bool) -> i32 {
        self.call::<extern "C" fn(u32, u32, i32) -> i32>("call_map")(address, physical, writable.into())
    }

    fn unmap(&self, address: u32) -> i32 {
        self.call::<extern "C" fn(u32) -> i32>("call_unmap")(address)
    }

    fn start(&self, code: u32, program: &Program, shape: [u32; 2], fed: bool, parameters: &[u32]) -> i32 {
        type Start = extern "C" fn(u32, u32, u32, u32, i32, *const u32, u32, *const u32, u32) -> i32;
        let place = |&(special, slot, row, rows): &(_, _, _, _)| {
            let special: bitline::duality::isa::codes::Special = special;
            [special.code(), slot, row, rows].map(|number: u64| number as u32)
        };
        let places: Vec<u32> = program.specials.iter().flat_map(place).collect();
        let (words, count) = (program.words.len() as u32, parameters.len() as u32);
        let specials = program.specials.len() as u32;
        let [ctas, threads] = shape;
        let start: Start = self.call("call_start");
        start(code, words, ctas, threads, fed.into(), parameters.as_ptr(), count, places.as_ptr(), specials)
    }

    fn feed(&self, word: u128, wave: u32) -> i32 {
        self.feed_to(0, word, wave)
    }

    fn feed_to(&self, block: u32, word: u128, wave: u32) -> i32 {
        let parts = [0, 32, 64, 96].map(|shift| (word >> shift) as u32);
        self.call::<extern "C" fn(u32, *const u32, u32) -> i32>("call_feed")(block, parts.as_ptr(), wave)
    }

    fn wave(&self, block: u32) -> u32 {
        self.call::<extern "C" fn(u32) -> u32>("call_wave")(block)
    }

    /// Status, and outcome, code, word, thread and address.
    fn wait(&self) -> (i32, [u32; 5]) {
        let mut told = [0; 5];
        (self.call::<extern "C" fn(*mut u32) -> i32>("call_wait")(told.as_mut_ptr()), told)
    }

    fn set_ways(&self, blocks: u32, cut: bool) -> i32 {
        self.call::<extern "C" fn(u32, i32) -> i32>("call_set_ways")(blocks, cut.into())
    }

    fn flush(&self) -> i32 {
        self.call::<extern "C" fn() -> i32>("call_flush")()
    }
}

/// Where a page of the program's is in memory.
const CODE: u32 = 0x20_0000;
const PHYSICAL: [u32; 3] = [0x7_0000, 0x9_0000, 0x3_0000];
const OK: i32 = 0;
const UNFIT: i32 = -2;
const BUSY: i32 = -4;
const STOPPED: i32 = -5;

#[test]
fn the_driver_launches_programs_on_the_unit() {
    if require("gcc").is_none() {
        return;
    }
    let params = DualityParams::preset("tiny").expect("it is there");
    let unit = UnitMachine::native(&params, 3).expect("legal");
    MACHINE.with(|machine| *machine.borrow_mut() = Some(unit));
    let driver = Driver::new(&params);
    let kernel = KERNELS.iter().find(|kernel| kernel.name == "vecadd").expect("it is there");
    let program = assemble(kernel.text, "vecadd", &params).expect("a program");
    let task = kernel.task(&params, 5);
    let [launch] = &task.launches[..] else { panic!("one launch") };
    let shape = [launch.grid[0], launch.block[0]];
    for (at, word) in program.words.iter().enumerate() {
        machine(|machine| machine.poke(CODE + 16 * at as u32, word.0 as u64));
        machine(|machine| machine.poke(CODE + 16 * at as u32 + 8, (word.0 >> 64) as u64));
    }
    let fill = || {
        for (virtual_page, physical) in launch.parameters.iter().zip(PHYSICAL) {
            for at in (0..0x400).step_by(8) {
                // The third one is written.
                let mapped = physical != PHYSICAL[2];
                let word = if mapped { task.memory.read(virtual_page + at, 8) } else { !0 };
                machine(|machine| machine.poke(physical + at, word));
            }
        }
    };
    let (address, sums) = &task.expected[0];
    assert_eq!(*address, launch.parameters[2]);
    let written = |count: usize| -> Vec<u32> {
        let word = |at: u32| machine(|machine| machine.peek(PHYSICAL[2] + at / 8 * 8)) >> (8 * (at % 8));
        (0..count as u32).map(|at| word(4 * at) as u32).collect()
    };
    // An earlier program has taken all ways out of use.
    assert!(machine(|machine| machine.write(REG_WAYS, 0)));
    assert_eq!(driver.init(), OK);
    assert_eq!(machine(|machine| machine.read(REG_WAYS)), (1 << params.cache_ways) - 1);
    fill();
    for (number, (&page, physical)) in launch.parameters.iter().zip(PHYSICAL).enumerate() {
        assert_eq!(driver.map(page, physical, number == 2), OK);
    }
    assert_eq!((driver.map(0x1_0001, 0, true), driver.unmap(4)), (UNFIT, UNFIT));
    // What does not fit is refused before anything is written.
    let start = |code, shape, fed| driver.start(code, &program, shape, fed, &launch.parameters);
    for (code, shape) in [(CODE + 8, shape), (CODE, [0, 1]), (CODE, [1, 9]), (CODE, [1, 0]), (CODE, [1 << 21, 1])] {
        assert_eq!(start(code, shape, false), UNFIT, "{code:#x} {shape:?}");
    }
    // From memory, then fed by the host, wave by wave.
    let waves = shape[0].div_ceil(8 / shape[1]);
    let mut cycles = vec![];
    for fed in [false, true] {
        fill();
        assert_eq!(start(CODE, shape, fed), OK);
        assert_eq!(start(CODE, shape, fed), BUSY, "one is under way");
        assert_eq!(driver.map(0, 0, false), BUSY);
        for (wave, word) in (1..=waves).flat_map(|wave| program.words.iter().map(move |word| (wave, word.0))) {
            if fed {
                assert_eq!(driver.feed(word, wave), OK, "wave {wave}");
            }
        }
        assert_eq!(driver.wait(), (OK, [1, 0, driver.wait().1[2], u32::MAX, 0]));
        assert_eq!(driver.feed(0, waves), STOPPED, "nothing is under way");
        assert_eq!(driver.flush(), OK);
        assert_eq!(&written(sums.len()), sums, "fed: {fed}");
        cycles.push(driver.call::<extern "C" fn() -> u64>("call_cycles")());
    }
    assert!(cycles.iter().all(|&cycles| cycles > 1_000) && cycles[0] != cycles[1], "{cycles:?}");
    assert_eq!((driver.wave(0), driver.wave(1), driver.feed_to(1, 0, 1)), (waves, 0, UNFIT), "one control block");
    // Without its page a thread's store is refused, with the thread and what it has asked for.
    assert_eq!(driver.unmap(*address), OK);
    fill();
    assert_eq!(start(CODE, shape, false), OK);
    let store = program.words.len() as u32 - 2;
    assert_eq!(driver.wait(), (STOPPED, [2, Trap::Unmapped.code() as u32, store, 0, *address]));
    assert_eq!(driver.flush(), OK);
    assert_eq!(written(4), [u32::MAX; 4], "nothing was written");
    // Without a control block there is no launch; one whose way becomes a cache and comes back goes on.
    assert_eq!((driver.set_ways(2, false), driver.set_ways(0, false)), (UNFIT, OK), "there is one that may be one");
    assert_eq!(start(CODE, shape, false), UNFIT);
    assert_eq!((driver.set_ways(1, false), driver.map(*address, PHYSICAL[2], true)), (OK, OK));
    fill();
    assert_eq!(start(CODE, shape, false), OK);
    assert_eq!(driver.set_ways(0, false), OK, "behind the first wave");
    assert_eq!(start(CODE, shape, false), BUSY, "the others wait");
    assert_eq!((driver.set_ways(1, false), driver.wait().0, driver.flush()), (OK, OK, OK));
    assert_eq!(&written(sums.len()), sums, "waves before and behind the change");
    // A wave that is cut off ends its launch; the way is a cache then.
    assert_eq!(start(CODE, shape, true), OK);
    assert_eq!(driver.feed(program.words[0].0, 1), OK);
    assert_eq!(driver.set_ways(0, true), OK);
    let (status, told) = driver.wait();
    assert_eq!((status, told[0], driver.set_ways(1, false)), (STOPPED, 3, OK), "{told:?}");
    // A launch that waits for words is ended by an abort.
    assert_eq!(start(CODE, shape, true), OK);
    assert_eq!(driver.feed(program.words[0].0, 1), OK);
    driver.call::<extern "C" fn()>("call_abort")();
    let (status, told) = driver.wait();
    assert_eq!((status, told[0]), (STOPPED, 3), "{told:?}");
}
