//! An image of registers, and values of nets where the engine keeps them, beside the reference in random designs.

use rand::Rng;

use super::design::text;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::{Engine, Image, Kept, Native, Place, Reference, Writer};

/// Tells an image what registers hold; those that `matters` says nothing of always matter. Those of a row, so many
/// from one on, are told side by side.
fn say(writer: &mut Writer<'_>, values: &[Vec<u64>], matters: &[Option<bool>], rows: &[(usize, usize)]) {
    for (number, (value, matters)) in values.iter().zip(matters).enumerate() {
        if let Some(&(first, count)) = rows.iter().find(|(first, count)| (*first..first + count).contains(&number)) {
            if number == first {
                let row: Vec<u64> = values[first..first + count].iter().map(|value| value[0]).collect();
                writer.put_row(&row, u64::MAX);
            }
            continue;
        }
        match (&value[..], matters) {
            (&[word], None) => writer.put(word),
            (&[word], &Some(matters)) => writer.put_seldom(matters.then_some(word)),
            (words, None) => writer.put_words(words),
            (words, &Some(matters)) => writer.put_words_seldom(matters.then_some(words)),
        }
    }
}

/// An image of all registers of an engine, which finds each difference and no other.
#[derive(Default)]
pub(super) struct Beside {
    image: Image,
    /// Which registers always have a value; else, whether they had one the last time.
    matters: Vec<Option<bool>>,
    /// Registers that are told side by side.
    rows: Vec<(usize, usize)>,
}

/// Registers of at most 64 bits that always have a value, as many as follow each other, but for some.
fn rows(flat: &Flat, matters: &[Option<bool>], rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let narrow = |number: &usize| flat.net(flat.registers[*number].net).width <= 64 && matters[*number].is_none();
    let (mut rows, mut at) = (vec![], 0);
    while at < matters.len() {
        let alike = |number: &usize| {
            let [first, this] = [at, *number].map(|number| flat.net(flat.registers[number].net).width);
            narrow(number) && first == this
        };
        let count = (at..matters.len()).take_while(alike).count();
        if count > 1 && rng.random_bool(0.8) {
            rows.push((at, count));
        }
        at += count.max(1);
    }
    rows
}

impl Beside {
    /// Compares all registers, then with one bit of one of them wrong.
    pub fn compare(&mut self, flat: &Flat, engine: &Native, rng: &mut impl Rng, place: &str) {
        let (kept, all) = (engine.kept().expect("it keeps them"), (0..flat.registers.len()).collect::<Vec<usize>>());
        if all.is_empty() {
            return;
        }
        if self.matters.is_empty() {
            // Neighbours are mostly alike: lanes can be told side by side.
            let mut always = true;
            let matters = all.iter().map(|_| {
                always ^= rng.random_bool(0.05);
                (!always).then_some(true)
            });
            self.matters = matters.collect();
            self.rows = rows(flat, &self.matters, rng);
        }
        if !self.image.fits(&kept, all.len()) {
            self.image = self.image.again(&kept, &all);
            self.image.matter();
        }
        let rows = &self.rows;
        self.matters.iter_mut().flatten().for_each(|matters| *matters = rng.random_bool(0.8));
        let mut values: Vec<Vec<u64>> = all.iter().map(|&register| engine.register(register).to_vec()).collect();
        let mut same = |values: &[Vec<u64>], matters: &[Option<bool>]| {
            let mut writer = self.image.writer();
            say(&mut writer, values, matters, rows);
            let open = writer.open();
            self.image.said(open);
            self.image.same(&kept)
        };
        assert!(same(&values, &self.matters), "{place}\n{}", text(flat));
        let wrong = rng.random_range(0..all.len());
        let bit = rng.random_range(0..flat.net(flat.registers[wrong].net).width as usize);
        values[wrong][bit / 64] ^= 1 << (bit % 64);
        let noticed = !same(&values, &self.matters);
        let matters = self.matters[wrong] != Some(false);
        assert_eq!(noticed, matters, "{place}, register {wrong}, bit {bit}\n{}", text(flat));
    }
}

