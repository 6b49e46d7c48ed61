//! Worlds with types and more users, and what tests of entities do with them.

use crate::world::{Reply, World};
use serde_json::{Value, json};

/// A type file.
pub(crate) fn type_file(of: &str, version: &str, spec: &str) -> String {
    let (vendor, nss) = of.split_once(':').unwrap();
    format!(
        "kind: type\nversion: v1\nmetadata: {{name: \"{of}:{version}\"}}\nspec:\n  vendor: {vendor}\n  nss: {nss}\n  version: {version}\n{spec}"
    )
}

/// `acme:app`: an image, and from 1.1.0 on a region.
pub(crate) fn app_files() -> Vec<String> {
    let properties =
        "image: {type: string}, sizing_class: {type: string}, replicas: {type: integer}";
    vec![
        type_file(
            "acme:app",
            "1.0.0",
            &format!(
                "  schema: {{type: object, required: [image], properties: {{{properties}}}}}\n"
            ),
        ),
        type_file(
            "acme:app",
            "1.1.0",
            &format!(
                "  schema: {{type: object, required: [image], properties: {{{properties}, region: {{type: string}}}}}}\n  conversion: {{from: 1.0.0, steps: [{{add: {{path: /region}}}}]}}\n"
            ),
        ),
    ]
}

/// The rights of a worker with `acme:app`.
const WORKER: &str =
    r#"{name: Worker, rights: ["acme:app: View", "acme:app: Modify", "acme:app: Full Access"]}"#;

impl World {
    /// The same store served anew, knowing these types; the bundles of them are published to both
    /// tenants.
    pub(crate) fn add_types(&mut self, of: &[&str], files: &[String]) {
        for (number, file) in files.iter().enumerate() {
            self.write(&format!("type-{number}.yaml"), file);
        }
        let names: Vec<_> = (0..files.len()).map(|n| format!("type-{n}.yaml")).collect();
        let publish: Vec<_> = of
            .iter()
            .map(|of| format!("{{bundle: \"{of} Entitlement\", orgs: [acme, other]}}"))
            .collect();
        let before = self.read("bootstrap.yaml");
        let after = format!(
            "types: [{}]\npublish: [{}]\n{before}",
            names.join(", "),
            publish.join(", ")
        );
        self.write("bootstrap.yaml", &after);
        self.restart_with(&[]);
    }

    /// `acme:app` in two versions, published.
    pub(crate) fn add_app(&mut self) {
        self.add_types(&["acme:app"], &app_files());
    }

    /// Two users of acme who may work with `acme:app`, and see only what is theirs or shared.
    pub(crate) fn add_workers(&mut self) {
        let before = self.read("bootstrap.yaml");
        let hash = before.split("password_hash: \"").nth(1).unwrap();
        let hash = hash.split('"').next().unwrap().to_owned();
        let mut after = before.replace("roles: [{", &format!("roles: [{WORKER}, {{"));
        for name in ["wanda", "walter"] {
            after.push_str(&format!(
                "  - {{name: {name}, org: acme, password_hash: \"{hash}\", roles: [Worker]}}\n"
            ));
        }
        self.write("bootstrap.yaml", &after);
        self.restart_with(&[]);
    }

    /// Makes an entity as clients do and answers its id. (The task is in no answer yet that a test
    /// could read, so it is found by its name.)
    pub(crate) fn make(&self, token: &str, version: &str, name: &str, entity: &Value) -> String {
        let reply = self
            .post(&format!(
                "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:{version}"
            ))
            .by(token)
            .json(&json!({"name": name, "entity": entity}))
            .send();
        assert_eq!((reply.status, reply.text.as_str()), (202, ""), "{reply:?}");
        assert!(
            reply
                .header("location")
                .starts_with(&format!("{}/api/task/", self.url())),
            "{reply:?}"
        );
        self.id_of(token, name)
    }

    /// The id of the one entity of that name.
    pub(crate) fn id_of(&self, token: &str, name: &str) -> String {
        let path = format!("/cloudapi/1.0.0/entities/types/acme/app/1?filter=name=={name}");
        let found = self.get(&path).by(token).send();
        assert_eq!(found.json["resultTotal"], 1, "{found:?}");
        found.json["values"][0]["id"].as_str().unwrap().to_owned()
    }

    /// The same, resolved.
    pub(crate) fn make_resolved(
        &self,
        token: &str,
        version: &str,
        name: &str,
        entity: &Value,
    ) -> String {
        let id = self.make(token, version, name, entity);
        let resolved = self.post(&format!("{}/resolve", at(&id))).by(token).send();
        assert_eq!(resolved.json["state"], "RESOLVED", "{resolved:?}");
        id
    }

    pub(crate) fn fetch(&self, token: &str, id: &str) -> Reply {
        self.get(&at(id)).by(token).send()
    }

    /// The id of a user of acme, as the user is told it.
    pub(crate) fn user_id(&self, token: &str) -> String {
        let session = self
            .get("/cloudapi/1.0.0/sessions/current")
            .by(token)
            .send();
        session.json["user"]["id"].as_str().unwrap().to_owned()
    }
}

/// Where an entity is.
pub(crate) fn at(id: &str) -> String {
    format!("/cloudapi/1.0.0/entities/{id}")
}

/// The minor code of a refusal, which must have a code of our own too.
pub(crate) fn minor(reply: &Reply) -> &str {
    let code = reply.json["code"].as_str().unwrap_or_default();
    assert!(code.starts_with("COEVAL-"), "{reply:?}");
    reply.json["minorErrorCode"].as_str().unwrap()
}
