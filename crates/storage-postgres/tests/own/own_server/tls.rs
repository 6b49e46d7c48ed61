//! TLS: the server is verified, or it is not talked to.

use crate::bed::{Bed, key, text};
use coeval_storage::{StorageError, Store};
use coeval_storage_postgres::{PostgresOptions, PostgresStore};
use coeval_storage_suite::servers::PostgresServer;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

/// Turns TLS on with a certificate for `name`; returns it.
async fn secure(server: &PostgresServer, bed: &Bed, name: &str) -> String {
    let pair = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let owner = fs::metadata(server.data_dir()).unwrap();
    let files = [
        ("server.crt", pair.cert.pem()),
        ("server.key", pair.signing_key.serialize_pem()),
    ];
    for (file, pem) in files {
        let file = server.data_dir().join(file);
        fs::write(&file, pem).unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let admin = bed.admin().await;
    let on = "ALTER SYSTEM SET ssl = on";
    admin.batch_execute(on).await.unwrap();
    admin
        .batch_execute("SELECT pg_reload_conf()")
        .await
        .unwrap();
    crate::bed::eventually("TLS is on", async || {
        let row = bed.admin().await;
        let row = row.query_one("SHOW ssl", &[]).await.unwrap();
        row.get::<_, &str>(0) == "on"
    })
    .await;
    pair.cert.pem()
}

fn with_authority(bed: &Bed, file: &Path) -> PostgresOptions {
    let url = format!("{}&ca={}", bed.options().url, file.display());
    PostgresOptions::at(url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_verified_by_the_authority_in_the_address() {
    let server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let files = tempfile::tempdir().unwrap();
    let (good, other) = (files.path().join("ca"), files.path().join("other"));
    let pem = secure(&server, &bed, "127.0.0.1").await;
    fs::write(&good, pem).unwrap();
    let stranger = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    fs::write(&other, stranger.cert.pem()).unwrap();

    let store = bed.open_with(with_authority(&bed, &good)).await;
    store.put(&key("k"), text("v")).await.unwrap();
    let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                      WHERE application_name = 'coeval'";
    let row = bed.admin().await.query_one(encrypted, &[]).await.unwrap();
    assert_eq!(row.get::<_, Option<bool>>(0), Some(true));

    let error = PostgresStore::open(with_authority(&bed, &other)).await;
    let error = error.unwrap_err();
    assert!(
        matches!(&error, StorageError::Unavailable { reason } if reason.contains("certificate")),
        "{error:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_another_name_is_refused() {
    let server = PostgresServer::start().unwrap();
    let bed = Bed::on(server.url());
    let files = tempfile::tempdir().unwrap();
    let ca = files.path().join("ca");
    let pem = secure(&server, &bed, "elsewhere.example").await;
    fs::write(&ca, pem).unwrap();
    let error = PostgresStore::open(with_authority(&bed, &ca)).await;
    let error = error.unwrap_err();
    assert!(
        matches!(error, StorageError::Unavailable { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_authority_that_is_none_is_an_invalid_address() {
    let files = tempfile::tempdir().unwrap();
    let empty = files.path().join("empty");
    fs::write(&empty, "").unwrap();
    for file in [empty, files.path().join("missing")] {
        let url = format!("postgres://u@127.0.0.1:1/db?ca={}", file.display());
        let error = PostgresStore::open(PostgresOptions::at(url)).await;
        let error = error.unwrap_err();
        assert!(
            matches!(error, StorageError::InvalidUrl { .. }),
            "{error:?}"
        );
    }
}
