//! Kernels in CUDA C++ or OpenCL C: clang compiles them to PTX, against our headers, which this program carries.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bitline_kernel::error::{Error, Result};
use bitline_sim::data::source;
use clap::Args;

/// What kernels include, under the names by which they do.
const HEADERS: [(&str, &str); 20] = [
    ("cuda.h", include_str!("headers/cuda.h")),
    ("cuda_fp16.h", include_str!("headers/cuda_fp16.h")),
    ("cuda_runtime.h", include_str!("headers/cuda_runtime.h")),
    ("cuda_runtime_api.h", include_str!("headers/cuda_runtime_api.h")),
    ("device.h", include_str!("headers/device.h")),
    ("device_launch_parameters.h", include_str!("headers/device_launch_parameters.h")),
    ("driver_types.h", include_str!("headers/driver_types.h")),
    ("math_constants.h", include_str!("headers/math_constants.h")),
    ("opencl.h", include_str!("headers/opencl.h")),
    ("opencl_float.h", include_str!("headers/opencl_float.h")),
    ("vector_functions.h", include_str!("headers/vector_functions.h")),
    ("vector_types.h", include_str!("headers/vector_types.h")),
    ("device/atomic.h", include_str!("headers/device/atomic.h")),
    ("device/convert.h", include_str!("headers/device/convert.h")),
    ("device/double.h", include_str!("headers/device/double.h")),
    ("device/integer.h", include_str!("headers/device/integer.h")),
    ("device/overloads.h", include_str!("headers/device/overloads.h")),
    ("device/powers.h", include_str!("headers/device/powers.h")),
    ("device/single.h", include_str!("headers/device/single.h")),
    ("device/warp.h", include_str!("headers/device/warp.h")),
];

/// Host and device round alike: no contraction to fma. Loops stay loops, since the control block's ring holds them.
/// Lines of the source are in the PTX, for profiles and errors, in the form of old debuggers: newer ones have names of
/// files that are no PTX.
const COMMON: &str = "-O2 -ffp-contract=off -fno-unroll-loops -fno-vectorize -fno-slp-vectorize -gdwarf-2 \
    -gline-tables-only -S";

/// As scripts/cu has them.
const CUDA: &str = "-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_50 -Xclang -target-feature \
    -Xclang +ptx60 -fdeclspec -Wno-unknown-cuda-version -Xclang -target-sdk-version=11.0";

/// Pointers and `size_t` have 32 bits, which are fewer rows; no host's code has to agree with that. This target tells
/// to which memory a kernel's pointers lead. clang's own declarations are left out, as no bodies go with them.
const OPENCL: &str = "-x cl -cl-std=CL2.0 -cl-no-stdinc -target nvptx-nvidia-nvcl -Xclang -target-cpu -Xclang sm_50 \
    -Xclang -target-feature -Xclang +ptx60";

#[derive(Args)]
pub struct ClangArgs {
    /// clang that compiles .cu and .cl; what CLANG in the environment says unless given, else clang-19
    #[arg(long, value_name = "NAME")]
    clang: Option<OsString>,
    /// Option for clang, such as -DN=16 or -Ifolder; once for each
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    clang_option: Vec<OsString>,
}

/// PTX, and where it is from.
pub struct Text {
    /// What messages call it.
    pub name: String,
    /// The PTX.
    pub text: String,
    /// A compiler has made it of a file that the user knows.
    compiled: bool,
}

impl ClangArgs {
    /// The PTX in a file, or that of a file in another language, by the end of its name: `.cu` is CUDA C++, `.cl`
    /// OpenCL C. clang writes to the standard error itself what it has to say.
    ///
    /// # Errors
    /// A file that cannot be read, or does not compile; no clang; options for one where there is nothing to compile.
    pub fn text(&self, path: &Path) -> Result<Text> {
        let (language, header) = match path.extension().and_then(|ending| ending.to_str()) {
            Some("cu") => (CUDA, "cuda_runtime.h"),
            Some("cl") => (OPENCL, "opencl.h"),
            _ => return self.read(path),
        };
        drop(source::open(path)?);
        let folder = tempfile::tempdir().map_err(|error| Error::file(std::env::temp_dir(), error))?;
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("device")).map_err(|error| Error::file(at("device"), error))?;
        for (name, content) in HEADERS {
            std::fs::write(at(name), content).map_err(|error| Error::file(at(name), error))?;
        }
        let named = || std::env::var_os("CLANG").filter(|name| !name.is_empty());
        let clang = self.clang.clone().or_else(named).unwrap_or_else(|| "clang-19".into());
        let words = |options: &'static str| options.split_whitespace();
        let output = at("kernels.ptx");
        let mut command = Command::new(&clang);
        command.args(words(language)).args(words(COMMON)).arg("-include").arg(at(header));
        // The user's own headers come before ours of the same name.
        command.args(&self.clang_option).arg("-I").arg(folder.path()).arg("-o").arg(&output);
        // A name that begins with a dash would be an option.
        let dash = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        command.arg(if dash { Path::new(".").join(path) } else { path.into() });
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        let refuse = |reason: String| Error::Tool { tool: clang.to_string_lossy().into_owned(), reason };
        let missing = "is not installed: apt-get install clang-19, or name another one (--clang clang-16)";
        match status {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(refuse(missing.into())),
            Err(error) => return Err(refuse(error.to_string())),
            Ok(status) if !status.success() => return Err(refuse(format!("{} does not compile", path.display()))),
            Ok(_) => {}
        }
        let name = format!("PTX of {}", path.display());
        // Options of the user's may have it written elsewhere, or not as text.
        let text = source::text(&output).map_err(|error| refuse(format!("has not written the {name}: {error}")))?;
        Ok(Text { name, text, compiled: true })
    }

    fn read(&self, path: &Path) -> Result<Text> {
        let options = self.clang.iter().map(|name| ("clang", name));
        if let Some((name, value)) = options.chain(self.clang_option.iter().map(|it| ("clang-option", it))).next() {
            let rule = format!("{} is PTX; clang compiles .cu and .cl", path.display());
            return Err(Error::parameter(name, value.to_string_lossy(), rule));
        }
        let name = source::name(path).display().to_string();
        Ok(Text { name, text: source::text(path)?, compiled: false })
    }
}

