//! Children of a block: primitives become registers and memories of its module, blocks become instances.

use num_bigint::BigUint;

use super::module::Frame;
use crate::error::Result;
use crate::names::{flat, legal};
use crate::netlist::{Direction, Driver, Instance, Memory, Module, ModuleId, NetId, Primitive, Read, Register, Write};

impl Frame<'_> {
    /// Adds what the children are to the module, and what they drive to the nets' drivers.
    pub(super) fn children(
        &mut self,
        ids: &[Option<ModuleId>],
        modules: &[Module],
        module: &mut Module,
        drivers: &mut [Option<Driver>],
    ) -> Result<()> {
        let scope = self.scope;
        for (index, child) in scope.children.iter().enumerate() {
            let Some(primitive) = &child.primitive else {
                let id = ids[index].expect("blocks have modules");
                let inner = &modules[id.0 as usize];
                module.clocked |= inner.clocked;
                module.resettable |= inner.resettable;
                let instance = module.instances.len();
                let mut connections = Vec::new();
                for (position, port) in inner.ports.iter().enumerate() {
                    let name = &inner.net(port.net).name;
                    let atom = child.atoms.iter().find(|a| legal(&flat(&a.name)) == *name);
                    let net = self.child_net(index, &atom.expect("ports come from signals").name);
                    if port.direction == Direction::Output {
                        drivers[net.0 as usize] = Some(Driver::Instance(instance, position));
                    }
                    connections.push(net);
                }
                module.instances.push(Instance { name: legal(&flat(&child.name)), module: id, connections });
                continue;
            };
            let drive = |drivers: &mut [Option<Driver>], net: NetId, driver: Driver| {
                drivers[net.0 as usize] = Some(driver);
            };
            let net = |this: &Self, atom: &str| this.child_net(index, atom);
            let input = |this: &mut Self, atom: &str| {
                let net = this.child_net(index, atom);
                let wanted = this.type_of_signal(net.0 as usize);
                this.build.net(net, wanted.width, wanted.signed)
            };
            let name = legal(&flat(&child.name));
            match primitive {
                Primitive::Register { reset } => {
                    module.clocked = true;
                    module.resettable |= reset.is_some();
                    let q = net(self, "q");
                    drive(drivers, q, Driver::Register(module.registers.len()));
                    let next = input(self, "d");
                    module.registers.push(Register {
                        net: q,
                        reset: reset.as_deref().map(hexadecimal),
                        enable: None,
                        next,
                    });
                    continue;
                }
                Primitive::Ram { .. }
                | Primitive::AsyncRam { .. }
                | Primitive::SearchRam { .. }
                | Primitive::Rom { .. } => {}
                Primitive::Stage { .. } => unreachable!("the walk takes stages apart"),
            }
            let at = module.memories.len();
            let mut reads = Vec::new();
            let mut read = |drivers: &mut [Option<Driver>], net: NetId, read: Read| {
                drive(drivers, net, Driver::Memory(at, reads.len()));
                reads.push((net, read));
            };
            let (mut depth, mut style, mut contents) = (0, Default::default(), None);
            match primitive {
                Primitive::Ram { depth: words, style: how } => {
                    (depth, style) = (*words, *how);
                    let (address, enable) = (input(self, "read_address"), input(self, "read_enable"));
                    read(drivers, net(self, "read_data"), Read::Clocked { address, enable });
                }
                Primitive::AsyncRam { depth: words } => {
                    depth = *words;
                    let address = input(self, "read_address");
                    read(drivers, net(self, "read_data"), Read::Now { address });
                }
                Primitive::SearchRam { depth: words } => {
                    depth = *words;
                    let (a, b, select) = (input(self, "a_address"), input(self, "b_address"), input(self, "select"));
                    read(drivers, net(self, "a_data"), Read::Now { address: a });
                    read(drivers, net(self, "b_data"), Read::Now { address: b });
                    read(drivers, net(self, "and_data"), Read::And { select });
                    read(drivers, net(self, "nor_data"), Read::Nor { select });
                }
                Primitive::Rom { words, synchronous } => {
                    depth = words.len();
                    contents = Some(words.iter().map(|word| hexadecimal(word)).collect());
                    let address = input(self, "address");
                    let kind = if *synchronous {
                        module.clocked = true;
                        Read::Clocked { address, enable: input(self, "enable") }
                    } else {
                        Read::Now { address }
                    };
                    read(drivers, net(self, "data"), kind);
                }
                Primitive::Register { .. } | Primitive::Stage { .. } => {}
            }
            if depth < 2 {
                return self.fail(name, format!("is a memory of {depth} words: it takes at least two, or a register"));
            }
            let write = contents.is_none().then(|| Write {
                address: input(self, "write_address"),
                enable: input(self, "write_enable"),
                mask: matches!(primitive, Primitive::SearchRam { .. }).then(|| input(self, "write_mask")),
                data: input(self, "write_data"),
            });
            module.clocked |= write.is_some();
            let width = self.type_of_signal(reads[0].0.0 as usize).width;
            module.memories.push(Memory { name, width, depth, style, contents, reads, write });
        }
        Ok(())
    }
}

fn hexadecimal(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("written by kernel::reg::hex")
}
