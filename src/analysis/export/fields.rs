//! The fields of a multiplayer packet that have columns of their own.

use crate::game::multiplayer::json::{FieldValues, PacketField, packet_fields, state_fields};
use crate::game::multiplayer::{Arguments, Context, Packet};
use std::borrow::Cow;
use std::convert::Infallible;
use std::rc::Rc;

/// The fields of a packet. For a relay, they are those of the relayed packet; for a packet with the
/// state of exactly one node, also those of the state.
#[derive(Clone, Default)]
pub(super) struct PacketColumns<'m> {
    pub(super) path: Option<Cow<'m, str>>,
    pub(super) path_id: Option<i64>,
    pub(super) node: Option<Cow<'m, str>>,
    pub(super) net_id: Option<i64>,
    pub(super) method: Option<&'m str>,
    pub(super) method_number: Option<i64>,
    pub(super) is_own: bool,
    pub(super) scene: Option<&'m str>,
    pub(super) digest: Option<&'m str>,
    pub(super) is_confirmed: Option<bool>,
    pub(super) arguments: Option<FieldValues<'m>>,
    pub(super) properties: Option<(Rc<[&'m str]>, Arguments<'m>)>,
}

impl<'m> PacketColumns<'m> {
    pub(super) fn of(packet: &Packet<'m>, context: Context<'m>) -> PacketColumns<'m> {
        let mut found = PacketColumns::default();
        found.add_packet(packet, context);
        found
    }

    fn add_packet(&mut self, packet: &Packet<'m>, context: Context<'m>) {
        let _: Result<(), Infallible> = packet_fields(packet, context, &mut |name, field| {
            self.add(name, field, context);
            Ok(())
        });
    }

    fn add(&mut self, name: &'static str, field: PacketField<'m>, context: Context<'m>) {
        match (name, field) {
            ("path", PacketField::Text(Some(path))) => self.path = Some(Cow::Borrowed(path)),
            ("path", PacketField::Shown(path)) => self.path = Some(Cow::Owned(path)),
            ("id", PacketField::Number(id)) => self.path_id = Some(id),
            ("node", PacketField::Text(Some(path))) => self.node = Some(Cow::Borrowed(path)),
            ("node", PacketField::Shown(path)) => self.node = Some(Cow::Owned(path)),
            ("net_id", PacketField::Number(id)) => self.net_id = Some(id),
            ("method", PacketField::Text(method)) => self.method = method,
            ("method", PacketField::Number(number)) => self.method_number = Some(number),
            ("own", PacketField::Flag(is_own)) => self.is_own = is_own,
            ("scene_path", PacketField::Text(scene)) => self.scene = scene,
            ("md5", PacketField::Text(digest)) => self.digest = digest,
            ("valid", PacketField::Flag(is_valid)) => self.is_confirmed = Some(is_valid),
            ("args", PacketField::Values(values)) => self.arguments = Some(values),
            ("properties", PacketField::Properties(names, values)) => {
                self.properties = Some((names, values));
            }
            (_, PacketField::Relayed(packet)) => self.add_packet(&packet, context.relayed()),
            (_, PacketField::States(states)) => {
                let mut states = states.into_iter();
                if let (Some(state), None) = (states.next(), states.next()) {
                    let _: Result<(), Infallible> =
                        state_fields(&state, context, &mut |name, field| {
                            self.add(name, field, context);
                            Ok(())
                        });
                }
            }
            _ => {}
        }
    }
}
