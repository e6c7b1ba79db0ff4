//! Nothing. rust-hdl-core asks for svg 0.10 and uses it nowhere; Rust will refuse that version's code one day, and
//! Cargo says so in every build. The workspace puts this empty crate in its place (`[patch.crates-io]` in
//! `Cargo.toml`).
