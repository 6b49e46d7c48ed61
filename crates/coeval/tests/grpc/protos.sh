#!/usr/bin/env bash
# Shows our .proto files, and those that types get, to buf: lint, breaking changes between minor
# versions, and calls by reflection against a server.
#
# usage: protos.sh BINARY BUF FOLDER
set -euo pipefail
binary="$1" buf="$2" folder="$3"
here="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
config="$here/../../../proto/proto/buf.yaml"

step() { printf '  %s\n' "$*"; }
fail() {
  printf 'protos: %s\n' "$*" >&2
  exit 1
}

rm -rf "$folder" && mkdir -p "$folder"

step "lint: our files"
"$buf" lint "$here/../../../proto/proto"

for kept in "$here"/../../../../releases/*/proto; do
  step "breaking: our files against release $(basename "$(dirname "$kept")")"
  "$buf" breaking "$here/../../../proto/proto" --against "$kept"
done

# The tree of the first COUNT versions.
tree() {
  local count="$1" files
  files=("$here"/types/app-1.{0,1,2}.0.yaml)
  "$binary" type proto --out "$folder/$count" "${files[@]:0:count}" 2> "$folder/notes"
  cp "$config" "$folder/$count/buf.yaml"
}

for count in 1 2 3; do
  tree "$count"
  step "lint: a type with $count versions"
  "$buf" lint "$folder/$count"
done
for count in 2 3; do
  step "breaking: version $count against the one before"
  "$buf" breaking "$folder/$count" --against "$folder/$((count - 1))"
done
grep -q 'reserved 5;' "$folder/3/acme/app/v1/app.proto" || fail "the number of a field that is gone is not reserved"

step "breaking: what breaks is found"
cp -r "$folder/3" "$folder/broken"
sed -i 's/optional int64 replicas = 2/optional string replicas = 2/' "$folder/broken/acme/app/v1/app.proto"
cmp -s "$folder/3/acme/app/v1/app.proto" "$folder/broken/acme/app/v1/app.proto" && fail "nothing was broken"
! "$buf" breaking "$folder/broken" --against "$folder/3" > "$folder/found" || fail "a change of a field's type was not found"
grep -q replicas "$folder/found" || fail "something else was found: $(cat "$folder/found")"

step "a server with that type"
mkdir "$folder/data"
cat > "$folder/data/bootstrap.yaml" << TEXT
orgs: [{name: acme}]
users:
  - {name: administrator, password: secret, roles: [System Administrator]}
  - {name: alice, org: acme, password: secret, roles: [Organization Administrator]}
types: ["$here/types/app-1.0.0.yaml", "$here/types/app-1.1.0.yaml"]
publish: [{bundle: "acme:app Entitlement", orgs: [acme]}]
TEXT
"$binary" serve --listen 127.0.0.1:0 --data "$folder/data" --bootstrap "$folder/data/bootstrap.yaml" \
  > "$folder/ready" 2> "$folder/log" &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
for _ in $(seq 300); do
  [ ! -s "$folder/ready" ] || break
  kill -0 "$server" 2> /dev/null || fail "the server did not start: $(cat "$folder/log")"
  sleep 0.1
done
url="$(sed 's/.* on //' "$folder/ready")"
[ -n "$url" ] || fail "the server did not become ready: $(cat "$folder/log")"
token="$(curl --silent --fail --dump-header - --user alice@acme:secret --request POST "$url/cloudapi/1.0.0/sessions" |
  tr -d '\r' | sed -n 's/^x-vmware-vcloud-access-token: //Ip')"
[ -n "$token" ] || fail "nobody could log in"

# call METHOD JSON: with the token, by reflection.
call() {
  "$buf" curl --http2-prior-knowledge --protocol grpc --header "authorization: Bearer $token" \
    --reflect-header "authorization: Bearer $token" --data "$2" "$url/$1"
}

# expect WORDS WHERE COMMAND…: the answer has them.
expect() {
  local words="$1" answer
  shift
  answer="$("$@" 2>&1)" || true
  case "$answer" in
    *"$words"*) ;;
    *) fail "$* answered: $answer" ;;
  esac
}

step "calls by reflection: fixed services"
expect SERVING "$buf" curl --http2-prior-knowledge --protocol grpc --data '{}' "$url/grpc.health.v1.Health/Check"
expect resources call coeval.resources.v1.ResourceService/CreateResource \
  '{"resource":{"kind":"app","version":"v1","metadata":{"name":"resources"},"spec":"e30="}}'

step "calls by reflection: a typed service"
app=acme.app.v1.AppService
expect '"imageName": "x"' call $app/CreateApp '{"app":{"metadata":{"name":"one"},"spec":{"imageName":"x","region":"eu"}}}'
expect '"region": "eu"' call $app/GetApp '{"name":"one"}'
expect '"one"' call $app/ListApps '{"pageSize":10}'
expect already_exists call $app/CreateApp '{"app":{"metadata":{"name":"one"},"spec":{}}}'
expect google.rpc.ErrorInfo call $app/CreateApp '{"app":{"metadata":{"name":"one"},"spec":{}}}'
expect '{}' call $app/DeleteApp '{"name":"one"}'
services="$("$buf" curl --http2-prior-knowledge --protocol grpc --reflect-header "authorization: Bearer $token" --list-services "$url")"
case "$services" in *acme.app.v1.AppService*) ;; *) fail "the typed service is not listed: $services" ;; esac
services="$("$buf" curl --http2-prior-knowledge --protocol grpc --list-services "$url")"
case "$services" in *acme*) fail "a stranger is told of types: $services" ;; *coeval.resources.v1.ResourceService*) ;; *) fail "$services" ;; esac

step "the files of a server are those of the type files"
COEVAL_TOKEN="$token" "$binary" type proto acme:app --server "$url" --out "$folder/served" 2> "$folder/notes"
diff -r "$folder/served/acme" "$folder/2/acme" || fail "they differ"
"$buf" build "$folder/served" --output /dev/null
