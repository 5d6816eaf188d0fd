//! TLS in front of a server.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, crypto};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The certificate of the authority that signed the server's certificate.
pub const AUTHORITY: &[u8] = include_bytes!("../peer/ca.pem");

/// A server with TLS in front of another one. Returns its port.
pub fn tls_in_front_of(server: SocketAddr) -> u16 {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("../peer/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../peer/server.key")).unwrap();
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let config = Arc::clone(&config);
            thread::spawn(move || {
                let client = client.unwrap();
                client.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
                let mut tls = StreamOwned::new(ServerConnection::new(config).unwrap(), client);
                let mut plain = TcpStream::connect(server).unwrap();
                plain.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
                let mut buffer = [0; 4_096];
                loop {
                    if let Ok(len) = tls.read(&mut buffer)
                        && (len == 0 || plain.write_all(&buffer[..len]).is_err())
                    {
                        return;
                    }
                    if let Ok(len) = plain.read(&mut buffer)
                        && (len == 0 || tls.write_all(&buffer[..len]).is_err())
                    {
                        return;
                    }
                }
            });
        }
    });
    port
}
