"""Shows the server's own OpenAPI document to schemathesis, against a server that has something of
everything. No answer may be a 5xx, have an undocumented status or media type, or differ from its
schema.

usage: conformance.py BINARY SCHEMATHESIS [EXAMPLES [DOCUMENT]]
The document is a path of the server: /cloudapi/openapi.json or /v1/webapi/openapi.json.
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

BOOTSTRAP = """
orgs: [{name: acme, vdcs: [vdc1]}]
users:
  - {name: administrator, password: secret, roles: [System Administrator]}
  - {name: alice, org: acme, password: secret, roles: [Organization Administrator]}
"""

SCHEMA = {
    "type": "object",
    "properties": {"image": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["image"],
}

# What must go on working while everything else is tried.
LEFT_OUT = [
    ("delete", "/cloudapi/1.0.0/sessions/current"),
    ("delete", "/api/session"),
    ("delete", "/v1/webapi/sessions/current"),
    ("put", "/v1/webapi/sessions/current/password"),
    # Its answer does not end.
    ("get", "/v1/webapi/watch/{kind}"),
]


class Server:
    def __init__(self, binary, folder):
        with open(os.path.join(folder, "bootstrap.yaml"), "w") as file:
            file.write(BOOTSTRAP)
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", folder]
            + ["--bootstrap", os.path.join(folder, "bootstrap.yaml")]
            + ["--max-requests-per-user", "0"],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            sys.exit("the server did not start: " + self.log.read())
        self.url = line.split()[-1]
        basic = base64.b64encode(b"administrator@System:secret").decode()
        path = "/cloudapi/1.0.0/sessions/provider"
        reply = self.send("POST", path, headers={"authorization": "Basic " + basic})
        self.token = reply.headers["x-vmware-vcloud-access-token"]

    def send(self, method, path, body=None, headers=None):
        headers = dict(headers or {"authorization": "Bearer " + getattr(self, "token", "")})
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            return urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")

    def json(self, method, path, body=None):
        text = self.send(method, path, body).read()
        return json.loads(text) if text else None


def furnish(server):
    """Makes one of everything; the ids of what there is, by the path that they stand in."""
    base = "/cloudapi/1.0.0/"
    interface = {"name": "I", "vendor": "acme", "nss": "deployable", "version": "1.0.0"}
    interface = server.json("POST", base + "interfaces", interface)["id"]
    behavior = {"name": "echo", "execution": {"type": "noop", "id": "echo"}}
    behavior = server.json("POST", f"{base}interfaces/{interface}/behaviors", behavior)["id"]
    types = []
    for version in ("1.0.0", "1.1.0"):
        new = {"name": "App", "vendor": "acme", "nss": "app", "version": version}
        new.update(schema=SCHEMA, interfaces=[interface])
        types.append(server.json("POST", base + "entityTypes", new)["id"])
    access = {"behaviorId": behavior, "accessLevelId": "urn:vcloud:accessLevel:ReadOnly"}
    for one in types:
        server.json("POST", f"{base}entityTypes/{one}/behaviorAccessControls", access)
    entities, tasks = [], []
    for number in range(12):
        new = {"name": f"app-{number}", "entity": {"image": "x", "size": number}}
        location = server.send("POST", base + "entityTypes/" + types[number % 2], new)
        tasks.append(location.headers["location"].rsplit("/", 1)[-1])
    page = server.json("GET", base + "entities/types/acme/app/1?pageSize=128")
    entities = [one["id"] for one in page["values"]]
    for one in entities[:8]:
        server.json("POST", f"{base}entities/{one}/resolve")

    def ids(path):
        return [one["id"] for one in server.json("GET", base + path + "?pageSize=128")["values"]]

    return [
        (r"/entities/\{id\}", "id", entities),
        (r"/entityTypes/\{id\}", "id", types + ["urn:vcloud:type:vmware:tkgcluster:1.0.0"]),
        (r"/interfaces/\{id\}", "id", [interface, "urn:vcloud:interface:vmware:k8s:1.0.0"]),
        (r"\{bid\}", "bid", [behavior, "echo"]),
        (r"/entities/types/", "vendor", ["acme"]),
        (r"/entities/types/", "nss", ["app"]),
        (r"/entities/interfaces/", "vendor", ["acme"]),
        (r"/entities/interfaces/", "nss", ["deployable"]),
        (r"/entities/", "version", ["1", "1.0.0", "1.1"]),
        (r"/entities/types/\{typeId\}", "typeId", types),
        (r"/entities/interfaces/\{interfaceId\}", "interfaceId", [interface]),
        (r"/orgs/\{id\}", "id", ids("orgs")),
        (r"/users/\{id\}", "id", ids("users")),
        (r"/rights/\{id\}", "id", ids("rights")[:5]),
        (r"/rightsBundles/\{id\}", "id", ids("rightsBundles")),
        (r"/globalRoles/\{id\}", "id", ids("globalRoles")),
        (r"/roles/\{id\}", "id", ids("roles")),
        (r"/api/task/", "id", tasks),
        (r"/accessLevels/", "id", ids("accessLevels")),
    ]


def furnish_console(server, known):
    """The same things, as the console's API names them."""
    base = "/v1/webapi/"

    def ids(path):
        return [one["id"] for one in server.json("GET", base + path + "?pageSize=100")["items"]]

    server.json("POST", base + "types/acme:app/migrations", {"from": "1.0.0", "to": "1.1.0", "dryRun": True})
    entities = next(values for pattern, _, values in known if pattern.startswith("/entities/"))
    return [
        (r"/resources/", "kind", ["app", "acme:app"]),
        (r"/resources/", "name", entities + ["app-1"]),
        (r"/types/\{type\}", "type", ["acme:app", "vmware:tkgcluster"]),
        (r"/types/\{type\}/versions/", "version", ["1.0.0", "v1.1"]),
        (r"/interfaces/\{id\}", "id", ["acme:deployable:1.0.0", "vmware:k8s:1.0.0"]),
        (r"\{behavior\}", "behavior", ["urn:vcloud:behavior-interface:echo:acme:deployable:1.0.0"]),
        (r"\{member\}", "member", ids("organizations")),
        (r"/organizations/\{id\}", "id", ids("organizations")),
        (r"/users/\{id\}", "id", ids("users")[1:] or ["urn:vcloud:user:nobody"]),
        (r"/roles/\{id\}", "id", ids("roles")),
        (r"/bundles/\{id\}", "id", ids("bundles")),
        (r"/tasks/\{id\}", "id", ids("tasks")),
    ]


