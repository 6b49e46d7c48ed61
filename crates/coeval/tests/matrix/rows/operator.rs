//! Who moves the phases.

use coeval_client::Client;
use coeval_proto::migrations::v1::{
    AdvanceMigrationRequest, BackMigrationRequest, GetMigrationRequest, Migration,
    StartMigrationRequest,
};
use std::time::{Duration, Instant};

/// The operator: moves phases, patiently.
pub(super) struct Operator {
    pub(super) client: Client,
    pub(super) seen: Vec<String>,
    /// Whether servers that are behind are given up.
    pub(super) fence: bool,
}

impl Operator {
    pub(super) async fn start(&mut self) {
        let start = StartMigrationRequest {
            kind: "acme:app".to_owned(),
            ..StartMigrationRequest::default()
        };
        let mut stub = self.client.migrations();
        stub.start_migration(start).await.unwrap();
    }

    async fn status(&mut self) -> Migration {
        let kind = "acme:app".to_owned();
        let mut stub = self.client.migrations();
        let got = stub.get_migration(GetMigrationRequest { kind });
        let migration = got.await.unwrap().into_inner().migration.unwrap();
        let pair = format!("{} {}", migration.low, migration.high);
        if self.seen.last() != Some(&pair) {
            self.seen.push(pair);
        }
        migration
    }

    async fn half(&mut self, back: bool) {
        let until = Instant::now() + Duration::from_secs(40);
        loop {
            let kind = "acme:app".to_owned();
            let mut stub = self.client.migrations();
            let moved = if back {
                let request = BackMigrationRequest { kind, fence: false };
                stub.back_migration(request).await.map(|_| ())
            } else {
                let request = AdvanceMigrationRequest {
                    kind,
                    fence: self.fence,
                    ..AdvanceMigrationRequest::default()
                };
                stub.advance_migration(request).await.map(|_| ())
            };
            match moved {
                Ok(()) => break,
                Err(status) => {
                    assert!(Instant::now() < until, "{status:?}");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
        self.status().await;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }

    pub(super) async fn to(&mut self, low: &str, high: &str, back: bool) {
        for _ in 0..40 {
            let now = self.status().await;
            if (now.low.as_str(), now.high.as_str()) == (low, high) {
                return;
            }
            self.half(back).await;
        }
        panic!("{low} {high} is not reached: {:?}", self.seen);
    }
}
