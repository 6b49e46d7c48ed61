//! A type and a type version that tenants can't see, and requests that name them or others that
//! there are not: the answers must be the same.

use crate::stage::type_file;
use crate::world::{Reply, World};
use serde_json::{Value, json};

/// The kind of a type that no tenant sees, and one that there is not. As long as `app`.
pub(crate) const HIDDEN: &str = "qqh";
pub(crate) const ABSENT: &str = "qqa";

/// What takes the place of what in a request, for what is hidden and for what is absent.
pub(crate) struct Swap {
    pub(crate) hidden: &'static [(&'static str, &'static str)],
    pub(crate) absent: &'static [(&'static str, &'static str)],
}

/// A type: by its kind, its name, or an id.
pub(crate) const TYPE: Swap = Swap {
    hidden: &[("app", HIDDEN)],
    absent: &[("app", ABSENT)],
};

/// A version of `acme:app`.
pub(crate) const VERSION: Swap = Swap {
    hidden: &[("1.0.0", "8.0.0"), ("v1\"", "v8\"")],
    absent: &[("1.0.0", "9.0.0"), ("v1\"", "v9\"")],
};

/// The other version that a request names.
pub(crate) const LATER: Swap = Swap {
    hidden: &[("1.1.0", "8.0.0")],
    absent: &[("1.1.0", "9.0.0")],
};

pub(crate) const ALL: [&Swap; 3] = [&TYPE, &VERSION, &LATER];

pub(crate) fn swapped(text: &str, with: &[(&str, &str)]) -> String {
    let swap = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
    with.iter().fold(text.to_owned(), swap)
}

/// What an answer says, with what is absent called as what is hidden, and without what differs from
/// request to request.
pub(crate) fn told(reply: &Reply) -> String {
    let mut text = format!("{} {}", reply.status, reply.text);
    for name in ["coeval-warning", "coeval-kept", "coeval-dropped", "link"] {
        text.push_str(&format!("\n{name}: {}", reply.header(name)));
    }
    for name in [
        "x-request-id",
        "x-vmware-vcloud-request-id",
        "coeval-sequence",
    ] {
        let id = reply.header(name);
        if !id.is_empty() {
            text = text.replace(id, "ID");
        }
    }
    text.replace(ABSENT, HIDDEN)
        .replace("9.0.0", "8.0.0")
        .replace("v9", "v8")
        .replace("\"9.0", "\"8.0")
}

impl World {
    fn as_provider(&self, token: &str, method: &str, path: &str, body: &Value) -> Reply {
        let sending = self.sending(method, &format!("/v1/webapi{path}")).by(token);
        let reply = match body {
            Value::Null => sending.send(),
            body => sending.json(body).send(),
        };
        assert!(reply.status < 300, "{method} {path}: {reply:?}");
        reply
    }

    /// Takes every grant on a type version away.
    pub(crate) fn hide_version(&self, admin: &str, of: &str, version: &str) {
        let acl = format!("/types/{of}/versions/{version}/acl");
        let grants = self.as_provider(admin, "GET", &acl, &Value::Null);
        for grant in grants.json["items"].as_array().unwrap() {
            let path = format!("{acl}/{}", grant["id"].as_str().unwrap());
            self.as_provider(admin, "DELETE", &path, &Value::Null);
        }
    }

    /// `acme:qqh`, which is published to nobody, with a resource called web in acme, whose id is
    /// answered; and 8.0.0 of `acme:app`, which nobody is granted.
    pub(crate) fn add_hidden(&self, admin: &str) -> String {
        let schema = "  schema: {type: object, properties: {image: {type: string}}}\n";
        let later = "  schema: {type: object, required: [secretMode], properties: {image: {type: string}, secretMode: {type: string, default: dark}}}\n  conversion: {from: 1.1.0, steps: []}\n";
        for file in [
            type_file("acme:qqh", "1.0.0", schema),
            type_file("acme:app", "8.0.0", later),
        ] {
            self.as_provider(
                admin,
                "POST",
                "/types",
                &json!({"file": file, "policy": "warn"}),
            );
        }
        self.hide_version(admin, "acme:app", "8.0.0");
        let made = self.as_provider(
            admin,
            "POST",
            "/resources/acme:qqh?namespace=acme",
            &json!({"version": "v1", "metadata": {"name": "web", "namespace": "acme"}, "spec": {}}),
        );
        let id = &made.json["resource"]["metadata"]["id"];
        id.as_str().unwrap().to_owned()
    }
}
