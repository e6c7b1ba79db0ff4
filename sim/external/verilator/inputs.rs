//! Evaluations in Verilator's C++ in which nothing but the clock was written.
//!
//! Verilator's model begins each evaluation with all logic that depends on inputs, or on registers and memories that
//! may be written from outside, which all of ours may: in lock step that is most of the time. Whoever drives the model
//! knows whether it has written anything; behind an edge of the clock nets have followed the registers already.

/// Declares what tells.
pub(super) const WRITTEN: &str = "static thread_local bool bitline_written = true;\n";

/// Statements that ask for this logic, before and behind the condition: of Verilator 5.006, and of later ones.
const ASKS: [(&str, &str); 2] = [("__VicoTriggered.at(0U) = ", ";"), ("__VicoTriggered.set(0U, ", ");")];

/// The same C++ in which such logic waits for something to be written; nothing if it does not ask for it, or in another
/// way: the model is as right then, and slower.
pub(super) fn asked(text: &str) -> Option<String> {
    ASKS.iter().find_map(|(before, behind)| {
        let start = text.find(before)? + before.len();
        let end = start + text[start..].find(behind)?;
        Some(format!("{}bitline_written && ({}){}", &text[..start], &text[start..end], &text[end..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_is_one_of_two() {
        let of = |text: &str| asked(text).expect("it asks");
        let old = "a;\n    vlSelf->__VicoTriggered.at(0U) = (0U == vlSelf->__VicoIterCount);\nb;\n";
        let new = "a;\n    vlSelf->__VicoTriggered.set(0U, (IData)(vlSelf->__VicoFirstIteration));\nb;\n";
        let both = ["(0U == vlSelf->__VicoIterCount)", "(IData)(vlSelf->__VicoFirstIteration)"];
        for (text, condition) in [old, new].into_iter().zip(both) {
            assert_eq!(of(text), text.replace(condition, &format!("bitline_written && ({condition})")));
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in ["", "    if (vlSelf->__VicoTriggered.at(0U)) {\n", "    vlSelf->__VactTriggered.at(0U) = a;\n"] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
