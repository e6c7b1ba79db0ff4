//! Single designs.
