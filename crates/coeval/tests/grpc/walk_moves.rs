//! What the walk sends to the service of migrations: one that is begun, moved both ways and undone.

use crate::walk_table::For::Provider;
use crate::walk_table::{Row, row};
use coeval_grpc::proto::migrations::v1 as pb;

/// A type of two majors that only the provider knows.
pub(crate) const MOVING: &str = "acme:moving";

/// All of them, in an order in which each is all right.
pub(crate) fn rows() -> Vec<Row> {
    let kind = || MOVING.to_owned();
    let fence = true;
    vec![
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/PlanMigration",
            &pb::PlanMigrationRequest {
                kind: kind(),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/StartMigration",
            &pb::StartMigrationRequest {
                kind: kind(),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/GetMigration",
            &pb::GetMigrationRequest { kind: kind() },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/ListMigrations",
            &pb::ListMigrationsRequest::default(),
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/AdvanceMigration",
            &pb::AdvanceMigrationRequest {
                kind: kind(),
                phase: "mirror".into(),
                fence,
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/BackMigration",
            &pb::BackMigrationRequest {
                kind: kind(),
                fence,
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/UpdateMigration",
            &pb::UpdateMigrationRequest {
                kind: kind(),
                rate: Some(100),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/VerifyMigration",
            &pb::VerifyMigrationRequest { kind: kind() },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/ReportLoss",
            &pb::ReportLossRequest { kind: kind() },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/ListFailedResources",
            &pb::ListFailedResourcesRequest {
                kind: kind(),
                ..Default::default()
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/RetryFailedResource",
            &pb::RetryFailedResourceRequest {
                kind: kind(),
                id: "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25".into(),
            },
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/ListServers",
            &pb::ListServersRequest::default(),
        ),
        row(
            Provider,
            "coeval.migrations.v1.MigrationService/UndoMigration",
            &pb::UndoMigrationRequest { kind: kind() },
        ),
    ]
}
