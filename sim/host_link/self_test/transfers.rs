//! Loads and stores: elements of any width from anywhere, to anywhere, and nothing beside them.

use rand::Rng;

use super::pool::Operands;
use super::{Outcome, Tester};
use crate::host_link::array::describe;
use crate::host_link::bits::{rows, unpack, words};
use crate::host_link::error::Result;
use crate::isa::transfer::{Transfer, element_bytes, widest};
use crate::system::protocol::ARRAY_MEMORY_BASE;

/// Cases of the quick and the full test.
pub const CASES: [usize; 2] = [6, 120];
/// Bytes of memory that stores go to.
const AREA: usize = 512;
/// Bytes beside a store that must not change.
const MARGIN: usize = 8;

/// The part.
pub fn test(t: &mut Tester, cases: usize) -> Result<()> {
    let operands = Operands::new(t)?;
    let area = operands.bytes.len();
    let mut image: Vec<u8> = (0..AREA.min(operands.end - area)).map(|_| t.stimulus.rng().random()).collect();
    t.board.session.write(ARRAY_MEMORY_BASE + area as u32, &words(&image))?;
    for case in 0..cases {
        one(t, &operands, &mut image, case)?;
        t.step();
    }
    Ok(())
}

/// A load, a store of the same rows, and a look at memory around it.
fn one(t: &mut Tester, operands: &Operands, image: &mut [u8], case: usize) -> Result<()> {
    let params = t.board.params.array.clone();
    let (columns, area) = (params.columns, operands.bytes.len());
    let rng = t.stimulus.rng();
    // The first case has all columns, so that the last one is looked at.
    let width = if case == 0 { 8 } else { rng.random_range(1..=widest(&params).min(params.rows)) as u8 };
    let row = rng.random_range(0..=params.rows - usize::from(width)) as u16;
    let whole = operands.load(rng, width, row, columns);
    let loaded = if case == 0 { columns } else { rng.random_range(1..=columns) };
    let load = Transfer { count: loaded as u16, ..whole };
    let step = usize::from(element_bytes(width));
    let stride = if case == 0 { step } else { step + rng.random_range(0..4) * rng.random_range(0..3) };
    let most = (image.len() - 2 * MARGIN - step) / stride + 1;
    let count = if case == 0 { columns } else { rng.random_range(1..=columns) }.min(most);
    let span = (count - 1) * stride;
    let lowest = rng.random_range(MARGIN..=image.len() - MARGIN - step - span);
    let down = case > 0 && rng.random();
    let (first, signed) = if down { (lowest + span, -(stride as i32)) } else { (lowest, stride as i32) };
    let store = Transfer {
        store: true,
        width,
        row,
        count: count as u16,
        address: (area + first) as u64,
        stride: if !down && stride == step { 0 } else { signed },
    };
    // The other columns have zeros.
    let mut elements = operands.elements(&load);
    elements.resize(columns, 0);
    assert_eq!(rows(&elements, usize::from(width), columns).len(), usize::from(width));
    for (k, element) in elements.iter().take(count).enumerate() {
        let at = (first as i64 + k as i64 * i64::from(signed)) as usize;
        image[at..at + step].copy_from_slice(&element.to_le_bytes()[..step]);
    }
    t.array.transfer(&mut t.board.session, &load)?;
    t.array.transfer(&mut t.board.session, &store)?;
    let fault = t.array.finish(&mut t.board.session)?;
    let from = (lowest - MARGIN) & !3;
    let to = (lowest + span + step + MARGIN).min(image.len()) & !3;
    let seen = unpack(&t.board.session.read(ARRAY_MEMORY_BASE + (area + from) as u32, (to - from) / 4)?);
    let outcome: Outcome = if let Some(fault) = fault {
        Err(format!("{load:?}, {store:?}: refused with {}", describe(fault.code)))
    } else if let Some(i) = (0..seen.len()).find(|&i| seen[i] != image[from + i]) {
        let what = format!("{load:?}, {store:?}: byte {:#x} of memory", area + from + i);
        super::same(&what, seen[i], image[from + i])
    } else {
        Ok(())
    };
    image[from..to].copy_from_slice(&seen);
    t.record("transfers", "load and store", &format!("{step} bytes"), count as u64, outcome);
    Ok(())
}
