//! Messages of a program to its device, over a pair of pipes.
//!
//! Numbers are little-endian. A request is a byte that says what is asked, and its fields; `bytes` are a number of 64
//! bits and so many bytes. An answer is a status of 32 bits, a number of 64 bits, and bytes: of errors the reason.
//!
//! | request | fields | number, bytes of the answer |
//! |---|---|---|
//! | 1 load | bytes: PTX | the module's number |
//! | 2 allocate | u64 size | address |
//! | 3 free | u64 address | |
//! | 4 write | u64 address, bytes | |
//! | 5 read | u64 address, u64 count | bytes |
//! | 6 fill | u64 address, u8 value, u64 count | |
//! | 7 copy | u64 to, u64 from, u64 count | |
//! | 8 launch | u64 module, bytes: name, 6 × u32 grid and block, u64 shared, u32 count, bytes for each argument | |
//! | 9 write a variable | u64 module, bytes: name, u64 offset, bytes | |
//! | 10 read a variable | u64 module, bytes: name, u64 offset, u64 count | bytes |
//! | 11 cycles | | cycles of all kernels |
//! | 12 reset | | |
//! | 13 properties | | threads at once; bytes: u64 free, u64 in all |
//! | 14 parameters | u64 module, bytes: name | how many; bytes: u64 bytes of each |

use std::io::{self, Read, Write};

use super::{Asked, Device, MEMORY, Status};

/// Bytes that a field may have: more than a device has memory for nobody means.
const MOST: u64 = MEMORY;

struct Fields<'r, R> {
    from: &'r mut R,
}

impl<R: Read> Fields<'_, R> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> io::Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn word(&mut self) -> io::Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn long(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let count = self.long()?;
        if count > MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a field of {count} bytes")));
        }
        // What does not come is not allocated.
        let mut bytes = Vec::new();
        let got = self.from.by_ref().take(count).read_to_end(&mut bytes)?;
        if (got as u64) < count {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    fn text(&mut self) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).into_owned())
    }
}

/// An answer: number and bytes.
type Answer = Result<(u64, Vec<u8>), Status>;

/// Answers requests until there are no more.
///
/// # Errors
///
/// A pipe that breaks, or a request that is none.
pub fn serve(device: &mut Device, from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    loop {
        let mut first = [0];
        if from.read(&mut first)? == 0 {
            return Ok(());
        }
        let answer = request(device, first[0], &mut Fields { from })?;
        let (status, number, bytes) = match answer {
            Ok((number, bytes)) => (Status::Success, number, bytes),
            Err(status) => (status, 0, device.reason().as_bytes().to_vec()),
        };
        let mut text = status.code().to_le_bytes().to_vec();
        text.extend(number.to_le_bytes());
        text.extend((bytes.len() as u64).to_le_bytes());
        text.extend(bytes);
        to.write_all(&text)?;
        to.flush()?;
    }
}

fn request(device: &mut Device, what: u8, fields: &mut Fields<'_, impl Read>) -> io::Result<Answer> {
    let done = |()| (0, Vec::new());
    let with = |bytes: Vec<u8>| (0, bytes);
    Ok(match what {
        1 => {
            let text = fields.text()?;
            device.load("program", text.trim_end_matches('\0')).map(|number| (number as u64, Vec::new()))
        }
        2 => device.allocate(fields.long()?).map(|address| (address, Vec::new())),
        3 => device.free(fields.long()?).map(done),
        4 => {
            let (address, bytes) = (fields.long()?, fields.bytes()?);
            device.write(address, &bytes).map(done)
        }
        5 => {
            let (address, count) = (fields.long()?, fields.long()?);
            device.read(address, count).map(with)
        }
        6 => {
            let (address, value, count) = (fields.long()?, fields.byte()?, fields.long()?);
            device.fill(address, value, count).map(done)
        }
        7 => {
            let (to, from, count) = (fields.long()?, fields.long()?, fields.long()?);
            let bytes = device.read(from, count);
            bytes.and_then(|bytes| device.write(to, &bytes)).map(done)
        }
        8 => {
            let asked = launch(fields)?;
            device.launch(&asked).map(done)
        }
        9 => {
            let (module, name, offset, bytes) = (fields.long()?, fields.text()?, fields.long()?, fields.bytes()?);
            let place = device.symbol(module as usize, &name, offset, bytes.len() as u64);
            place.map(|place| place.copy_from_slice(&bytes)).map(done)
        }
        10 => {
            let (module, name, offset, count) = (fields.long()?, fields.text()?, fields.long()?, fields.long()?);
            device.symbol(module as usize, &name, offset, count).map(|place| with(place.to_vec()))
        }
        11 => Ok((device.cycles(), Vec::new())),
        12 => {
            device.reset();
            Ok((0, Vec::new()))
        }
        13 => Ok((device.threads(), [device.left(), MEMORY].map(u64::to_le_bytes).concat())),
        14 => {
            let (module, name) = (fields.long()?, fields.text()?);
            let sizes = device.parameters(module as usize, &name);
            sizes.map(|sizes| (sizes.len() as u64, sizes.iter().flat_map(|size| size.to_le_bytes()).collect()))
        }
        _ => return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{what} is no request"))),
    })
}

fn launch(fields: &mut Fields<'_, impl Read>) -> io::Result<Asked> {
    let (module, kernel) = (fields.long()? as usize, fields.text()?);
    let grid = [fields.word()?, fields.word()?, fields.word()?];
    let block = [fields.word()?, fields.word()?, fields.word()?];
    let (shared, count) = (fields.long()?, fields.word()?);
    let arguments = (0..count).map(|_| fields.bytes()).collect::<io::Result<_>>()?;
    Ok(Asked { module, kernel, grid, block, shared, arguments })
}
