//! The stream below a WebSocket: TCP, with TLS for `wss://`.

use crate::game::peer::watch::{Traffic, TrafficContent, Watcher};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};

/// TCP, with TLS or without, that can be watched.
pub(super) struct WatchedTcp {
    layers: MaybeTls,
    local: SocketAddr,
    remote: SocketAddr,
    watcher: Watcher,
    /// How many bytes may be read before other connections have their turn.
    readable: usize,
}

/// How many bytes of a connection are read in its turn: a hostile end may send pings and empty fragments
/// faster than they are read.
const TURN: usize = 256 << 10;

enum MaybeTls {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl WatchedTcp {
    /// A connection that the client of a peer has opened, or that its server has accepted.
    pub(super) fn new(
        tcp: TcpStream,
        tls: Option<ClientConnection>,
        is_client: bool,
        watcher: Watcher,
    ) -> io::Result<WatchedTcp> {
        tcp.set_nonblocking(true)?;
        // The engines send each packet at once, too.
        tcp.set_nodelay(true)?;
        let (local, remote) = (tcp.local_addr()?, tcp.peer_addr()?);
        let layers = match tls {
            Some(tls) => MaybeTls::Tls(Box::new(StreamOwned::new(tls, tcp))),
            None => MaybeTls::Plain(tcp),
        };
        let (src, dst) = if is_client { (local, remote) } else { (remote, local) };
        let content = TrafficContent::Opened;
        watcher.show(Traffic { src, dst, is_sent: is_client, content });
        Ok(WatchedTcp { layers, local, remote, watcher, readable: TURN })
    }

    pub(super) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// Begins the turn of this connection: it may read up to [`TURN`] bytes.
    pub(super) const fn start_turn(&mut self) {
        self.readable = TURN;
    }

    #[cfg(unix)]
    pub(super) fn socket(&self) -> std::os::fd::BorrowedFd<'_> {
        let tcp = match &self.layers {
            MaybeTls::Plain(tcp) => tcp,
            MaybeTls::Tls(tls) => &tls.sock,
        };
        std::os::fd::AsFd::as_fd(tcp)
    }

    fn show(&self, is_sent: bool, content: TrafficContent<'_>) {
        let (src, dst) =
            if is_sent { (self.local, self.remote) } else { (self.remote, self.local) };
        self.watcher.show(Traffic { src, dst, is_sent, content });
    }
}

impl Read for WatchedTcp {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.readable == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let len = match &mut self.layers {
            MaybeTls::Plain(tcp) => tcp.read(buffer),
            MaybeTls::Tls(tls) => tls.read(buffer),
        }?;
        self.readable = self.readable.saturating_sub(len);
        if let Some(bytes) = buffer.get(..len).filter(|bytes| !bytes.is_empty()) {
            self.show(false, TrafficContent::Bytes(bytes));
        }
        Ok(len)
    }
}

impl Write for WatchedTcp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = match &mut self.layers {
            MaybeTls::Plain(tcp) => tcp.write(bytes),
            MaybeTls::Tls(tls) => tls.write(bytes),
        }?;
        if let Some(bytes) = bytes.get(..len).filter(|bytes| !bytes.is_empty()) {
            self.show(true, TrafficContent::Bytes(bytes));
        }
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.layers {
            MaybeTls::Plain(tcp) => tcp.flush(),
            MaybeTls::Tls(tls) => tls.flush(),
        }
    }
}

impl Drop for WatchedTcp {
    fn drop(&mut self) {
        if let MaybeTls::Tls(tls) = &mut self.layers {
            tls.conn.send_close_notify();
            // The connection ends anyway.
            tls.flush().ok();
        }
        self.show(true, TrafficContent::Closed);
    }
}

/// The TLS settings of a client: the servers that it trusts.
pub(super) type Tls = Arc<ClientConfig>;

/// Trusts the servers that the system trusts.
pub(super) fn system_tls() -> io::Result<Tls> {
    static SYSTEM: OnceLock<Tls> = OnceLock::new();
    if let Some(tls) = SYSTEM.get() {
        return Ok(Arc::clone(tls));
    }
    let tls = configured(system_roots())?;
    Ok(Arc::clone(SYSTEM.get_or_init(|| tls)))
}

/// Trusts the servers that the system trusts, and those whose certificates are signed by one of these,
/// in the format PEM.
pub(super) fn tls_with(certificates: &[u8]) -> io::Result<Tls> {
    let wrong = |error: &dyn std::fmt::Display| {
        io::Error::new(ErrorKind::InvalidInput, format!("not a certificate in PEM: {error}"))
    };
    let mut roots = system_roots();
    let mut is_empty = true;
    for certificate in CertificateDer::pem_slice_iter(certificates) {
        roots.add(certificate.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))?;
        is_empty = false;
    }
    if is_empty {
        return Err(wrong(&"there is none"));
    }
    configured(roots)
}

fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // Certificates of the system that cannot be read do not make the others useless.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

fn configured(roots: RootCertStore) -> io::Result<Tls> {
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(io::Error::other)?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// A TLS connection to the server with this name or IP address.
pub(super) fn tls_client(tls: Tls, host: &str) -> io::Result<ClientConnection> {
    let wrong = |_| io::Error::new(ErrorKind::InvalidInput, format!("not a host name: {host:?}"));
    let name = ServerName::try_from(host.to_owned()).map_err(wrong)?;
    ClientConnection::new(tls, name).map_err(io::Error::other)
}
