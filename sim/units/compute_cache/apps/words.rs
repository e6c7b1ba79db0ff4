//! Words of a text: how often each occurs, and where one occurs.
//!
//! The dictionary lies in the cache, in bins by first letter and length; a bin is a list of pages of 512 bytes, what
//! one search covers. Words have slots of 8, 16 or 32 bytes. A word's key is the word over and over in a block, so that
//! one search compares it with all slots of a page.

use std::collections::BTreeMap;

use super::{repeated, suits};
use crate::compute_cache::{CacheInstruction, CacheOp};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::units::compute_cache::machine::CacheMachine;

/// Bytes of a page.
const PAGE: u32 = 512;
/// Where the key lies.
const KEY: u32 = 0;
/// Bytes of a slot.
const SLOTS: [usize; 3] = [8, 16, 32];

/// The words of a text: runs of letters, in lower case.
pub fn split(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect()
}

/// A page of a bin.
struct Page {
    address: u32,
    /// Words in its slots, and how often they have come.
    words: Vec<(String, u64)>,
}

/// What counting gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordCount {
    /// How often each word occurs.
    pub counts: BTreeMap<String, u64>,
    /// Searches done.
    pub searches: u64,
    /// Pages of the dictionary.
    pub pages: u64,
}

/// Counts words: a search for each, and a new slot for those that are not there.
///
/// # Errors
/// [`Error::Parameter`] if a word is too long, or the dictionary does not fit; [`Error::Tool`] when hardware and model
/// differ.
pub fn count<E: Engine>(machine: &mut CacheMachine<E>, words: &[String]) -> Result<WordCount> {
    suits(machine, 2 * PAGE)?;
    let mut bins: BTreeMap<(u8, usize), Vec<Page>> = BTreeMap::new();
    let (mut free, mut result) = (PAGE, WordCount::default());
    for word in words {
        let Some(slot) = SLOTS.into_iter().find(|&slot| word.len() <= slot) else {
            return Err(Error::parameter("word", word, "must have at most 32 letters"));
        };
        let first = word.bytes().next().unwrap_or(0);
        let bin = bins.entry((first, slot)).or_default();
        let mut padded = word.clone().into_bytes();
        padded.resize(slot, 0);
        machine.write(KEY, &repeated(&padded))?;
        let searches: Vec<_> =
            bin.iter().map(|page| CacheInstruction::new(CacheOp::Search, page.address, KEY, 0, PAGE)).collect();
        let run = machine.run_legal(&searches)?;
        result.searches += searches.len() as u64;
        let place = run.masks().enumerate().find_map(|(page, mask)| Some((page, matching(mask, slot / 8)?)));
        if let Some((page, slot)) = place {
            bin[page].words[slot].1 += 1;
            continue;
        }
        let slots = PAGE as usize / slot;
        if bin.last().is_none_or(|page| page.words.len() == slots) {
            if free + PAGE > machine.geometry().bytes() as u32 {
                return Err(Error::parameter(
                    "words",
                    words.len(),
                    "have more different ones than the cache has room for",
                ));
            }
            machine.run_legal(&[CacheInstruction::new(CacheOp::Zero, 0, 0, free, PAGE)])?;
            bin.push(Page { address: free, words: vec![] });
            free += PAGE;
            result.pages += 1;
        }
        let page = bin.last_mut().expect("a page was added");
        machine.write(page.address + (page.words.len() * slot) as u32, &padded)?;
        page.words.push((word.clone(), 1));
    }
    result.counts = bins.into_values().flatten().flat_map(|page| page.words).collect();
    Ok(result)
}

/// The first slot of which all 64-bit words match.
fn matching(mask: u64, words: usize) -> Option<usize> {
    let all = (1 << words) - 1;
    (0..64 / words).find(|slot| mask >> (slot * words) & all == all)
}

/// Numbers of the words that are equal to `wanted`, which has at most 8 letters. The text lies in the cache, part by
/// part, in slots of 8 bytes, longer words cut off; the searches are one stream with one key.
///
/// # Errors
/// [`Error::Parameter`] if `wanted` is too long or empty; [`Error::Tool`] when hardware and model differ.
pub fn find<E: Engine>(machine: &mut CacheMachine<E>, words: &[String], wanted: &str) -> Result<Vec<usize>> {
    suits(machine, 2 * PAGE)?;
    if wanted.is_empty() || wanted.len() > 8 {
        return Err(Error::parameter("word", wanted, "must have 1 to 8 letters"));
    }
    let slot = |word: &str| {
        let mut slot = word.as_bytes()[..word.len().min(8)].to_vec();
        slot.resize(8, 0);
        slot
    };
    machine.write(KEY, &repeated(&slot(wanted)))?;
    let room = (machine.geometry().bytes() as u32 / PAGE - 1) * PAGE;
    let mut found = vec![];
    for (part, words) in words.chunks(room as usize / 8).enumerate() {
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| slot(word)).collect();
        bytes.resize(bytes.len().next_multiple_of(PAGE as usize), 0);
        machine.write(PAGE, &bytes)?;
        let pages = (0..bytes.len() as u32).step_by(PAGE as usize);
        let searches: Vec<_> =
            pages.map(|at| CacheInstruction::new(CacheOp::Search, PAGE + at, KEY, 0, PAGE)).collect();
        for (page, mask) in machine.run_legal(&searches)?.masks().enumerate() {
            let slots = (0..64).filter(|slot| mask >> slot & 1 == 1).map(|slot| 64 * page + slot);
            // A slot holds eight letters: longer words that begin so are no match.
            let equal = slots.filter(|&at| words.get(at).is_some_and(|word| word == wanted));
            found.extend(equal.map(|at| part * (room as usize / 8) + at));
        }
    }
    Ok(found)
}
