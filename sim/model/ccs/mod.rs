//! Models of the cache compute system's blocks.
