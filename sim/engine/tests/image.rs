//! An image of registers, and values of nets where the engine keeps them, beside the reference in random designs.

use rand::Rng;

use super::design::text;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::NetId;
use crate::{Engine, Image, Kept, Native, Place, Reference, Writer};

/// Tells an image what registers hold; those that `matters` says nothing of do not matter.
fn say<'a>(writer: &mut Writer<'_>, values: impl Iterator<Item = &'a Vec<u64>>, matters: &[Option<bool>]) {
    for (value, matters) in values.zip(matters) {
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
}

impl Beside {
    /// Compares all registers, then with one bit of one of them wrong.
    pub fn compare(&mut self, flat: &Flat, engine: &Native, rng: &mut impl Rng, place: &str) {
        let (kept, all) = (engine.kept().expect("it keeps them"), (0..flat.registers.len()).collect::<Vec<usize>>());
        if all.is_empty() {
            return;
        }
        if self.matters.is_empty() {
            self.matters = all.iter().map(|_| rng.random::<bool>().then_some(true)).collect();
        }
        if !self.image.fits(&kept, all.len()) {
            self.image = Image::new(&kept, &all);
            self.image.matter();
        }
        self.matters.iter_mut().flatten().for_each(|matters| *matters = rng.random_bool(0.8));
        let mut values: Vec<Vec<u64>> = all.iter().map(|&register| engine.register(register).to_vec()).collect();
        let mut same = |values: &[Vec<u64>], matters: &[Option<bool>]| {
            let mut writer = self.image.writer();
            say(&mut writer, values.iter(), matters);
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
