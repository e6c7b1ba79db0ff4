//! Names that every tool takes.

/// Reserved words of Verilog-2005 and SystemVerilog-2017.
const VERILOG: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin \
    bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const \
    constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end \
    endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage \
    endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect export extends \
    extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone \
    ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer \
    interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint \
    macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null \
    or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup \
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release \
    repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared \
    sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1 \
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit \
    tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped \
    use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// Words of C++ that Verilator warns about.
const CPP: &str = "abort abs acos alignas alignof and_eq asin asm atan atan2 atexit auto bitand bitor bool calloc catch ceil char \
    char16_t char32_t char8_t co_await co_return co_yield complex concept const_cast const_iterator consteval constexpr constinit \
    cos cosh decltype defined delete double dynamic_cast exit exp explicit exponent extractchar false float floor fmod free \
    friend fscanf getc getchar goto inline iterator ldexp log log10 long malloc mutable namespace noexcept not_eq nullptr \
    operator or_eq pow printf private public putc putchar puts register reinterpret_cast remove requires reverse_iterator rewind \
    rename short sin sinh sizeof sprintf sqrt static_assert static_cast strcat strcmp strcpy strlen strncat strncmp strncpy \
    strrchr strstr switch system tan tanh template thread_local throw true try typeid typename uint16_t uint32_t uint8_t using \
    volatile wchar_t xor_eq";

/// The name itself, or with an underscore behind it if a tool reserves it.
pub fn legal(name: &str) -> String {
    let reserved = [VERILOG, CPP].iter().any(|words| words.split_ascii_whitespace().any(|word| word == name));
    if reserved { format!("{name}_") } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::legal;

    #[test]
    fn reserved_words_get_an_underscore() {
        for (name, expected) in [("always", "always_"), ("bit", "bit_"), ("operator", "operator_"), ("row", "row")] {
            assert_eq!(legal(name), expected);
        }
    }
}
