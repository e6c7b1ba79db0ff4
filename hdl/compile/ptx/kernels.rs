//! Which kernel of a module a name means: its own, or the one that it has in the source.

use super::ast::{Kernel, Module};
use crate::error::{Error, Result};

impl Module {
    /// The kernel of this name, or the only one whose name in C++ this is: compilers write more into a name than stands
    /// in the source, `_Z6vecaddPKfS0_Pfi` for `vecadd`.
    ///
    /// # Errors
    ///
    /// There is none, and the message lists those there are; or there are several.
    pub fn kernel(&self, name: &str) -> Result<&Kernel> {
        if let Some(kernel) = self.kernels.iter().find(|kernel| kernel.name == name) {
            return Ok(kernel);
        }
        let listed = |kernels: &[&Kernel]| kernels.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
        let meant: Vec<&Kernel> = self.kernels.iter().filter(|it| source_name(&it.name) == Some(name)).collect();
        let rule = match meant[..] {
            [kernel] => return Ok(kernel),
            [] if self.kernels.is_empty() => format!("{} has no kernel", self.origin),
            [] => format!("must be a kernel of {}: {}", self.origin, listed(&self.kernels.iter().collect::<Vec<_>>())),
            _ => format!("is the name of several kernels of {}: must be one of {}", self.origin, listed(&meant)),
        };
        Err(Error::parameter("kernel", name, rule))
    }
}

/// The name of a function in its source, without namespaces and types of templates, by the rules of the Itanium C++
/// ABI; none where it is no mangled name, or one that kernels do not have.
fn source_name(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_Z")?;
    let (nested, mut rest) = rest.strip_prefix('N').map_or((false, rest), |rest| (true, rest));
    let mut found = None;
    loop {
        // `L` stands before what is static.
        rest = rest.strip_prefix('L').unwrap_or(rest);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(length) = rest[..digits].parse::<usize>() else { return found };
        found = Some(rest[digits..].get(..length)?);
        rest = &rest[digits + length..];
        if !nested {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::parse;

    #[test]
    fn names_are_those_of_the_source() {
        let cases = [
            ("_Z6vecaddPKfS0_Pfi", Some("vecadd")),
            ("_ZL6hiddenv", Some("hidden")),
            ("_Z5scaleIfEvPT_", Some("scale")),
            ("_ZN5first6second3addIiEEvv", Some("add")),
            ("_ZN12_GLOBAL__N_13addEv", Some("add")),
            ("vecadd", None),
            ("_Z", None),
            ("_Zv", None),
            ("_Z9short", None),
            ("_Z99999999999999999999999x", None),
        ];
        for (mangled, name) in cases {
            assert_eq!(source_name(mangled), name, "{mangled}");
        }
    }

    #[test]
    fn kernels_have_two_names() {
        let text = |kernels: &[&str]| {
            let kernels: String = kernels.iter().map(|name| format!(".entry {name}() {{ ret; }}\n")).collect();
            format!(".version 4.2\n.target sm_50\n.address_size 32\n{kernels}")
        };
        let module = parse("k.ptx", &text(&["_Z3addPf", "_Z3addPi", "_Z3subPf", "add3"])).expect("a module");
        let kernel = |name| module.kernel(name).map(|kernel| kernel.name.clone()).map_err(|error| error.to_string());
        assert_eq!(kernel("sub").as_deref(), Ok("_Z3subPf"));
        assert_eq!(kernel("_Z3addPi").as_deref(), Ok("_Z3addPi"));
        let rule = "kernel = add: is the name of several kernels of k.ptx: must be one of _Z3addPf, _Z3addPi";
        assert_eq!(kernel("add"), Err(rule.to_string()));
        let rule = "kernel = mul: must be a kernel of k.ptx: _Z3addPf, _Z3addPi, _Z3subPf, add3";
        assert_eq!(kernel("mul"), Err(rule.to_string()));
        let none = parse("k.ptx", &text(&[])).expect("a module");
        assert_eq!(none.kernel("k").expect_err("none").to_string(), "kernel = k: k.ptx has no kernel");
    }
}
