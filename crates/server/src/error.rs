//! Why a server can't start.

use coeval_codes::Coded;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A listener that could not be made.
#[derive(Debug, thiserror::Error, Coded)]
pub enum ServerError {
    /// The address can't be bound.
    #[error("can't listen on {address}: {source}")]
    #[code(
        LISTEN_FAILED,
        advice = listen_advice(source)
    )]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// One of the files can't be read.
    #[error("can't read {}: {source}", path.display())]
    #[code(
        TLS_INVALID,
        advice = "Check --tls-cert, --tls-key and --client-ca, and that this user may read the files."
    )]
    TlsFile {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Both could be read, but they are not a usable pair.
    #[error("{} can't be used: {reason}", path.display())]
    #[code(
        TLS_INVALID,
        advice = "Give --tls-cert a PEM file with the server's certificate first and --tls-key the PEM key that belongs to it."
    )]
    TlsPair {
        /// The file at fault, as far as it is known.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The authorities of clients' certificates can't be used.
    #[error("{} can't be used to check clients' certificates: {reason}", path.display())]
    #[code(
        CLIENT_CA_INVALID,
        advice = "Give --client-ca a PEM file with the certificates of the authorities that sign for clients."
    )]
    ClientCa {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

fn listen_advice(refused: &io::Error) -> &'static str {
    match refused.kind() {
        io::ErrorKind::AddrInUse => {
            "Stop the process that listens there, or choose another port: `--listen 127.0.0.1:0` picks a free one."
        }
        io::ErrorKind::AddrNotAvailable => {
            "Use an address that this machine has, or 0.0.0.0 for all of them, with --listen."
        }
        io::ErrorKind::PermissionDenied => {
            "Use a port above 1023 with --listen, or give the process the right to bind it."
        }
        _ => "Choose another address with --listen.",
    }
}