def known_ids(document, known):
    """Most requests name something that is there; the rest name anything."""
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] != "path":
                    continue
                for pattern, name, values in known:
                    if name == parameter["name"] and values and re.search(pattern, path):
                        parameter["schema"] = {"anyOf": [{"enum": values}, parameter["schema"]]}
                        break
    for method, path in LEFT_OUT:
        document["paths"].get(path, {}).pop(method, None)
    return document


def main():
    binary, schemathesis = sys.argv[1], sys.argv[2]
    examples = sys.argv[3] if len(sys.argv) > 3 else "8"
    path = sys.argv[4] if len(sys.argv) > 4 else "/cloudapi/openapi.json"
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, folder)
        try:
            known = furnish(server)
            if "webapi" in path:
                known = furnish_console(server, known)
            document = known_ids(server.json("GET", path), known)
            file = os.path.join(folder, "openapi.json")
            with open(file, "w") as out:
                json.dump(document, out)
            count = sum(len(operations) for operations in document["paths"].values())
            print(f"{count} operations, {examples} examples each", flush=True)
            checks = "not_a_server_error,status_code_conformance"
            checks += ",content_type_conformance,response_schema_conformance"
            command = [schemathesis, "run", file, "--url", server.url, "--checks", checks]
            command += ["--max-examples", examples, "--phases", "examples,coverage,fuzzing"]
            command += ["--header", "Authorization: Bearer " + server.token]
            command += ["--suppress-health-check", "all", "--no-shrink", "--warnings", "off"]
            # With more workers Python 3.11's parser now and then fails in one of them.
            command += ["--workers", "1", "--seed", "1", "--continue-on-failure"]
            code = subprocess.run(command, cwd=folder).returncode
            alive = server.process.poll() is None
            if not alive:
                print("the server ended")
            # What went wrong inside is in its log.
            server.log.seek(0)
            failed = [line for line in server.log if "a request failed" in line or "panicked" in line]
            print("".join(failed[:20]), end="")
            return 0 if code == 0 and alive and not failed else 1
        finally:
            server.process.kill()
            server.process.wait()


if __name__ == "__main__":
    sys.exit(main())
