//! Sessions of browsers, and what protects them.

use crate::visit::{code, v1};
use crate::world::{PASSWORD, Reply, Sending, World};
use serde_json::json;

const CSRF: &str = "coeval-csrf";

/// A browser that is logged in.
struct Browser {
    cookie: String,
    csrf: String,
}

impl Browser {
    fn new(world: &World, user: &str) -> Self {
        let reply = world.log_in(user, true);
        assert_eq!(reply.status, 201, "{reply:?}");
        assert!(reply.json.get("token").is_none(), "{reply:?}");
        Self {
            cookie: cookie(&reply).to_owned(),
            csrf: reply.json["csrf"].as_str().unwrap().to_owned(),
        }
    }

    fn sends<'w>(&self, world: &'w World, method: &str, path: &str) -> Sending<'w> {
        world
            .sending(method, &v1(path))
            .header("cookie", &format!("theme=dark; {}", self.cookie))
    }

    /// Makes a token, which is a change that anybody may make.
    fn changes<'w>(&self, world: &'w World) -> Sending<'w> {
        self.sends(world, "POST", "/tokens")
            .json(&json!({"name": "mine"}))
    }
}

/// `name=value` of the cookie that an answer sets.
fn cookie(reply: &Reply) -> &str {
    reply.header("set-cookie").split(';').next().unwrap()
}

pub(crate) fn a_browser_logs_in_by_cookie_and_needs_its_token_to_change_anything(world: World) {
    let reply = world.log_in("alice@acme", true);
    let set = reply.header("set-cookie");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert!(!set.contains("Secure") && !set.contains("Domain"), "{set}");
    let browser = Browser::new(&world, "alice@acme");
    // Every server knows it, and the token is told again after a reload.
    for _ in 0..2 {
        let current = browser.sends(&world, "GET", "/sessions/current").send();
        assert_eq!(current.json["csrf"], browser.csrf, "{current:?}");
        assert_eq!(current.json["user"]["name"], "alice");
        assert_eq!(current.json["organization"]["name"], "acme");
        let rights = current.json["rights"].as_array().unwrap();
        assert!(rights.contains(&json!("User: Manage")), "{rights:?}");
        let made = browser.changes(&world).header(CSRF, &browser.csrf).send();
        assert_eq!(made.status, 201, "{made:?}");
    }
    let without = browser.changes(&world).send();
    assert_eq!((without.status, code(&without)), (403, "COEVAL-8040"));
    let ended = browser.sends(&world, "DELETE", "/sessions/current");
    let ended = ended.header(CSRF, &browser.csrf).send();
    assert_eq!(ended.status, 204, "{ended:?}");
    assert!(ended.header("set-cookie").contains("Max-Age=0"));
    let after = browser.sends(&world, "GET", "/sessions/current").send();
    assert_eq!(after.status, 401, "{after:?}");
}

pub(crate) fn a_token_of_another_session_or_of_an_ended_one_opens_nothing(world: World) {
    let (one, other) = (
        Browser::new(&world, "alice@acme"),
        Browser::new(&world, "alice@acme"),
    );
    for sent in [other.csrf.as_str(), "", "x", &one.csrf[..60], &one.cookie] {
        let refused = one.changes(&world).header(CSRF, sent).send();
        assert_eq!(
            (refused.status, code(&refused)),
            (403, "COEVAL-8040"),
            "{sent}"
        );
    }
    let twice = one.changes(&world).header(CSRF, &one.csrf);
    let twice = twice.header(CSRF, &one.csrf).send();
    assert_eq!(twice.status, 400, "{twice:?}");
    // Another way out than the browser's: its cookie and token are of no use afterwards.
    let sessions = one
        .sends(&world, "GET", "/sessions?filter=kind==session")
        .send();
    assert_eq!(sessions.json["total"], 2, "{sessions:?}");
    let ended = other.sends(&world, "DELETE", "/sessions/current");
    assert_eq!(ended.header(CSRF, &other.csrf).send().status, 204);
    let refused = other.changes(&world).header(CSRF, &other.csrf).send();
    assert_eq!(refused.status, 401, "{refused:?}");
    let still = one.changes(&world).header(CSRF, &one.csrf).send();
    assert_eq!(still.status, 201, "{still:?}");
}

