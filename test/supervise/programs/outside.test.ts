import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { outsideLines } from "../../ledger/outside-lines.ts";
import { has, type Place, Suite, USERS } from "./place.ts";

const PATH = `${process.env["CARGO_BIN"] ?? "/root/.cargo/bin"}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;

/** Of each, what a project of its kind has. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "top",
    version: "1.0.0",
    scripts: { build: "mkdir -p dist && echo built > dist/out", test: "node --test" },
    dependencies: { "small-thing": "^1.0.0" },
  }),
  "a.test.mjs": 'import test from "node:test"; test("a", () => {});\n',
  "test_small.py": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n",
  "go.mod": "module example.com/small\n\ngo 1.19\n",
  "main.go": 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("go") }\n',
  "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
  "Cargo.toml": '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n',
  "src/main.rs": 'fn main() { println!("rust"); }\n#[test] fn t() {}\n',
  Makefile: "all: made\nmade: small.c\n\t$(CC) -c -o made small.c\ntest:\n\ttrue\n.PHONY: all test\n",
  "small.c": "int main(void) { return 0; }\n",
  "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(small C)\nadd_executable(s small.c)\n",
  "composer.json": '{ "name": "a/b", "description": "d", "license": "MIT", "require": {} }\n',
  "README.md": "thing\n",
};

/** A package as a tarball of npm, or as a source archive of Python: the registry has this one. */
function archive(folder: string, top: string, files: Readonly<Record<string, string>>): Buffer {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, top, name)), { recursive: true });
    writeFileSync(join(folder, top, name), text);
  }
  const { status } = spawnSync("tar", ["czf", join(folder, `${top}.tgz`), "-C", folder, top]);
  if (status !== 0) throw new Error("tar");
  return readFileSync(join(folder, `${top}.tgz`));
}

let suite: Suite;
let place: Place;
let server: Server;
let registry = "";

beforeAll(async () => {
  suite = new Suite();
  place = suite.place();
  const npm = archive(suite.folder, "package", {
    "package.json": JSON.stringify({ name: "small-thing", version: "1.0.0", main: "i.js", bin: { "small-thing": "i.js" } }),
    "i.js": "#!/usr/bin/env node\nconsole.log('small');\n",
  });
  const wheel = join(suite.folder, "small_thing-1.0.0-py3-none-any.whl");
  const made = spawnSync(
    "python3",
    [
      "-c",
      `import zipfile, sys
z = zipfile.ZipFile(sys.argv[1], "w")
z.writestr("small_thing.py", "x = 1\\n")
z.writestr("small_thing-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: small-thing\\nVersion: 1.0.0\\n")
z.writestr("small_thing-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr("small_thing-1.0.0.dist-info/RECORD", "")
z.close()`,
      wheel,
    ],
    { encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  server = createServer(({ url = "" }, response) => {
    const send = (type: string, body: string | Buffer): void => void response.writeHead(200, { "content-type": type }).end(body);
    if (url.startsWith("/small-thing/-/")) send("application/octet-stream", npm);
    else if (url.startsWith("/small-thing")) {
      const integrity = `sha512-${createHash("sha512").update(npm).digest("base64")}`;
      const dist = { tarball: `${registry}/small-thing/-/small-thing-1.0.0.tgz`, integrity };
      const version = { name: "small-thing", version: "1.0.0", main: "i.js", bin: { "small-thing": "i.js" }, dist };
      send("application/json", JSON.stringify({ name: "small-thing", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }));
    } else if (url === "/simple/small-thing/")
      send("text/html", '<a href="/files/small_thing-1.0.0-py3-none-any.whl">small_thing-1.0.0-py3-none-any.whl</a>');
    else if (url.startsWith("/files/")) send("application/octet-stream", readFileSync(wheel));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  suite.remove();
});

/** Lines of one kind need what those before them made. */
const LINES = outsideLines().filter(({ runs }) => runs);
const needs = (line: string): string =>
  /^(?:CC="(\w+)|(?:cd \S+ && )?(\S+))/
    .exec(line)
    ?.slice(1)
    .find((word) => word !== undefined) ?? "";

// It takes minutes.
it.skipIf(process.env["TEST_LONG"] === undefined)(
  `${LINES.length} lines that need something outside run to the end, with the question about the registry answered once`,
  { timeout: 1_200_000 },
  async () => {
    const [user = "self"] = USERS;
    const env = {
      PATH,
      npm_config_registry: registry,
      npm_config_fund: "false",
      npm_config_audit: "false",
      npm_config_update_notifier: "false",
      PIP_INDEX_URL: `${registry}/simple`,
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      PIP_BREAK_SYSTEM_PACKAGES: "1",
      RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? "/root/.rustup",
      COMPOSER_ALLOW_SUPERUSER: "1",
      GOFLAGS: "-mod=mod -buildvcs=false",
      GOPROXY: "off",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    const prepare = async (): Promise<void> => {
      place.fresh(user, FILES);
      const sibling = join(place.folder, "sibling");
      mkdirSync(sibling);
      writeFileSync(join(sibling, "README.md"), "a thing\n");
      const made = "git init -q -b main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
      expect((await place.run({ user, argv: ["sh", "-c", made], env })).status).toBe(0);
      chmodSync(place.folder, 0o755);
      // The question about the registry, answered for this project.
      writeFileSync(
        join(place.folder, "policy.jsonc"),
        JSON.stringify({ version: 1, permissions: { allow: [`Net(${registry.slice(7)})`] } }),
      );
    };
    const useless: string[] = [];
    let tried = 0;
    const results: Record<string, number | string> = {};
    await prepare();
    for (const { line } of LINES) {
      if (!has(needs(line))) continue;
      results[line] = (await place.run({ user, argv: ["bash", "-c", line], env })).status;
    }
    await prepare();
    for (const { line } of LINES) {
      // What fails here by itself says nothing.
      if (results[line] !== 0) continue;
      tried += 1;
      const { status, stderr } = await place.run({ user, argv: place.supervised(["bash", "-c", line], ["-q", "-P"]), env });
      if (status !== 0) useless.push(`${line}: ${String(status)}: ${stderr.slice(-400)}`);
    }
    if (process.env["OUTSIDE_TOLD"] !== undefined)
      console.log(
        JSON.stringify(
          { tried, lines: LINES.length, failedBare: LINES.filter(({ line }) => results[line] !== 0).map(({ line }) => line), useless },
          null,
          1,
        ),
      );
    expect(tried).toBeGreaterThan(20);
    expect(useless.slice(Math.floor(tried * 0.03))).toEqual([]);
  },
);
