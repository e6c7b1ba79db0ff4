//! Models of the board system's blocks: all but the compute array and the cache compute system, which have their own.

pub mod array_memory;
pub mod board_registers;
pub mod host_bridge;
pub mod interconnect;
pub mod line_timer;
pub mod status_lights;
pub mod system;
pub mod uart_receiver;
pub mod uart_transmitter;
