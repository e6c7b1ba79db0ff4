//! Status codes of the runtime: numbers, names and texts as CUDA programs know them.

/// Declares the codes: number, name, text.
macro_rules! codes {
    ($($variant:ident = $code:literal, $text:literal;)+) => {
        /// What a call of the runtime tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Status {
            $(#[doc = $text] $variant = $code),+
        }

        impl Status {
            /// All of them.
            pub const ALL: &'static [Status] = &[$(Status::$variant),+];

            /// The name that programs have for it, without `cudaError` or `cuda`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Status::$variant => stringify!($variant)),+ }
            }

            /// What it means.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Status::$variant => $text),+ }
            }
        }
    };
}

codes! {
    Success = 0, "no error";
    InvalidValue = 1, "invalid argument";
    MemoryAllocation = 2, "out of memory";
    InvalidConfiguration = 9, "invalid configuration argument";
    InvalidSymbol = 13, "invalid device symbol";
    InvalidDevicePointer = 17, "invalid device pointer";
    InvalidMemcpyDirection = 21, "invalid copy direction for memcpy";
    InvalidDeviceFunction = 98, "invalid device function";
    InvalidPtx = 218, "a PTX compilation failed";
    IllegalAddress = 700, "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "too many resources requested for launch";
    LaunchTimeout = 702, "the launch timed out and was terminated";
    Assert = 710, "device-side assert triggered";
    MisalignedAddress = 716, "misaligned address";
    LaunchFailure = 719, "unspecified launch failure";
    NotSupported = 801, "operation not supported";
}

impl Status {
    /// The number.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// Whether it stays until the device is reset: a kernel has failed, and nobody knows what it has left.
    #[must_use]
    pub fn stays(self) -> bool {
        use Status::{Assert, IllegalAddress, LaunchFailure, LaunchTimeout, MisalignedAddress};
        matches!(self, Assert | IllegalAddress | LaunchFailure | LaunchTimeout | MisalignedAddress)
    }
}
