//! The Duality Cache of a board: the unit, and its memory in block RAM, both behind AXI4-Lite.
//!
//! ```text
//!  s_axil ◀─▶ unit ◀── AXI4, 64 bits ──▶ memory ◀─▶ s_axil_memory
//!     irq ◀────┘
//! ```
//!
//! The unit's bus sees the memory from address 0; what its cache ways hold is there after a flush. Nobody uses its port
//! for words. Timing is that of [`DualityTop`] and [`ArrayMemory`].

use crate::array::blocks::memory::types::MemoryAddress;
use crate::array::isa::microcode::Microcode;
use crate::duality::blocks::top::DualityTop;
use crate::duality::blocks::widths;
use crate::duality::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;
use crate::system::SystemDuality;
use crate::system::blocks::array_memory::{ArrayMemory, HOST_ADDRESS_BITS};

/// What names of modules of the unit begin with: the array beside it has modules of the same names.
const FAMILY: &str = "duality";

hdl_block! {
    /// The unit with its memory.
    pub DualityOnChip {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus s_axil_memory: AxilSlavePort<Bits<HOST_ADDRESS_BITS>>; /// The memory, as seen by the same.
        Out irq: Bit; /// Interrupt line, active high while an enabled cause lasts.
        Out busy: Bit; /// A launch is under way.
    } inside {
        Child unit: Apart<DualityTop>; // Registers, control blocks, cache ways.
        Child memory: Boxed<ArrayMemory>; // What is behind them.
        Local unused_answer: Bit;
        Local unused_data: Word<64, 1>;
        Local unused_burst: Bits<8>;
        Local unused_attributes: Bits<4>;
    }
}

impl DualityOnChip {
    /// The unit that these parameters describe.
    pub fn new(params: &SystemDuality) -> Self {
        let _widths = widths(&params.unit);
        let code = Microcode::assemble(&params.unit.array());
        DualityOnChip {
            unit: Apart::new(FAMILY, || DualityTop::new(&params.unit, &code)),
            memory: Boxed::new(|| ArrayMemory::new(params.memory_words)),
            ..Self::default()
        }
    }
}

impl Logic for DualityOnChip {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, unit, memory);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.unit.s_axil);
        AxilSlavePort::<Bits<HOST_ADDRESS_BITS>>::link(&mut self.s_axil_memory, &mut self.memory.s_axil);
        self.irq.next = self.unit.irq.val();
        self.busy.next = self.unit.busy.val();
        // The memory, to the unit.
        self.memory.s_axi_awaddr.next = bits_to::<MemoryAddress, Bits<32>>(self.unit.m_axi.awaddr.val());
        self.memory.s_axi_awvalid.next = self.unit.m_axi.awvalid.val();
        self.unit.m_axi.awready.next = self.memory.s_axi_awready.val();
        self.memory.s_axi_wdata.next = self.unit.m_axi.wdata.val();
        self.memory.s_axi_wstrb.next = bits_to::<Word<8, 1>, Bits<8>>(self.unit.m_axi.wstrb.val());
        self.memory.s_axi_wlast.next = self.unit.m_axi.wlast.val();
        self.memory.s_axi_wvalid.next = self.unit.m_axi.wvalid.val();
        self.unit.m_axi.wready.next = self.memory.s_axi_wready.val();
        self.unit.m_axi.bresp.next = self.memory.s_axi_bresp.val();
        self.unit.m_axi.bvalid.next = self.memory.s_axi_bvalid.val();
        self.memory.s_axi_bready.next = self.unit.m_axi.bready.val();
        self.memory.s_axi_araddr.next = bits_to::<MemoryAddress, Bits<32>>(self.unit.m_axi.araddr.val());
        self.memory.s_axi_arlen.next = self.unit.m_axi.arlen.val();
        self.memory.s_axi_arvalid.next = self.unit.m_axi.arvalid.val();
        self.unit.m_axi.arready.next = self.memory.s_axi_arready.val();
        self.unit.m_axi.rdata.next = self.memory.s_axi_rdata.val();
        self.unit.m_axi.rresp.next = self.memory.s_axi_rresp.val();
        self.unit.m_axi.rlast.next = self.memory.s_axi_rlast.val();
        self.unit.m_axi.rvalid.next = self.memory.s_axi_rvalid.val();
        self.memory.s_axi_rready.next = self.unit.m_axi.rready.val();
        self.unused_burst.next = self.unit.m_axi.awlen.val()
            ^ bit_cast::<8, 3>(self.unit.m_axi.awsize.val() ^ self.unit.m_axi.arsize.val())
            ^ bit_cast::<8, 3>(self.unit.m_axi.awprot.val() ^ self.unit.m_axi.arprot.val())
            ^ bit_cast::<8, 2>(self.unit.m_axi.awburst.val() ^ self.unit.m_axi.arburst.val());
        self.unused_attributes.next = self.unit.m_axi.awcache.val() ^ self.unit.m_axi.arcache.val();
        // Nobody asks for words.
        self.unit.word.valid.next = false;
        self.unit.word.address.next = 0.into();
        self.unit.word.write.next = false;
        self.unit.word.hint.next = false;
        self.unit.word.data.next = 0.into();
        self.unit.word.strobes.next = 0.into();
        self.unused_answer.next =
            self.unit.word.ready.val() ^ self.unit.word.answer.val() ^ self.unit.word.answer_failed.val();
        self.unused_data.next = self.unit.word.answer_data.val();
    }

    described!("duality_on_chip", "Duality Cache behind AXI4-Lite, with memory in block RAM.");
}
