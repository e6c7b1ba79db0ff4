//! The cache compute system's blocks.
