#!/usr/bin/env bash
# yarn 1.22.22: `yarn publish --dry-run` publishes. npm, pnpm and bun only tell under that option what they would do; yarn 1 takes it
# without a word and uploads. Who judges commands by "has --dry-run" lets a release through.
# Seen: the registry (a server of this script on loopback) gets `PUT /x-demo-package`, yarn ends with 0 and says "Published."
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
export HOME="$folder/home"
mkdir home package
npm install --silent --no-audit --no-fund --no-save --prefix . yarn@1.22.22 >/dev/null

cat >server.mjs <<'JS'
import http from "node:http";
const server = http.createServer((request, response) => {
  request.resume().on("end", () => {
    console.log(request.method, request.url);
    response.writeHead(request.method === "PUT" ? 201 : 404, { "content-type": "application/json" }).end("{}");
  });
});
server.listen(0, "127.0.0.1", () => console.log("port", server.address().port));
JS
node server.mjs >requests.txt &
server=$!
for _ in $(seq 50); do grep -q '^port' requests.txt && break || sleep 0.1; done
port=$(awk '$1 == "port" { print $2 }' requests.txt)

cd package
echo '{ "name": "x-demo-package", "version": "1.0.0", "license": "MIT" }' >package.json
echo "//127.0.0.1:$port/:_authToken=none" >.npmrc
echo "registry \"http://127.0.0.1:$port/\"" >.yarnrc
status=0
YARN_IGNORE_PATH=1 ../node_modules/.bin/yarn publish --dry-run --non-interactive --new-version 1.0.1 >../out.txt 2>&1 || status=$?
echo "yarn $(../node_modules/.bin/yarn --version) publish --dry-run ended with $status:"
sed 's/^/  /' ../out.txt
echo "the registry got:"
grep -v '^port' ../requests.txt | sed 's/^/  /' || true
[ "$status" -eq 0 ]
grep -q '^PUT /x-demo-package$' ../requests.txt
grep -q 'Published' ../out.txt
