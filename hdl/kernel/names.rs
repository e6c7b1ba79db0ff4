//! Names that every tool takes.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Reserved words of Verilog-2005 and SystemVerilog-2017.
const VERILOG: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic \
                       before begin \
    bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config \
    const \
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do \
    edge else end \
    endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule \
    endpackage \
    endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect export \
    extends \
    extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if \
    iff ifnone \
    ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer \
    interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint \
    macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 \
    notif1 null \
    or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown \
    pullup \
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on \
    release \
    repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with \
    scalared \
    sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 \
    strong1 \
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision \
    timeunit \
    tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with \
    untyped \
    use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor \
    xor";

/// Words of C++ and SystemC that Verilator warns about or takes for its own.
const CPP: &str = "abort alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bit_vector bitand \
                   bitor bool \
    catch cdecl char char16_t char32_t compl complex concept const_cast const_iterator const_reference constexpr \
    decltype delete deque double dynamic_cast explicit false far float friend goto huge inline int8_t int16_t \
    int32_t int64_t interrupt iterator list long mailbox map mutable namespace near noexcept not_eq nullptr \
    operator or_eq override pascal private process public queue reference register reinterpret_cast requires \
    sc_clock sc_in sc_inout sc_out sc_signal semaphore sensitive sensitive_neg sensitive_pos set short sizeof \
    stack static_assert static_cast switch synchronized template thread_local throw transaction_safe \
    transaction_safe_dynamic true try type_info typeid typename uint8_t uint16_t uint32_t uint64_t using vector \
    volatile wchar_t xor_eq";

/// The name itself, or with an underscore behind it if a tool reserves it.
pub fn legal(name: &str) -> String {
    static RESERVED: LazyLock<HashSet<&str>> =
        LazyLock::new(|| [VERILOG, CPP].iter().flat_map(|words| words.split_ascii_whitespace()).collect());
    if RESERVED.contains(name) { format!("{name}_") } else { name.to_string() }
}

/// A signal's or a child's name in Verilog from its parts, between `$`: those of bundles, then its own. A bundle's part
/// that ends with an underscore stays out; one that ends with two stays in without them. What would only repeat what is
/// before it stays out, too.
pub fn flat(name: &str) -> String {
    let (bundles, own) = name.rsplit_once('$').unwrap_or(("", name));
    let bundles = bundles.split('$').filter(|part| part.ends_with("__") || !part.ends_with('_'));
    let mut flat = String::new();
    for part in bundles.map(|part| part.trim_end_matches('_')).chain([own]).filter(|part| !part.is_empty()) {
        let echo = flat.strip_suffix(part).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
        if echo && part.starts_with(char::is_alphabetic) {
            continue;
        }
        if !flat.is_empty() {
            flat.push('_');
        }
        flat.push_str(part);
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::{flat, legal};

    #[test]
    fn names_of_ports() {
        let names = [("from_$data", "data"), ("a_b$3$c", "a_b_3_c"), ("type_", "type_"), ("x$1$1", "x_1_1")];
        let echoes =
            [("start$start", "start"), ("bridge_fetch$fetch", "bridge_fetch"), ("prefetch$fetch", "prefetch_fetch")];
        let kept = [("in__$row", "in_row"), ("in__$own_$row", "in_row"), ("s_axil$awaddr", "s_axil_awaddr")];
        for (name, expected) in names.into_iter().chain(echoes).chain(kept) {
            assert_eq!(flat(name), expected);
        }
    }

    #[test]
    fn reserved_words_get_an_underscore() {
        for (name, expected) in [("always", "always_"), ("bit", "bit_"), ("operator", "operator_"), ("row", "row")] {
            assert_eq!(legal(name), expected);
        }
    }
}
