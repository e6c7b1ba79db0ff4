//! Compiled code. Whatever is `unsafe` in this crate is here, but for the vector instructions of `lanes/each.rs`.
//!
//! What the code may touch is decided in `translate.rs`: words of the state at places below the layout's size, words of
//! memories below their depth. [`Code::run`] checks that both slices are as long as they were when it was compiled.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};

use super::called::{Called, Fixed};

/// The type of compiled functions: state, words of memories, how often.
type Function = unsafe extern "C" fn(*mut u64, *mut u64, u64);

/// What compiled code calls: an operation, the state and its length, the words of memories and their number.
pub(crate) unsafe extern "C" fn call(called: *const Called, state: *mut u64, size: u64, words: *mut u64, count: u64) {
    // SAFETY: the code was compiled with the address of a `Called` that `Code` keeps, and hands on the slices of
    // `Code::run`, which nobody else uses meanwhile.
    unsafe {
        let state = std::slice::from_raw_parts_mut(state, size as usize);
        let words = std::slice::from_raw_parts_mut(words, count as usize);
        (*called).run(state, words);
    }
}

/// Makes code.
pub(crate) struct Maker {
    module: JITModule,
    context: Context,
    pub builder: FunctionBuilderContext,
    functions: Vec<FuncId>,
    bytes: usize,
}

/// Code that can be run; that by default does nothing.
#[derive(Default)]
pub(crate) struct Code {
    /// Owns the machine code; taken when it is given back.
    module: Option<JITModule>,
    functions: Vec<Function>,
    /// What the code calls: it has their addresses.
    _called: Vec<Fixed>,
    /// Words that the state and the memories have.
    sizes: (usize, usize),
    bytes: usize,
}

impl Maker {
    /// Nothing yet.
    ///
    /// # Errors
    /// When there is no code for this processor.
    pub fn new() -> Result<Maker, String> {
        #[cfg(test)]
        super::testing::refusal()?;
        let mut flags = settings::builder();
        for (name, value) in [("opt_level", "speed"), ("enable_verifier", if cfg!(test) { "true" } else { "false" })] {
            flags.set(name, value).map_err(|e| e.to_string())?;
        }
        let isa = cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Ok(Maker { module, context, builder: FunctionBuilderContext::new(), functions: vec![], bytes: 0 })
    }

    /// The signature of compiled functions.
    pub fn signature(&self) -> Signature {
        let mut signature = Signature::new(self.module.isa().default_call_conv());
        signature.params = vec![AbiParam::new(types::I64); 3];
        signature
    }

    /// The signature of [`call`].
    pub fn call_signature(&self) -> Signature {
        let mut signature = Signature::new(CallConv::triple_default(self.module.isa().triple()));
        signature.params = vec![AbiParam::new(types::I64); 5];
        signature
    }

    /// Adds a function, whose body `write` makes.
    pub fn function(
        &mut self,
        write: impl FnOnce(&mut Context, &mut FunctionBuilderContext, cranelift_codegen::isa::TargetFrontendConfig),
    ) -> Result<(), String> {
        let name = format!("part{}", self.functions.len());
        self.context.func.signature = self.signature();
        let config = self.module.target_config();
        write(&mut self.context, &mut self.builder, config);
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &self.context.func.signature)
            .map_err(|e| e.to_string())?;
        self.module.define_function(id, &mut self.context).map_err(|e| format!("{e:?}"))?;
        self.bytes += self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        self.module.clear_context(&mut self.context);
        self.functions.push(id);
        Ok(())
    }

    /// The code, for a state and memories of so many words.
    pub fn finish(mut self, called: Vec<Fixed>, sizes: (usize, usize)) -> Result<Code, String> {
        self.module.finalize_definitions().map_err(|e| e.to_string())?;
        let function = |id: &FuncId| {
            let address = self.module.get_finalized_function(*id);
            // SAFETY: the function was declared with the signature of `Function`.
            unsafe { std::mem::transmute::<*const u8, Function>(address) }
        };
        let functions = self.functions.iter().map(function).collect();
        Ok(Code { module: Some(self.module), functions, _called: called, sizes, bytes: self.bytes })
    }
}

impl Code {
    /// Number of functions.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs all parts one after the other, some times.
    ///
    /// # Panics
    /// If state or memories are shorter than they were said to be.
    #[inline]
    pub fn run(&self, times: u64, state: &mut [u64], words: &mut [u64]) {
        assert!(state.len() >= self.sizes.0 && words.len() >= self.sizes.1, "compiled for a larger design");
        let (state, words) = (state.as_mut_ptr(), words.as_mut_ptr());
        // SAFETY: the functions are alive as long as the module is, and touch only words inside of both slices.
        unsafe {
            match self.functions[..] {
                [one] => one(state, words, times),
                _ => (0..times).for_each(|_| self.functions.iter().for_each(|function| function(state, words, 1))),
            }
        }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nothing runs, and no address of a function outlives this.
            unsafe { module.free_memory() }
        }
    }
}