impl Text {
    /// An error with the line of the source, where it is about a line of PTX that the user has not written.
    pub fn told(&self, error: Error) -> Error {
        match error {
            Error::Syntax { origin, line, reason } if self.compiled && origin == self.name => {
                let from = self.source(line).map_or(String::new(), |(file, line)| format!(" ({file}, line {line})"));
                Error::Syntax { origin, line, reason: reason + &from }
            }
            other => other,
        }
    }

    /// File and line that a line of the PTX comes from.
    fn source(&self, line: usize) -> Option<(String, u64)> {
        let marks = |line: &&str| line.trim_start().starts_with(".loc") || line.contains(".entry");
        let before = self.text.lines().take(line).filter(marks).last()?;
        let mut words = before.trim_start().strip_prefix(".loc")?.split_whitespace();
        let (file, line) = (words.next()?, words.next()?.parse().ok()?);
        // Line 0 is what belongs to no line.
        let names = self.text.lines().filter_map(|line| line.trim_start().strip_prefix(".file"));
        let quoted = |rest: &str| rest.trim().strip_prefix(file)?.split('"').nth(1).map(PathBuf::from);
        let path = names.filter_map(quoted).next()?;
        Some((path.file_name()?.to_string_lossy().into_owned(), line)).filter(|(_, line)| *line > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> ClangArgs {
        ClangArgs { clang: None, clang_option: Vec::new() }
    }

    #[test]
    fn lines_of_the_source_are_told() {
        let text =
            "\t.file 1 \"/a/k.cu\"\n.visible .entry k()\n{\n.loc 1 7 5\nadd;\n.loc 1 0 5\nsub;\n.loc 12 3\nmul;\n}\n";
        let made = Text { name: "PTX of k.cu".into(), text: text.into(), compiled: true };
        let told = |line| {
            let error = Error::Syntax { origin: "PTX of k.cu".into(), line, reason: "no".into() };
            made.told(error).to_string()
        };
        assert_eq!(told(5), "PTX of k.cu, line 5: no (k.cu, line 7)");
        for line in [2, 7, 9, 99] {
            assert_eq!(told(line), format!("PTX of k.cu, line {line}: no"));
        }
    }

    /// No header of the folder is forgotten, but those of the host's library.
    #[test]
    fn all_headers_are_carried() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("headers");
        let listed = |folder: &Path, prefix: &str| {
            let names = folder.read_dir().expect("a folder").map(|entry| entry.expect("an entry").file_name());
            let names = names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".h"));
            names.map(|name| format!("{prefix}{name}")).collect::<Vec<_>>()
        };
        let mut found = [listed(&folder, ""), listed(&folder.join("device"), "device/")].concat();
        found.retain(|name| !["link.h", "managed.h"].contains(&name.as_str()));
        found.sort();
        let mut carried: Vec<&str> = HEADERS.iter().map(|header| header.0).collect();
        carried.sort_unstable();
        assert_eq!(carried, found);
    }

    #[test]
    fn clang_is_for_other_languages() {
        let args = ClangArgs { clang: Some("clang-16".into()), ..none() };
        let error = args.text(Path::new("k.ptx")).err().expect("PTX").to_string();
        assert_eq!(error, "clang = clang-16: k.ptx is PTX; clang compiles .cu and .cl");
        let args = ClangArgs { clang_option: vec!["-DN=1".into()], ..none() };
        let error = args.text(Path::new("-")).err().expect("PTX").to_string();
        assert_eq!(error, "clang-option = -DN=1: - is PTX; clang compiles .cu and .cl");
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = none().text(Path::new("/nowhere/k.cu")).err().expect("no file").to_string();
        assert!(error.starts_with("/nowhere/k.cu: "), "{error}");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.cl");
        std::fs::write(&path, "kernel void k() {}").expect("written");
        let args = ClangArgs { clang: Some("/nowhere/clang".into()), ..none() };
        let error = args.text(&path).err().expect("no clang").to_string();
        assert!(error.starts_with("/nowhere/clang: is not installed: apt-get install clang-19"), "{error}");
    }
}
