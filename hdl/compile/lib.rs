//! Kernels in PTX, the assembly language that `clang` makes of CUDA without any SDK: read, run, and compiled.
//!
//! ```text
//! k.cu ─ clang ─▶ k.ptx ─▶ ptx: tokens ─▶ parser ─▶ Module ─┬▶ interpret: each thread by itself, on plain numbers
//!                                     └ table of instructions└▶ words: as words of the control block, which run
//! ```
//!
//! [`ptx`] reads text and refuses what is not there, with line and column; its table has every instruction of PTX.
//! [`interpret`] is the judge of all compilation: it shares nothing but the parser with what the compiler does.
//! [`words`] makes programs of the Duality Cache's control block. [`launch`] has arguments from text and files.
//!
//! ```
//! use bitline_compile::launch::{Argument, Plan};
//!
//! let text = ".version 4.2 .target sm_50 .address_size 32
//!     .visible .entry double(.param .u32 numbers) {
//!         .reg .b32 %r<5>;
//!         ld.param.u32 %r0, [numbers];
//!         mov.u32 %r1, %tid.x;
//!         mad.lo.s32 %r2, %r1, 4, %r0;
//!         ld.global.u32 %r3, [%r2];
//!         shl.b32 %r4, %r3, 1;
//!         st.global.u32 [%r2], %r4;
//!         ret;
//!     }";
//! let module = bitline_compile::ptx::parse("double.ptx", text)?;
//! let numbers: Argument = "random:u32:8:1:0..99".parse()?;
//! let Argument::Buffer(before) = &numbers else { unreachable!() };
//! let plan = Plan { block: [8, 1, 1], arguments: vec![numbers.clone()], ..Plan::new("double") };
//! let outcome = plan.interpret(&module, &mut |_, _| ())?;
//! let after = outcome.buffers[0].as_ref().expect("the argument is a buffer");
//! assert!(before.bits().zip(after.bits()).all(|(before, after)| after == 2 * before));
//!
//! // The same on the control block's words.
//! let params = bitline_units::duality::DualityParams::preset("tiny").expect("a preset");
//! let ran = plan.words(&module, &bitline_compile::words::Words::new(&params))?;
//! assert_eq!(ran.buffers, outcome.buffers);
//! # Ok::<(), bitline_compile::error::Error>(())
//! ```

pub mod error;
mod flow;
pub mod interpret;
pub mod launch;
mod optimize;
pub mod ptx;
pub mod runtime;
pub mod words;