pub(crate) fn what_another_site_makes_a_browser_send_is_refused(world: World) {
    let browser = Browser::new(&world, "alice@acme");
    let own = world.url().to_owned();
    for (name, value, status) in [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", own.as_str(), 201),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
        ("sec-fetch-site", "same-origin", 201),
        ("sec-fetch-site", "none", 201),
    ] {
        let sent = browser.changes(&world).header(CSRF, &browser.csrf);
        let reply = sent.header(name, value).send();
        assert_eq!(reply.status, status, "{name}: {value}: {reply:?}");
        if status == 403 {
            assert_eq!(code(&reply), "COEVAL-8041");
        }
    }
    // Nobody logs a browser in as somebody else.
    let body = json!({"user": "alice", "org": "acme", "password": PASSWORD, "cookie": true});
    let login = world.post(&v1("/sessions")).json(&body);
    let login = login.header("origin", "https://evil.example").send();
    assert_eq!((login.status, login.header("set-cookie")), (403, ""));
    // A bearer token is shown by choice, whatever page the program runs in.
    let token = world.enter("alice@acme");
    let made = world
        .ask(&token, "POST", "/tokens")
        .json(&json!({"name": "t"}));
    let made = made.header("origin", "https://other.example").send();
    assert_eq!(made.status, 201, "{made:?}");
}

pub(crate) fn a_bearer_counts_before_the_cookie_and_needs_no_token(world: World) {
    let browser = Browser::new(&world, "alice@acme");
    let bob = world.enter("bob@acme");
    let made = browser.changes(&world).by(&bob).send();
    assert_eq!(made.status, 201, "{made:?}");
    let who = browser
        .sends(&world, "GET", "/sessions/current")
        .by(&bob)
        .send();
    assert_eq!(who.json["user"]["name"], "bob", "{who:?}");
    assert!(who.json.get("csrf").is_none(), "{who:?}");
    // One that is wrong does not fall back to the cookie.
    let wrong = browser
        .sends(&world, "GET", "/sessions/current")
        .by("cvs_x");
    assert_eq!(wrong.send().status, 401);
}

pub(crate) fn the_cookie_is_this_api_s_alone(world: World) {
    let browser = Browser::new(&world, "alice@acme");
    let sent = world.get("/cloudapi/1.0.0/sessions/current");
    let reply = sent.header("cookie", &browser.cookie).send();
    assert_eq!(reply.status, 401, "{reply:?}");
    let two = format!("{}; coeval-session=cvs_other", browser.cookie);
    let sent = world.get(&v1("/sessions/current")).header("cookie", &two);
    assert_eq!(sent.send().status, 401, "one of the two is not ours");
    // What the cookie holds is a token as any other.
    let secret = browser.cookie.split_once('=').unwrap().1;
    let reply = world.ask(secret, "GET", "/sessions/current").send();
    assert_eq!(reply.status, 200, "{reply:?}");
}

pub(crate) fn over_https_the_cookie_is_bound_to_the_host(mut world: World) {
    world.restart_with(&["--public-url", "https://coeval.example"]);
    let reply = world.log_in("alice@acme", true);
    let set = reply.header("set-cookie");
    assert!(set.starts_with("__Host-coeval-session=cvs_"), "{set}");
    assert!(set.ends_with("; Secure"), "{set}");
    let csrf = reply.json["csrf"].as_str().unwrap();
    let sent = world.post(&v1("/tokens")).json(&json!({"name": "t"}));
    let sent = sent.header("cookie", cookie(&reply)).header(CSRF, csrf);
    let made = sent.header("origin", "https://coeval.example").send();
    assert_eq!(made.status, 201, "{made:?}");
    let plain = cookie(&reply).replace("__Host-", "");
    let sent = world.get(&v1("/sessions/current")).header("cookie", &plain);
    assert_eq!(sent.send().status, 401, "the plain name is not read");
}

pub(crate) fn a_login_that_is_wrong_tells_nothing(world: World) {
    let mut answers = Vec::new();
    for (user, org, password) in [
        ("alice", "acme", "wrong"),
        ("nobody", "acme", PASSWORD),
        ("carol", "nowhere", PASSWORD),
    ] {
        let body = json!({"user": user, "org": org, "password": password, "cookie": true});
        let reply = world.post(&v1("/sessions")).json(&body).send();
        assert_eq!((reply.status, reply.header("set-cookie")), (401, ""));
        answers.push(reply.text);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    for body in [
        json!({}),
        json!({"user": "alice", "org": "acme"}),
        json!({"user": 1, "org": "acme", "password": "x"}),
        json!({"user": "alice", "org": "acme", "password": PASSWORD, "cookies": true}),
        json!([]),
    ] {
        let reply = world.post(&v1("/sessions")).json(&body).send();
        assert_eq!(reply.status, 400, "{body}: {reply:?}");
        code(&reply);
    }
}

pub(crate) fn nobody_else_s_pages_are_told_that_they_may(world: World) {
    for method in ["GET", "POST", "OPTIONS"] {
        let sent = world.sending(method, &v1("/sessions"));
        let sent = sent.header("access-control-request-method", "POST");
        let reply = sent.header("origin", "https://other.example").send();
        let cors = reply.headers.keys();
        let mut cors = cors.filter(|name| name.as_str().starts_with("access-control"));
        assert_eq!(cors.next(), None, "{method}: {reply:?}");
    }
}
