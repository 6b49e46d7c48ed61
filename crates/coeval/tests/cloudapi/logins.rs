use crate::world::World;

pub(crate) fn a_login_gives_a_token_that_works_on_every_server(world: World) {
    let alice = world.login("alice@acme");
    assert!(
        alice.len() > 32,
        "clients send a shorter one in another way"
    );
    for server in 0..world.servers() {
        let reply = world
            .get("/cloudapi/1.0.0/sessions/current")
            .at(server)
            .by(&alice)
            .send();
        assert_eq!(reply.status, 200, "{reply:?}");
        assert_eq!(reply.json["user"]["name"], "alice");
        assert_eq!(reply.json["org"]["name"], "acme");
        assert_eq!(reply.json["roles"][0], "Organization Administrator");
    }
}

pub(crate) fn each_door_is_for_its_own_users(world: World) {
    for (user, path, status) in [
        (
            "administrator@System",
            "/cloudapi/1.0.0/sessions/provider",
            200,
        ),
        ("administrator@System", "/cloudapi/1.0.0/sessions", 401),
        (
            "administrator@system",
            "/cloudapi/1.0.0/sessions/provider",
            200,
        ),
        ("alice@acme", "/cloudapi/1.0.0/sessions", 200),
        ("alice@acme", "/cloudapi/1.0.0/sessions/provider", 401),
        ("nobody@acme", "/cloudapi/1.0.0/sessions", 401),
    ] {
        let reply = world.post(path).basic(user, "secret").send();
        assert_eq!(reply.status, status, "{user} {path}: {reply:?}");
    }
}
