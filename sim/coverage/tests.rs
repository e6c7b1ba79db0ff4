//! Coverage of a block whose every bit, arm and state is known.

use std::sync::{Arc, Mutex};

use super::lines::{Lines, lines};
use super::*;
use crate::engine::Lookup;
use crate::kernel::elaborate::elaborate;
use crate::kernel::prelude::*;

hdl_block! {
    /// Counts to 2 and back while it is told to; one of its arms is never taken, and one is none.
    pub Turn {
        In clock: Domain; /// Clock and reset.
        In go: Bit; /// It counts.
        In never: Bit; /// Nobody sets it.
        Out at: Bits<2>; /// The count.
    } inside {
        Register state: Bits<2>; // The count.
        Value _wide: bool;
    }
}

impl Logic for Turn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.at.next = self.state.q.val();
        if self.go.val() {
            if self.state.q.val() == 2 {
                self.state.d.next = 0.into();
            } else if self.never.val() {
                self.state.d.next = 3.into();
            } else {
                self.state.d.next = self.state.q.val() + 1;
            }
        }
        if self._wide {
            self.at.next = 0.into();
        }
    }

    described!("turn", "Counts to 2 and back."; ; _wide);
}

/// What some cycles of the block cover, `go` as in `goes`.
fn covered(goes: &[bool]) -> Module {
    let netlist = elaborate(&Turn::default()).expect("the block is legal");
    let all = Arc::new(Mutex::new(vec![]));
    let mut engine = Covered::new(&netlist, Arc::clone(&all));
    let go = engine.design().find_net("go").expect("it is a port");
    engine.tick(true);
    for &value in goes {
        engine.set_input(go, &[value.into()]);
        engine.tick(false);
    }
    drop(engine);
    let all = all.lock().expect("nothing panicked");
    all.last().expect("there is a module").clone()
}

fn taken(module: &Module) -> Vec<(u32, u32, bool)> {
    module.arms.iter().map(|arm| (arm.place, arm.number, arm.taken)).collect()
}

#[test]
fn arms_are_taken_where_they_are_reached() {
    // The inner conditions are not reached while the outer one is 0.
    assert_eq!(
        taken(&covered(&[false; 3])),
        [(0, 0, false), (0, 1, true), (1, 0, false), (1, 1, false), (2, 0, false), (2, 1, false)]
    );
    // The arm of the parameter is none of them.
    assert_eq!(
        taken(&covered(&[true, true, true, true])),
        [(0, 0, true), (0, 1, true), (1, 0, true), (1, 1, true), (2, 0, false), (2, 1, true)]
    );
}

#[test]
fn bits_must_rise_and_fall() {
    let state = |goes: &[bool]| {
        let module = covered(goes);
        let net = module.nets.iter().find(|net| net.name == "state").expect("it has this register").clone();
        (0..2).map(|bit| net.bit(bit)).collect::<Vec<_>>()
    };
    // 0, 0, 1
    assert_eq!(state(&[true, true]), [(true, false), (false, false)]);
    // 0, 0, 1, 2
    assert_eq!(state(&[true, true, true]), [(true, true), (true, false)]);
    // 0, 0, 1, 2, 0
    assert_eq!(state(&[true, true, true, true]), [(true, true), (true, true)]);
    let never = covered(&[true; 20]).nets.into_iter().find(|net| net.name == "never").expect("it is a port");
    assert_eq!(never.share(), Share { covered: 0, all: 1 });
}

#[test]
fn runs_add_up() {
    let (mut one, other) = (covered(&[false; 2]), covered(&[true; 5]));
    assert!(one.branch().covered < other.branch().covered);
    one.add(&other);
    assert_eq!(one.branch(), other.branch());
}

