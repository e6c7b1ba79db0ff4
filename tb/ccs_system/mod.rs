//! A processor that uses the cache compute system: `sim ccs-system`, and programs over buses.

mod buses;
mod tests;
