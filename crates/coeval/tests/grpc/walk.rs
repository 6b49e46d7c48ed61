//! Every method of every service, called by those who should not get further: without credentials,
//! with ones that have ended or were made up, from another tenant, and with too few rights. Nothing
//! changes by it.

use crate::calls::detail;
use crate::walk_table::{For, Things, rows};
use crate::world::World;
use bytes::Bytes;
use coeval_grpc::proto::DESCRIPTORS;
use coeval_grpc::proto::access::v1 as access;
use prost_reflect::DescriptorPool;
use std::collections::BTreeSet;
use tonic::{Code, Status};

/// All methods that there are: one that the table lacks fails the test.
fn methods() -> BTreeSet<String> {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let ours = pool.services();
    let ours = ours.filter(|service| service.full_name().starts_with("coeval."));
    let all = ours.flat_map(|service| {
        let methods = service.methods();
        let named = methods.map(|method| format!("{}/{}", service.full_name(), method.name()));
        named.collect::<Vec<_>>()
    });
    all.collect()
}

/// Where the store's history is.
async fn sequence(world: &World, token: &str) -> String {
    let page = world.by(token).list(Default::default()).await.unwrap();
    page.sequence
}

fn wrong(outcome: &Result<Bytes, Status>, expected: &[Code]) -> Option<String> {
    match outcome {
        Ok(_) => Some("it was let in".to_owned()),
        Err(status) => {
            let told = detail(status);
            let fits = expected.contains(&status.code());
            (!fits).then(|| format!("{:?} {told:?}", status.code()))
        }
    }
}

pub(crate) async fn every_method_keeps_out_who_should_not_come_in(mut world: World) {
    world.add_app();
    let (admin, alice) = (world.admin(), world.login("alice@acme"));
    let (oscar, bob) = (world.login("oscar@other"), world.login("bob@acme"));
    let things = Things::make(&world, &admin, &alice).await;
    let ended = world.login("alice@acme");
    let logout = world
        .by(&ended)
        .sessions()
        .logout(access::LogoutRequest {})
        .await;
    logout.unwrap();
    let rows = rows(&things);
    let listed: BTreeSet<String> = rows.iter().map(|(_, name, _)| (*name).to_owned()).collect();
    assert_eq!(listed, methods(), "the table of this test has all methods");
    assert_eq!(listed.len(), rows.len(), "each once");
    let before = sequence(&world, &alice).await;
    let mut found = Vec::new();
    for (of, method, message) in &rows {
        let unknown = [Code::Unauthenticated];
        let strangers: &[(&str, &str)] = match of {
            For::All | For::Password => &[],
            _ => &[("nobody", ""), ("ended", &ended), ("made up", "cvs_x")],
        };
        let hidden = [Code::PermissionDenied, Code::NotFound];
        let outsiders: &[(&str, &str)] = match of {
            For::All | For::Password | For::User => &[],
            For::Org => &[("oscar", &oscar)],
            For::Tenant => &[("oscar", &oscar), ("bob", &bob)],
            For::Provider => &[("oscar", &oscar), ("bob", &bob), ("alice", &alice)],
        };
        let all = strangers.iter().map(|one| (one, &unknown[..]));
        let all = all.chain(outsiders.iter().map(|one| (one, &hidden[..])));
        for ((who, token), expected) in all {
            let outcome = world.send(token, method, message.clone()).await;
            if let Some(wrong) = wrong(&outcome, expected) {
                found.push(format!("{method} by {who}: {wrong}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
    assert_eq!(
        sequence(&world, &alice).await,
        before,
        "nothing was written"
    );
    // The same messages are all right when the right ones send them: nothing else kept them out.
    let mut found = Vec::new();
    for (of, method, message) in &rows {
        let token = match of {
            For::All | For::Password => "",
            For::Provider => &admin,
            For::User | For::Org | For::Tenant => &alice,
        };
        // What ends what the others need.
        let last = [
            "Delete",
            "Revoke",
            "Logout",
            "Cancel",
            "SetPassword",
            "Watch",
        ];
        let name = method.rsplit('/').next().unwrap();
        if last.iter().any(|word| name.starts_with(word)) {
            continue;
        }
        if let Err(status) = world.send(token, method, message.clone()).await {
            found.push(format!("{method}: {status:?}"));
        }
    }
    assert!(
        found.is_empty(),
        "{} wrong:\n{}",
        found.len(),
        found.join("\n")
    );
}