#[test]
fn conditions_are_found_in_the_text() {
    let text = "impl A {
 fn update(&mut self) { if x { } }
}
impl B {
 fn update(&mut self) {
  // if y { }
  for i in 0..2 {
   if a {
    b = 1;
   } else if c {
   } else {
    match d {
     One => {
      if e { }
     }
     _ => {}
    }
   }
  }
 }
 fn timing() {}
}
";
    let found = lines(text, 21).expect("it is there");
    assert_eq!(found, Lines { first: 5, last: 20, arms: vec![vec![8, 10], vec![10, 11], vec![13, 16], vec![14, 14]] });
    assert_eq!(lines(text, 2).expect("it is there").arms, [[2, 2]]);
    assert_eq!(lines("no { Rust", 1), None);
}

/// Every arm of every preset is on a line that has what its label says.
#[test]
fn every_arm_has_its_line() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is in the project");
    let mut seen = 0;
    let mut subjects: Vec<&Subject> = CAMPAIGNS.iter().map(|campaign| campaign.subject).collect();
    subjects.dedup_by_key(|subject| subject.name);
    for subject in subjects {
        for preset in (subject.presets)() {
            let netlist = (subject.netlist)(preset).expect("presets are legal");
            for (module, arms) in netlist.modules.iter().zip(&netlist.arms) {
                let text = std::fs::read_to_string(root.join(&arms.file)).expect("blocks have files");
                let found = lines(&text, arms.line);
                let found = found.unwrap_or_else(|| panic!("{}:{}: no update function", arms.file, arms.line));
                for arm in &arms.list {
                    let line = found.arms[arm.place as usize][arm.number as usize];
                    let text = text.lines().nth(line - 1).expect("the line is there");
                    let last = arm.label.rsplit([':', '$']).next().expect("a label has a part");
                    let wanted = match last {
                        "then" => "if ",
                        "else" => "",
                        "default" => "_ =>",
                        pattern => pattern,
                    };
                    assert!(text.contains(wanted), "{} {}:{line}: {text}: {arm:?}", module.name, arms.file);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 500, "{seen} arms");
}

#[test]
fn orders_are_checked() {
    let order =
        Order { unit: "array".into(), preset: "tiny".into(), campaigns: vec![], seed: 1, seeds: 1, size: Some(1) };
    let wrong = |order: Order| Plan::new(order).map(|_| ()).expect_err("it is wrong").to_string();
    let told = [
        (wrong(Order { unit: "stash".into(), ..order.clone() }), "unit = stash: must be array"),
        (wrong(Order { preset: "huge".into(), ..order.clone() }), "preset = huge: must be"),
        (wrong(Order { seeds: 0, ..order.clone() }), "seeds = 0: must be at least 1"),
        (wrong(Order { size: Some(0), ..order.clone() }), "size = 0: must be 1 to"),
        (wrong(Order { campaigns: vec!["ccs.random".into()], ..order.clone() }), "is no campaign on the unit array"),
        (wrong(Order { campaigns: vec!["all".into()], ..order }), "campaign = all: must be"),
    ];
    told.iter().for_each(|(message, wanted)| assert!(message.contains(wanted), "{message}"));
}

#[test]
fn reports_say_what_is_missing() {
    let module = covered(&[true; 6]);
    let coverage = Coverage {
        unit: "turn".into(),
        preset: "small".into(),
        campaigns: vec!["some".into()],
        cycles: 7,
        modules: vec![module],
    };
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is in the project");
    let table = markdown(&coverage);
    assert!(table.contains("| bl_turn |") && table.contains("| 5 / 6 (83.3 %) |"), "{table}");
    let list = missing(&coverage, root);
    assert!(list.contains("sim/coverage/tests.rs:32: then is never taken"), "{list}");
    assert!(list.contains("- never never rises"), "{list}");
    let page = html(&coverage, root);
    assert!(page.contains("never: then") && page.contains("</html>"), "{page}");
    // Without the sources there are no lines.
    let far = std::path::Path::new("/nowhere");
    assert!(missing(&coverage, far).contains("condition 2: then is never taken"));
    assert!(html(&coverage, far).contains("condition 2: then is never taken"));
}
