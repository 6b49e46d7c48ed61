//! What tests of the console's API send again and again.

use crate::world::{PASSWORD, Reply, Sending, World};
use serde_json::{Value, json};

pub(crate) const V1: &str = "/v1/webapi";

/// A path of the API.
pub(crate) fn v1(path: &str) -> String {
    format!("{V1}{path}")
}

impl World {
    /// A request with a token.
    pub(crate) fn ask(&self, token: &str, method: &str, path: &str) -> Sending<'_> {
        self.sending(method, &v1(path)).by(token)
    }

    /// The same, with a body.
    pub(crate) fn tell(&self, token: &str, method: &str, path: &str, body: &Value) -> Reply {
        self.ask(token, method, path).json(body).send()
    }

    /// What a GET answers; it must be well.
    pub(crate) fn look(&self, token: &str, path: &str) -> Value {
        let reply = self.ask(token, "GET", path).send();
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json
    }

    /// The token of a user, `name@org`, by this API.
    pub(crate) fn enter(&self, user: &str) -> String {
        let reply = self.log_in(user, false);
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json["token"].as_str().unwrap().to_owned()
    }

    /// A login, in a cookie or not.
    pub(crate) fn log_in(&self, user: &str, cookie: bool) -> Reply {
        let (user, org) = user.split_once('@').unwrap();
        let body = json!({"user": user, "org": org, "password": PASSWORD, "cookie": cookie});
        self.post(&v1("/sessions")).json(&body).send()
    }

    /// Makes an app, and answers the resource.
    pub(crate) fn app(&self, token: &str, version: &str, name: &str, spec: &Value) -> Value {
        let body = json!({"version": version, "metadata": {"name": name}, "spec": spec});
        let reply = self.tell(token, "POST", "/resources/app", &body);
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json["resource"].clone()
    }
}

/// The code of a refusal, which must be whole.
pub(crate) fn code(reply: &Reply) -> &str {
    for field in ["message", "advice", "release"] {
        assert!(reply.json[field].is_string(), "{field}: {reply:?}");
    }
    assert_eq!(reply.json["release"], reply.header("coeval-release"));
    reply.json["code"].as_str().unwrap()
}

/// The names of the resources of a page.
pub(crate) fn names(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|one| one["metadata"]["name"].as_str().unwrap())
        .collect()
}
