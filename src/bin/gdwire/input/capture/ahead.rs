//! Reads captures ahead of their messages, so that no name is used that a later packet contradicts.

use super::reader::options;
use crate::input::buffer::Buffer;
use crate::input::files::Content;
use crate::input::reader::Reader;
use crate::interrupt;
use gdwire::capture::PacketReader;
use gdwire::follow::{Events, Follower};
use std::path::PathBuf;
use std::sync::Arc;

/// Notes what one capture, in one or more files, shows about the names. Only regular files can be
/// read twice. Problems are reported when the files are read for their messages.
pub(crate) fn look_ahead(reader: &mut Reader<'_>, files: &[PathBuf]) {
    reader.needs.evidence = Arc::default();
    if !reader.needs.names.as_ref().is_some_and(|names| names.has_project()) {
        return;
    }
    let mut follower = Follower::with_options(options(reader));
    let most = reader.needs.ahead.unwrap_or(u64::MAX);
    let (mut before, mut position) = (None, 0_u64);
    'files: for path in files.iter().filter(|path| path.is_file()) {
        let content = Content::open(path).and_then(Content::into_stream);
        let Ok(stream) = content else { continue };
        let mut packets = PacketReader::new(Buffer::new(stream));
        if let Some(before) = &before {
            packets = packets.after(before);
        }
        while let Ok(Some(packet)) = packets.next_packet() {
            if position > most || interrupt::is_requested() {
                break 'files;
            }
            position = position.saturating_add(packet.data.len() as u64);
            take_all(follower.packet(&packet));
        }
        before = Some(packets);
    }
    take_all(follower.finish());
    reader.needs.evidence = follower.evidence();
}

/// Takes all events: what is not taken is not noted.
fn take_all(mut events: Events<'_, '_>) {
    while events.next().is_some() {}
}
