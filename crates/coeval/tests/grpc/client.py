"""A client of a typed service that knows nothing of it but what the server tells: it reads the
descriptors by reflection, generates stubs from them as any Python program would, and does with them
what programs do.

usage: client.py BINARY
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request

import grpc
from google.protobuf import descriptor_pb2
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_status import rpc_status

HERE = os.path.dirname(os.path.abspath(__file__))
SERVICE = "acme.app.v1.AppService"

BOOTSTRAP = """
orgs: [{{name: acme}}]
users:
  - {{name: administrator, password: secret, roles: [System Administrator]}}
  - {{name: alice, org: acme, password: secret, roles: [Organization Administrator]}}
types: ["{0}/types/app-1.0.0.yaml", "{0}/types/app-1.1.0.yaml"]
publish: [{{bundle: "acme:app Entitlement", orgs: [acme]}}]
"""


def start(binary, folder):
    with open(os.path.join(folder, "bootstrap.yaml"), "w") as file:
        file.write(BOOTSTRAP.format(HERE))
    log = open(os.path.join(folder, "log"), "w+")
    server = subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--data", folder]
        + ["--bootstrap", os.path.join(folder, "bootstrap.yaml")],
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    line = server.stdout.readline()
    if not line:
        log.seek(0)
        sys.exit("the server did not start: " + log.read())
    return server, line.split()[-1]


def login(url):
    basic = base64.b64encode(b"alice@acme:secret").decode()
    request = urllib.request.Request(
        url + "/cloudapi/1.0.0/sessions", headers={"authorization": "Basic " + basic}, method="POST"
    )
    return urllib.request.urlopen(request).headers["x-vmware-vcloud-access-token"]


class Bearer(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Every call says who sends it."""

    def __init__(self, token):
        self.entry = ("authorization", "Bearer " + token)

    def _go(self, go, details, request):
        metadata = list(details.metadata or []) + [self.entry]
        return go(details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_stream = _go


def stubs(channel, folder):
    """Generates them from what reflection says."""
    database = ProtoReflectionDescriptorDatabase(channel)
    assert SERVICE in database.get_services(), list(database.get_services())
    wanted = [database.FindFileContainingSymbol(SERVICE)]
    files = {}
    while wanted:
        file = wanted.pop()
        if file.name not in files:
            files[file.name] = file
            wanted += [database.FindFileByName(name) for name in file.dependency]
    # In the order in which they import each other.
    ordered, done = [], set()

    def visit(name):
        if name not in done:
            done.add(name)
            for other in files[name].dependency:
                visit(other)
            ordered.append(files[name])

    for name in files:
        visit(name)
    described = os.path.join(folder, "described.bin")
    with open(described, "wb") as file:
        file.write(descriptor_pb2.FileDescriptorSet(file=ordered).SerializeToString())
    out = os.path.join(folder, "stubs")
    os.mkdir(out)
    own = [name for name in files if not name.startswith("google/")]
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "--descriptor_set_in=" + described]
        + ["--python_out=" + out, "--grpc_python_out=" + out]
        + own,
        check=True,
    )
    sys.path.insert(0, out)
    from acme.app.v1 import app_pb2, app_pb2_grpc

    return app_pb2, app_pb2_grpc


def refused(call, request, code, reason):
    """The call is refused so, and its details say why."""
    try:
        call(request)
    except grpc.RpcError as error:
        assert error.code() == code, error
        for detail in rpc_status.from_call(error).details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                assert (info.domain, info.reason) == ("coeval", reason), info
                return
        raise AssertionError(f"no ErrorInfo: {error}")
    raise AssertionError(f"{request} was not refused")


def whole(url, token, name):
    """The content as it is, by another API."""
    request = urllib.request.Request(
        url + f"/cloudapi/1.0.0/entities/types/acme/app/1?filter=name=={name}",
        headers={"authorization": "Bearer " + token},
    )
    return json.load(urllib.request.urlopen(request))["values"][0]["entity"]


def replace(url, token, name, content):
    """Writes the content through another API."""
    request = urllib.request.Request(
        url + f"/cloudapi/1.0.0/entities/types/acme/app/1?filter=name=={name}",
        headers={"authorization": "Bearer " + token},
    )
    entity = json.load(urllib.request.urlopen(request))["values"][0]
    body = {"name": name, "entityType": entity["entityType"], "entity": content}
    request = urllib.request.Request(
        url + "/cloudapi/1.0.0/entities/" + entity["id"],
        json.dumps(body).encode(),
        {"authorization": "Bearer " + token, "content-type": "application/json"},
        method="PUT",
    )
    urllib.request.urlopen(request)


