//! `coeval migrate verify`, `failed` and `retry`.

use super::words;
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::{OutputOptions, print_one, print_rows, say};
use coeval_proto::migrations::v1 as pb;
use serde_json::{Value, json};

pub(super) async fn verify(
    session: &ClientSession,
    kind: &str,
    output: OutputOptions,
) -> Result<(), Failure> {
    let asked = pb::VerifyMigrationRequest {
        kind: kind.to_owned(),
    };
    let found = session.client.migrations().verify_migration(asked).await;
    let found = found
        .map_err(|error| words::with_advice(error, kind))?
        .into_inner();
    let mut fields = vec![
        ("same", found.same.to_string()),
        ("alone", found.alone.to_string()),
        ("missing", found.missing.to_string()),
        ("stale", found.stale.to_string()),
        ("orphaned", found.orphaned.to_string()),
        ("different", found.different.to_string()),
    ];
    // The first carries the label for all of them.
    for (number, one) in found.examples.iter().enumerate() {
        let label = if number == 0 { "for example" } else { "" };
        fields.push((label, format!("{} ({}): {}", one.name, one.id, one.what)));
    }
    print_one(&output.output, kind, &fields, &value(&found))?;
    if found.clean {
        return Ok(());
    }
    let not = found.missing + found.stale + found.orphaned + found.different;
    Err(Failure::refused(
        format!("{not} resources of {kind} have no fresh mirror that says the same"),
        match found.different {
            0 => format!(
                "The backfill sees to them: `coeval migrate status {kind} -w` shows how far it is."
            ),
            _ => "Look at the examples, and don't go on before it is known why they differ."
                .to_owned(),
        },
    ))
}

fn value(found: &pb::VerifyMigrationResponse) -> Value {
    let examples = found.examples.iter();
    let examples: Vec<Value> = examples
        .map(|one| json!({"id": one.id, "name": one.name, "what": one.what}))
        .collect();
    json!({
        "clean": found.clean, "same": found.same, "alone": found.alone, "missing": found.missing,
        "stale": found.stale, "orphaned": found.orphaned, "different": found.different,
        "examples": examples,
    })
}

async fn all_failed(
    session: &ClientSession,
    kind: &str,
) -> Result<Vec<pb::FailedResource>, Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let asked = pb::ListFailedResourcesRequest {
            kind: kind.to_owned(),
            page_size: 1000,
            page_token,
        };
        let mut service = session.client.migrations();
        let page = service.list_failed_resources(asked).await;
        let page = page
            .map_err(|error| words::with_advice(error, kind))?
            .into_inner();
        found.extend(page.resources);
        page_token = page.next_page_token;
        // All of them, since names are looked for here and the server knows ids.
        if page_token.is_empty() {
            return Ok(found);
        }
    }
}

pub(super) async fn failed(
    session: &ClientSession,
    kind: &str,
    output: OutputOptions,
) -> Result<(), Failure> {
    let found = all_failed(session, kind).await?;
    let row = |one: &pb::FailedResource| {
        let name = match one.name.as_str() {
            "" => &one.id,
            name => name,
        };
        let name = name.to_owned();
        vec![name, one.code.clone(), one.reason.clone(), one.id.clone()]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    let values: Vec<_> = found.iter().map(words::failed_value).collect();
    print_rows(
        &output.output,
        &["name", "code", "reason", "id"],
        &rows,
        &values,
    )?;
    if !found.is_empty() {
        say(
            "Change or delete each one so that it can be converted; a write tries it again by itself.",
        );
    }
    Ok(())
}

pub(super) async fn retry(
    session: &ClientSession,
    kind: &str,
    names: &[String],
) -> Result<(), Failure> {
    let found = all_failed(session, kind).await?;
    let meant = |one: &pb::FailedResource, name: &String| {
        // By name, by id, or by the last part of an id, as the lists show them.
        one.name == *name || one.id == *name || one.id.rsplit(':').next() == Some(name)
    };
    // Before the first is retried: a typo must not leave the work half done.
    for name in names {
        if !found.iter().any(|one| meant(one, name)) {
            return Err(Failure::refused(
                format!("{name} is none that could not be converted"),
                format!("`coeval migrate failed {kind}` lists them."),
            ));
        }
    }
    let named =
        |one: &&pb::FailedResource| names.is_empty() || names.iter().any(|name| meant(one, name));
    let (mut done, mut left) = (0, 0);
    // One by one: each answer says whether that one could be converted.
    for one in found.iter().filter(named) {
        let asked = pb::RetryFailedResourceRequest {
            kind: kind.to_owned(),
            id: one.id.clone(),
        };
        let again = session
            .client
            .migrations()
            .retry_failed_resource(asked)
            .await;
        let again = again.map_err(|error| words::with_advice(error, kind))?;
        if again.into_inner().converted {
            done += 1;
        } else {
            left += 1;
        }
    }
    say(&format!(
        "{done} converted, {left} can't be converted still"
    ));
    match left {
        0 => Ok(()),
        _ => Err(Failure::coded(
            coeval_codes::RESOURCES_FAILED,
            format!("{left} resources can't be converted"),
            format!("`coeval migrate failed {kind}` says why."),
        )),
    }
}
