//! Unpacks compressed and encrypted saves before the format of their content is detected.

use super::failure::Failure;
use super::reader::Reader;
use super::stream::{self, Buffer, Bytes, RegularFile};
use crate::sink::Trouble;
use gdwire::save::Container;

/// The result of unpacking an input.
pub(crate) enum Unpacked {
    /// It is not packed.
    Plain,
    Content(Vec<u8>),
    /// It cannot be unpacked. This was reported.
    Failed,
}

/// Unpacks an input that is compressed or encrypted. A large file is taken from `large` and mapped
/// for that.
pub(crate) fn unpack(
    reader: &mut Reader<'_>,
    buffer: &mut Buffer,
    large: &mut Option<RegularFile>,
    is_growing: bool,
) -> Result<Unpacked, Failure> {
    if reader.saves.is_none() || !is_packed(buffer)? {
        return Ok(Unpacked::Plain);
    }
    let result = if is_growing {
        Err("--follow does not read compressed or encrypted saves".to_owned())
    } else {
        let bytes = match large.take() {
            Some(file) => Bytes::mapped(file).map_err(Failure::Input)?,
            None => {
                stream::read_all(buffer)?;
                Bytes::Read(std::mem::replace(buffer, Buffer::whole(Vec::new())).into_unread())
            }
        };
        let name = &reader.name;
        let content = reader.saves.as_mut().map(|saves| saves.unpack(&bytes, name));
        stream::report_change(&bytes, name, reader.diagnostics);
        content.unwrap_or_else(|| Ok(Vec::new()))
    };
    match result {
        Ok(content) => {
            let len = content.len();
            reader.diagnostics.detail(&reader.name, &format_args!("a save, unpacked: {len} bytes"));
            Ok(Unpacked::Content(content))
        }
        Err(problem) => {
            reader.sink.trouble(Trouble::NotUnpacked);
            reader.diagnostics.unreadable(&reader.name, &problem);
            Ok(Unpacked::Failed)
        }
    }
}

/// Whether an input is packed.
fn is_packed(buffer: &mut Buffer) -> Result<bool, Failure> {
    let idle = &mut || Ok(true);
    buffer.reach(1, idle)?;
    // Both containers begin with a G. The first line of a slow stream may have fewer than four bytes.
    if buffer.unread().first() == Some(&b'G') {
        buffer.reach(4, idle)?;
    }
    Ok(Container::of(buffer.unread()).is_some())
}
