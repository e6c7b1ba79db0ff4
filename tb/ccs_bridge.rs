//! The AXI4-Lite slave of the cache compute system, and the merge of words and lines, in lock step with their models;
//! and the rules of AXI4-Lite, which find what breaks them.

use std::collections::{BTreeMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judges::{AXIL, bound, innocent, judged, seen};
use super::lint::quiet;
use bitline::ccs::blocks::{ccs_axil_bridge, ccs_write_merge};
use bitline::kernel::netlist::NetId;
use bitline::sim::engine::{Engine, Lookup, engine};
use bitline::sim::external::tool::require;
use bitline::sim::lockstep::line_port::{BridgeInputs, BridgeLockstep};
use bitline::sim::model::axil_slave::Offer;
use bitline::sim::model::ccs::processor::CpuAccess;
use bitline::sim::model::ccs::write_merge::merge;
use bitline::sim::units::ccs::launches::test_geometry;

/// Every channel at its own pace, writes and reads at once; the system takes accesses and answers when it likes.
fn traffic<E: Engine>(engine: E, seed: u64, cycles: usize) -> E {
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = BridgeLockstep::new(engine, seed);
    assert_eq!(unit.unseen(), Vec::<&str>::new());
    let mut offer = Offer::default();
    let mut pace = 1;
    let (mut addresses, mut data, mut reads) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
    let mut replies: VecDeque<(u32, bool)> = VecDeque::new();
    let mut waiting = None;
    let mut coverage: BTreeMap<&str, u64> = BTreeMap::new();
    let mut count = |what, happened: bool| *coverage.entry(what).or_default() += u64::from(happened);
    for _ in 0..cycles {
        if rng.random_range(0..50) == 0 {
            pace = [1, 1, 2, 5][rng.random_range(0..4)];
        }
        let mut goes = || rng.random_range(0..pace) == 0;
        let [aw, w, ar, b, r, ready, answers] = [(); 7].map(|()| goes());
        offer.write_address = offer.write_address.or(aw.then(|| rng.random()));
        offer.write_data = offer.write_data.or(w.then(|| (rng.random(), rng.random_range(0..16))));
        offer.read_address = offer.read_address.or(ar.then(|| rng.random()));
        (offer.take_response, offer.take_data) = (b, r);
        let reply = waiting.filter(|_| answers);
        let reset = rng.random_range(0..500) == 0;
        let inputs = BridgeInputs { offer, ready, reply };
        if reset {
            unit.reset(&inputs).unwrap_or_else(|d| panic!("{d}"));
            // A master that is reset too withdraws what it offers.
            offer = Offer::default();
            (addresses, data, reads, replies, waiting) = Default::default();
            continue;
        }
        let (answer, access) = unit.cycle(&inputs).unwrap_or_else(|d| panic!("{d}"));
        // What was taken goes on in order, and nothing is lost.
        if answer.write_address_ready {
            addresses.extend(offer.write_address.take());
        }
        if answer.write_data_ready {
            data.extend(offer.write_data.take());
        }
        if answer.read_address_ready {
            reads.extend(offer.read_address.take());
        }
        if reply.is_some() {
            waiting = None;
        }
        if let Some((word, response)) = answer.data.filter(|_| r) {
            let failed = response != 0;
            assert_eq!(replies.pop_front(), Some((word, failed)));
            count("reads that fail", failed);
        }
        count("a read and a write", answer.response.is_some() && answer.data.is_some());
        count("a response that waits", answer.response.is_some() && !b);
        count("data ahead of their address", data.len() > addresses.len());
        count("an address ahead of its data", data.len() < addresses.len());
        let Some(access) = access.filter(|_| ready) else { continue };
        if access.write {
            let expected = CpuAccess {
                address: addresses.pop_front().expect("taken"),
                data: data.pop_front().expect("taken"),
                write: true,
            };
            assert_eq!(access, expected);
            count("writes", true);
        } else {
            assert_eq!(Some(access.address), reads.pop_front());
            waiting = Some((rng.random(), rng.random_range(0..4) == 0));
            replies.extend(waiting);
            count("reads", true);
        }
    }
    println!("{coverage:?}");
    assert!(coverage.values().all(|&times| times > 20), "{coverage:?}");
    unit.engine
}

#[test]
fn the_slave_natively() {
    traffic(engine(&ccs_axil_bridge().expect("legal")), 420, 20_000);
}

#[test]
fn the_slave_under_verilator() {
    if require("verilator").is_some() {
        let model = traffic(judged(&ccs_axil_bridge().expect("legal")), 421, 20_000);
        innocent(&model, &["slave"], 1000);
    }
}

/// A master that keeps to nothing is found out, and so is a slave: here the master's own signals in its place.
#[test]
fn judges_find_what_breaks_the_rules() {
    if require("verilator").is_none() {
        return;
    }
    let netlist = ccs_axil_bridge().expect("legal");
    let top = &netlist.top().name;
    let ports = |swap: &[(&str, &str)]| {
        let source = |name: &&str| swap.iter().find(|s| s.0 == *name).map_or(*name, |s| s.1).to_string();
        AXIL.iter().map(|name| format!(".{name}(s_axil_{})", source(name))).collect::<Vec<_>>().join(", ")
    };
    let slave = [("bvalid", "awvalid"), ("rvalid", "arvalid"), ("rdata", "araddr")];
    let bindings = format!(
        "bind {top} axil_checker master (.clk(clk), .rst(rst), {});\nbind {top} axil_checker slave (.clk(clk), \
         .rst(rst), {});\n",
        ports(&[]),
        ports(&slave)
    );
    let mut model = bound(&netlist, &bindings);
    let inputs = model.design().inputs.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(422);
    inputs.iter().for_each(|&input| model.set_input(input, &[0]));
    model.tick(true);
    for _ in 0..500 {
        inputs.iter().for_each(|&input| model.set_input(input, &[rng.random::<u64>() & 1]));
        model.tick(false);
    }
    for judge in ["master", "slave"] {
        assert!(seen(&model, judge)[2] > 100, "{judge}");
    }
}

#[test]
fn words_and_lines_are_merged() {
    let mut rng = ChaCha8Rng::seed_from_u64(423);
    for (lanes, bits) in [(4, 32), (8, 16), (16, 8)] {
        let geometry = test_geometry(lanes, bits, 4);
        let netlist = ccs_write_merge(&geometry).expect("legal");
        quiet(&netlist).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = engine(&netlist);
        let find = |name: String| engine.design().find_net(&name).unwrap_or_else(|| panic!("no signal {name}"));
        let (word, value) = (find("word".into()), find("value".into()));
        let [line, data]: [Vec<NetId>; 2] =
            ["line", "data"].map(|name| (0..lanes).map(|k| find(format!("{name}_{k}"))).collect());
        for _ in 0..200 {
            let shown: Vec<u32> = (0..lanes).map(|_| rng.random::<u32>() & geometry.ones()).collect();
            let (is_word, word_value): (bool, u32) = rng.random();
            engine.set_input(word, &[is_word.into()]);
            engine.set_input(value, &[word_value.into()]);
            line.iter().zip(&shown).for_each(|(&net, &element)| engine.set_input(net, &[element.into()]));
            let expected = merge(is_word.then_some(word_value), &shown, bits);
            let actual: Vec<u32> = data.iter().map(|&net| engine.low(net) as u32).collect();
            assert_eq!(actual, expected);
        }
    }
}
