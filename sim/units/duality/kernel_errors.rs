//! Errors of the compiler of kernels among those of simulations: places in a source are part of their texts.

use bitline_compile::error::Error as Own;

use crate::error::Error;

/// An error of the compiler as one of ours.
pub fn told(error: Own) -> Error {
    match error {
        Own::Parameter { parameter, value, rule } => Error::Parameter { parameter, value, rule },
        Own::File { path, reason } => Error::File { path, reason },
        Own::Source { origin, place, reason } => {
            let reason = format!("column {}: {reason}", place.column);
            Error::Syntax { origin, line: place.line as usize, reason }
        }
        Own::Run { ref origin, place, .. } => {
            let text = error.to_string();
            let head = format!("{origin}, line {}: ", place.line);
            let reason = text.strip_prefix(&head).unwrap_or(&text).to_string();
            Error::Syntax { origin: origin.clone(), line: place.line as usize, reason }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitline_compile::launch::Plan;
    use bitline_compile::ptx;

    #[test]
    fn errors_keep_their_places() {
        let text = ".version 4.2\n.target sm_50\n.address_size 32\n.visible .entry k() { frob; }";
        let error = told(ptx::parse("k.ptx", text).expect_err("no instruction")).to_string();
        assert_eq!(error, "k.ptx, line 4: column 23: `frob` is no instruction of PTX ISA 8.7");
        let module = ptx::parse("k.ptx", &text.replace("frob", "trap")).expect("a module");
        let error = told(Plan::new("k").interpret(&module, &mut |_, _| ()).expect_err("a trap")).to_string();
        assert_eq!(error, "k.ptx, line 4: block (0, 0, 0), thread (0, 0, 0): `trap`: the kernel stops here by itself");
    }
}