def drive(url, token, pb, service):
    def app(name, revision="", **spec):
        return pb.App(metadata={"name": name, "revision": revision}, spec=pb.AppSpec(**spec))

    print("  create and get")
    made = service.CreateApp(
        pb.CreateAppRequest(app=app("one", image_name="x", replicas=0, tags=["a", "b"]))
    ).app
    assert (made.kind, made.version, made.metadata.namespace) == ("app", "v1.1", "acme"), made
    assert made.spec.HasField("replicas") and made.spec.replicas == 0
    assert not made.spec.HasField("public")
    assert service.GetApp(pb.GetAppRequest(name="one")).app == made
    assert service.GetApp(pb.GetAppRequest(name=made.metadata.id)).app == made

    print("  list, in pages")
    for number in range(5):
        service.CreateApp(pb.CreateAppRequest(app=app(f"page-{number}", weight=number / 2)))
    names, token_of_page = [], ""
    while True:
        page = service.ListApps(
            pb.ListAppsRequest(
                page_size=2, page_token=token_of_page, filter="name==page-*", order_by="name"
            )
        )
        assert len(page.apps) <= 2
        names += [one.metadata.name for one in page.apps]
        token_of_page = page.next_page_token
        if not token_of_page:
            break
    assert names == [f"page-{number}" for number in range(5)], names

    print("  watch")
    told, began = [], threading.Event()
    watch = service.WatchApps(pb.WatchAppsRequest(name_prefix="one"))

    def listen():
        try:
            for message in watch:
                if message.kind == 1:
                    began.set()
                told.extend(change.WhichOneof("change") for change in message.changes)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.CANCELLED, error

    listener = threading.Thread(target=listen)
    listener.start()
    assert began.wait(10), "the watch did not begin"

    print("  update keeps what the message can't say")
    content = whole(url, token, "one")
    content["unknown"] = {"n": 9007199254740993, "none": None}
    content["limits"] = {"cpu": 1.5, "odd": [1]}
    replace(url, token, "one", content)
    read = service.GetApp(pb.GetAppRequest(name="one")).app
    read.spec.image_name = "y"
    read.spec.limits.memory = 7
    written = service.UpdateApp(pb.UpdateAppRequest(app=read)).app
    assert written.metadata.revision != read.metadata.revision
    content["imageName"] = "y"
    content["limits"]["memory"] = 7
    assert whole(url, token, "one") == content, whole(url, token, "one")

    print("  mask")
    service.UpdateApp(
        pb.UpdateAppRequest(
            app=app("one", region="eu", replicas=9), update_mask={"paths": ["spec.region"]}
        )
    )
    content["region"] = "eu"
    assert whole(url, token, "one") == content

    print("  upsert")
    service.UpsertApp(pb.UpsertAppRequest(app=app("one", image_name="z")))
    after = whole(url, token, "one")
    assert after["imageName"] == "z" and after["unknown"] == content["unknown"], after
    assert "region" not in after
    service.UpsertApp(pb.UpsertAppRequest(app=app("new", image_name="z")))

    print("  errors")
    status = grpc.StatusCode
    exists = pb.CreateAppRequest(app=app("one"))
    refused(service.CreateApp, exists, status.ALREADY_EXISTS, "COEVAL-6002")
    refused(service.GetApp, pb.GetAppRequest(name="no"), status.NOT_FOUND, "COEVAL-6001")
    stale = pb.UpdateAppRequest(app=read)
    refused(service.UpdateApp, stale, status.ABORTED, "COEVAL-6004")
    neither = pb.UpdateAppRequest(app=app("one"))
    refused(service.UpdateApp, neither, status.INVALID_ARGUMENT, "COEVAL-6009")
    bad = pb.ListAppsRequest(filter="name=")
    refused(service.ListApps, bad, status.INVALID_ARGUMENT, "COEVAL-8011")
    late = lambda request: service.ListApps(request, timeout=0.000001)  # noqa: E731
    try:
        late(pb.ListAppsRequest())
    except grpc.RpcError as error:
        assert error.code() == status.DEADLINE_EXCEEDED, error

    print("  delete")
    service.DeleteApp(pb.DeleteAppRequest(name="one"))
    refused(service.GetApp, pb.GetAppRequest(name="one"), status.NOT_FOUND, "COEVAL-6001")
    for _ in range(100):
        if "deleted" in told:
            break
        threading.Event().wait(0.1)
    watch.cancel()
    listener.join(10)
    assert told[-1] == "deleted" and told.count("put") >= 4, told


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        server, url = start(binary, folder)
        try:
            token = login(url)
            plain = grpc.insecure_channel(url.removeprefix("http://"))
            strange = ProtoReflectionDescriptorDatabase(plain).get_services()
            assert SERVICE not in strange and "grpc.health.v1.Health" in strange, strange
            channel = grpc.intercept_channel(plain, Bearer(token))
            print("  stubs from what reflection says")
            pb, pb_grpc = stubs(channel, folder)
            drive(url, token, pb, pb_grpc.AppServiceStub(channel))
        finally:
            server.terminate()
            server.wait(30)


main()