/// Values of some nets where the engine keeps them, once it does.
pub(super) fn compare_shown(flat: &Flat, engine: &mut Native, reference: &mut Reference, place: &str) -> bool {
    let nets: Vec<NetId> = (0..flat.nets.len() as u32).step_by(3).map(NetId).collect();
    let Some(kept) = engine.shown(&nets) else { return false };
    for (&net, at) in nets.iter().zip(kept.places) {
        let expected = reference.value(net);
        let shown = at.get(kept.state);
        let limb = |limbs: &[u64], number: usize| limbs.get(number).copied().unwrap_or(0);
        let same = (0..expected.len().max(shown.len())).all(|at| limb(&expected, at) == limb(&shown, at));
        assert!(same, "{place}, net {}\n{}", flat.net(net).path, text(flat));
    }
    true
}

/// Eight words side by side are compared as a row; a row of which some lie apart is told one by one. What is told in
/// parts, in place of the whole that was told before, may be left open, but never passes if it is wrong.
#[test]
fn rows_are_told_side_by_side() {
    let (state, apart) = ([1u64, 2, 3, 4, 5, 6, 7, 8, 0, 9], [0, 1, 2, 3, 4, 5, 6, 9]);
    for slots in [[0, 1, 2, 3, 4, 5, 6, 7], apart] {
        let places = slots.map(|slot| Place::whole(slot, 7));
        let (kept, registers) = (Kept::new(&state, &places), [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut image = Image::default();
        let mut same = |parts: &[&[u32]]| {
            if !image.fits(&kept, 8) {
                image = image.again(&kept, &registers);
                image.matter();
            }
            let mut writer = image.writer();
            parts.iter().for_each(|part| writer.put_row(part, u64::from(u32::MAX)));
            assert_eq!(writer.number(), 8);
            let open = writer.open();
            image.said(open);
            image.same(&kept)
        };
        let held = slots.map(|slot| state[slot as usize] as u32);
        for _ in 0..3 {
            assert!(same(&[&held]));
            for at in 0..8 {
                // The last one has a bit that its register lacks.
                for bit in [0, 6, 7] {
                    let mut wrong = held;
                    wrong[at] ^= 1 << bit;
                    assert!(!same(&[&wrong]), "{wrong:?}");
                    assert!(!same(&[&wrong[..3], &wrong[3..]]), "{wrong:?}");
                    assert!(same(&[&held]));
                }
            }
        }
    }
}

/// What a value says of words that its register lacks, or one word of a register that has more, is told apart.
#[test]
fn values_of_another_size_leave_it_open() {
    let state = [5, 6, 7];
    let places = [Place::whole(0, 64), Place::whole(1, 100)];
    let kept = Kept::new(&state, &places);
    let mut image = Image::new(&kept, &[0, 1]);
    image.matter();
    let mut told = |say: &dyn Fn(&mut Writer<'_>)| {
        let mut writer = image.writer();
        say(&mut writer);
        let open = writer.open();
        image.said(open);
        (open, image.same(&kept))
    };
    let both = |writer: &mut Writer<'_>, first: &[u64], second: &[u64]| {
        writer.put_words(first);
        writer.put_words(second);
    };
    assert_eq!(told(&|w| both(w, &[5], &[6, 7])), (false, true));
    assert_eq!(told(&|w| both(w, &[5, 0], &[6, 7, 0])), (false, true));
    assert_eq!(told(&|w| both(w, &[5, 1], &[6, 7])), (true, false));
    assert_eq!(told(&|w| both(w, &[5], &[6])), (false, false));
    let narrow = |writer: &mut Writer<'_>| {
        writer.put(5);
        writer.put(6);
    };
    assert_eq!(told(&narrow), (true, false));
    let seldom = |writer: &mut Writer<'_>| {
        writer.put(5);
        writer.put_seldom(None);
    };
    assert_eq!(told(&seldom), (true, false));
    // Some bits, and a value that is skipped.
    let bits = |writer: &mut Writer<'_>| {
        writer.seek(1);
        writer.put_bits(100, |bit| (bit == 1 || bit == 64).then_some(true));
    };
    assert_eq!(told(&bits), (false, true));
}
