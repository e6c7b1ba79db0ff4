//! The memories that threads see.
//!
//! Global memory is a list of regions: variables of the module and buffers of the launch, with a gap between any two,
//! so that an access beyond an end meets nothing. Shared, constant and local memory and parameters of a kernel begin at
//! address 0 of their own spaces; a generic address has them in windows from 0xF000_0000 on, which 32-bit pointers
//! reach.

use crate::ptx::types::Space;

/// Where the first region begins: what is below is nobody's, the null pointer first of all.
pub(super) const FIRST: u64 = 0x1_0000;

/// Of what a region's base is a multiple, and bytes between two regions at least.
const STEP: u64 = 256;

/// Where the windows begin, and how large each is.
const WINDOWS: [(Space, u64); 4] = [
    (Space::Shared, 0xf000_0000),
    (Space::Local, 0xf100_0000),
    (Space::Const, 0xf200_0000),
    (Space::Param, 0xf300_0000),
];
const WINDOW: u64 = 0x100_0000;

/// The generic address of an address in `space`.
pub(super) fn to_generic(space: Space, address: u64) -> u64 {
    let window = WINDOWS.iter().find(|(own, _)| *own == space);
    address.wrapping_add(window.map_or(0, |(_, base)| *base))
}

/// The address in `space` of a generic one.
pub(super) fn from_generic(space: Space, address: u64) -> u64 {
    let window = WINDOWS.iter().find(|(own, _)| *own == space);
    address.wrapping_sub(window.map_or(0, |(_, base)| *base))
}

/// The space of a generic address, and the address there.
pub(super) fn resolve(address: u64) -> (Space, u64) {
    let window = WINDOWS.iter().find(|(_, base)| (*base..base + WINDOW).contains(&address));
    window.map_or((Space::Global, address), |(space, base)| (*space, address - base))
}

/// A piece of global memory.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is called in messages.
    pub name: String,
    /// Its first address.
    pub base: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Global memory.
#[derive(Clone, Debug, Default)]
pub struct Global {
    regions: Vec<Region>,
}

impl Global {
    /// Adds a region that holds these bytes, at the first place where it fits, and tells its address; none if addresses
    /// have no room for it.
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> Option<u64> {
        let behind = |region: &Region| (region.base + region.bytes.len() as u64 + STEP).next_multiple_of(STEP);
        let needed = bytes.len() as u64 + STEP;
        let starts = [FIRST].into_iter().chain(self.regions.iter().map(behind));
        let ends = self.regions.iter().map(|region| region.base).chain([WINDOWS[0].1]);
        let (index, base) = starts
            .zip(ends)
            .enumerate()
            .find_map(|(index, (start, end))| (start + needed <= end).then_some((index, start)))?;
        self.regions.insert(index, Region { name: name.into(), base, bytes });
        Some(base)
    }

    /// Takes a region away, and tells what it was; none if none begins there.
    pub fn remove(&mut self, base: u64) -> Option<Region> {
        let index = self.regions.iter().position(|region| region.base == base)?;
        Some(self.regions.remove(index))
    }

    /// All regions, by address, to be written.
    pub(crate) fn regions_mut(&mut self) -> &mut [Region] {
        &mut self.regions
    }

    /// The region that begins there.
    #[must_use]
    pub fn region(&self, base: u64) -> Option<&Region> {
        self.regions.iter().find(|region| region.base == base)
    }

    /// All regions, by address.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The `count` bytes at `address`.
    pub(crate) fn at(&mut self, address: u64, count: u64) -> Result<&mut [u8], String> {
        let index = self.regions.partition_point(|region| region.base <= address);
        let found = index.checked_sub(1).map(|index| &self.regions[index]);
        match found {
            Some(region) if address - region.base + count <= region.bytes.len() as u64 => {}
            Some(region) => {
                let (length, beyond) = (region.bytes.len(), address - region.base);
                return Err(format!(
                    "global address {address:#x}, {count} bytes: in no buffer; the one below, {}, has {length} bytes, \
                     and this is its byte {beyond}",
                    region.name
                ));
            }
            None => return Err(format!("global address {address:#x}, {count} bytes: in no buffer, below all of them")),
        }
        let region = &mut self.regions[index - 1];
        let from = (address - region.base) as usize;
        Ok(&mut region.bytes[from..from + count as usize])
    }
}

/// The `count` bytes at `address` of a memory that begins at 0.
pub(super) fn within(bytes: &mut [u8], space: Space, address: u64, count: u64) -> Result<&mut [u8], String> {
    let length = bytes.len();
    let end = address.checked_add(count).filter(|end| *end <= length as u64);
    match end {
        Some(end) => Ok(&mut bytes[address as usize..end as usize]),
        None => Err(format!("{} address {address:#x}, {count} bytes: there are {length}", space.name())),
    }
}

/// Bytes as a number, the lowest first.
pub(super) fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A number as bytes.
pub(super) fn write(bytes: &mut [u8], value: u64) {
    let count = bytes.len();
    bytes.copy_from_slice(&value.to_le_bytes()[..count]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_apart_and_bounded() {
        let mut global = Global::default();
        let a = global.add("a", vec![1, 2, 3, 4]).expect("room");
        let b = global.add("b", vec![5; 300]).expect("room");
        assert!(a >= FIRST && b >= a + 4 + STEP && b.is_multiple_of(STEP));
        assert_eq!(read(global.at(a, 4).expect("bytes")), 0x0403_0201);
        write(global.at(b + 298, 2).expect("bytes"), 0xabcd);
        assert_eq!(global.region(b).expect("b").bytes[298..], [0xcd, 0xab]);
        let error = global.at(a + 2, 4).expect_err("beyond");
        assert!(error.contains("the one below, a, has 4 bytes, and this is its byte 2"), "{error}");
        assert!(global.at(0, 1).is_err() && global.at(a - 1, 2).is_err() && global.at(u64::MAX, 8).is_err());
        assert!(global.add("huge", Vec::new()).is_some());
        // What is given back is there for others that fit.
        assert_eq!(global.remove(b).expect("b").bytes.len(), 300);
        assert!(global.remove(b).is_none() && global.at(b, 1).is_err());
        let larger = global.add("larger", vec![0; 900]).expect("room");
        assert!(larger > b && global.add("b", vec![7; 4]) == Some(b) && read(global.at(b, 1).expect("bytes")) == 7);
        assert!(global.regions().is_sorted_by_key(|region| region.base));
    }

    #[test]
    fn windows_lead_there_and_back() {
        for (space, _) in WINDOWS {
            let generic = to_generic(space, 24);
            assert_eq!((resolve(generic), from_generic(space, generic)), ((space, 24), 24));
        }
        assert_eq!(resolve(0x1_0000), (Space::Global, 0x1_0000));
        assert_eq!((to_generic(Space::Global, 5), from_generic(Space::Global, 5)), (5, 5));
    }
}
