import { createServer, type Server } from "node:http";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has, type Ran, Suite, USERS } from "../supervise/programs/place.ts";
import { TryPlace } from "./place.ts";

/** Whom a tried command reaches, what it starts, and what it leaves in caches. */
const suite = new Suite();
const packages = mkdtempSync(join(tmpdir(), "assent-packages-"));
const heard: string[] = [];
const servers: Server[] = [];

/** `NAME`: of a package in a registry of ours. */
function pack(name: string, scripts: Readonly<Record<string, string>>): Buffer {
  const folder = join(packages, name, "package");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", scripts }));
  return spawnSync("tar", ["cz", "-C", join(packages, name), "package"]).stdout;
}

const tarballs: Readonly<Record<string, Buffer>> = {
  "/plain.tgz": pack("plain", {}),
  "/scripted.tgz": pack("scripted", { postinstall: "echo evil > $HOMEDIR/.npm/_cacache/evil; echo x > $HOMEDIR/.cache/other" }),
};

async function listen(): Promise<number> {
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    const port = (server.address() as AddressInfo).port;
    const name = (request.url ?? "").slice(1);
    const tarball = tarballs[`/${name}`];
    if (tarball !== undefined) response.end(tarball);
    else if (tarballs[`/${name}.tgz`] !== undefined) {
      const one = { name, version: "1.0.0", hasInstallScript: true, dist: { tarball: `http://127.0.0.1:${port}/${name}.tgz` } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": one } }));
    } else response.end("hello\n");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

let port = 0;
let other = 0;
beforeAll(async () => {
  port = await listen();
  other = await listen();
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(packages, { recursive: true });
  suite.remove();
});

const connecting = (to: number): string =>
  `python3 -c 'import socket
s=socket.socket()
try: s.connect(("127.0.0.1",${to})); print("CONNECTED")
except OSError as e: print("ERRNO", e.errno)
try: socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b"x",("192.0.2.1",53)); print("SENT")
except OSError as e: print("ERRNO", e.errno)
try: socket.socket(socket.AF_UNIX); print("UNIX")
except OSError as e: print("ERRNO", e.errno)'`;

describe.each(USERS)("a tried run of %s", (user) => {
  const fresh = (files?: Readonly<Record<string, string>>): TryPlace => new TryPlace(suite, user, files);
  const policy = (permissions: unknown): Readonly<Record<string, string>> => ({ "p.json": JSON.stringify({ version: 1, permissions }) });
  const isFile = (path: string): boolean => lstatSync(path).isFile();
  const under = (place: TryPlace): readonly string[] => ["--apply", "--policy", join(place.cwd, "p.json")];

  it("talks to whom its words name, and says so", async () => {
    const place = fresh();
    const ran = await place.try(`curl -s http://127.0.0.1:${port}/x > got`);
    expect(ran).toMatchObject({ status: 0, stdout: "" });
    expect(ran.stderr).toMatch(/^assent: applied: 1 created; it talked to localhost \(undo/);
    expect(readFileSync(join(place.cwd, "got"), "utf8")).toBe("hello\n");
    expect(heard).toContain("/x");
  });

  it("reaches nobody else meanwhile, and is not applied without a person then", async () => {
    const place = fresh();
    const ran = await place.try(`curl -s http://127.0.0.1:${port}/ > got; ${connecting(other)}`);
    expect(ran.stdout).toBe("ERRNO 13\nERRNO 13\nERRNO 97\n");
    expect(ran.status).toBe(75);
    expect(ran.stderr).toMatch(new RegExp(`refused +connect localhost:${other}`));
    expect(existsSync(join(place.cwd, "got"))).toBe(false);
  });

  it("has no network at all where its words name nobody", async () => {
    const ran = await fresh().try(connecting(port));
    expect(ran).toMatchObject({ status: 0, stdout: "ERRNO 111\nERRNO 101\nERRNO 97\n" });
  });

  it("does not reach what a rule denies", async () => {
    const place = fresh(policy({ deny: ["Net(127.0.0.1)"] }));
    const ran = await place.try(`curl -s http://127.0.0.1:${port}/ > got || echo failed`, under(place));
    expect(ran.status).not.toBe(0);
    expect(existsSync(join(place.cwd, "got"))).toBe(false);
  });

  it("starts no program that a rule denies, and any that it has made itself", async () => {
    const place = fresh(policy({ deny: ["Bash(rm *)"] }));
    writeFileSync(
      join(place.cwd, "t.py"),
      [
        "import os, shutil, subprocess",
        "shutil.copy('/bin/echo', 'e'); subprocess.call(['./e', 'made'])",
        "open('s', 'w').write('#!/bin/sh\\necho script\\n'); os.chmod('s', 0o755); subprocess.call(['./s'])",
        "os.rename('src', 'lib'); shutil.copy('s', 'lib/t'); subprocess.call(['lib/t']); subprocess.call(['./t'], cwd='lib')",
        "try: subprocess.call([chr(114) + 'm', 'a.txt'])",
        "except OSError: print('denied')",
      ].join("\n"),
    );
    const ran = await place.tryProgram(["python3", "t.py"], under(place));
    expect(ran.stdout).toBe("made\nscript\nscript\nscript\ndenied\n");
    expect(ran.stderr).toMatch(/refused +.*rm a\.txt/);
    expect(ran.status).toBe(75);
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true);
  });

  it.skipIf(!has("npm"))("puts into a cache what only its tool has written, and nothing where others ran", async () => {
    const place = fresh({ "package.json": '{ "name": "x", "version": "1.0.0" }', ...policy({ allow: ["Net(localhost)"] }) });
    const env = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_update_notifier: "false" };
    const cache = join(place.place.home, ".npm/_cacache");
    const plain = await place.tryProgram(["npm", "install", "plain"], under(place), env);
    expect(plain, plain.stderr).toMatchObject({ status: 0 });
    expect(plain.stderr).toContain("it talked to localhost");
    expect(existsSync(join(place.cwd, "node_modules/plain/package.json"))).toBe(true);
    const before = readdirSync(cache, { recursive: true });
    expect(before.length).toBeGreaterThan(3);
    const scripted = await place.tryProgram(["npm", "install", "--foreground-scripts", "scripted"], under(place).slice(1), env);
    expect(scripted.stderr).toMatch(/caches +~\/\..*: not kept, for other programs could write there/);
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    expect(await place.assent("try", "apply", id)).toMatchObject({ status: 0 });
    expect(existsSync(join(place.cwd, "node_modules/scripted/package.json"))).toBe(true);
    expect(readdirSync(cache, { recursive: true })).toEqual(before);
    expect(existsSync(join(place.place.home, ".cache/other"))).toBe(false);
  });

  it.skipIf(!has("npm"))("throws a cache away in which somebody else wrote the same meanwhile, and applies the rest", async () => {
    const place = fresh({ "package.json": '{ "name": "x", "version": "1.0.0" }', ...policy({ allow: ["Net(localhost)"] }) });
    const env = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_update_notifier: "false" };
    const install = async (before: readonly string[]): Promise<Ran> => await place.tryProgram(["npm", "install", "plain"], before, env);
    const cache = join(place.place.home, ".npm/_cacache");
    await install(under(place));
    const files = readdirSync(cache, { recursive: true, encoding: "utf8" }).filter(
      (name) => /^(?:content|index)/.test(name) && isFile(join(cache, name)),
    );
    expect(files.length).toBeGreaterThan(1);
    rmSync(cache, { recursive: true });
    rmSync(join(place.cwd, "node_modules"), { recursive: true });
    expect(await install(under(place).slice(1))).toMatchObject({ status: 75 });
    for (const name of files) {
      mkdirSync(dirname(join(cache, name)), { recursive: true });
      writeFileSync(join(cache, name), "mine\n");
    }
    const id = (await place.assent("try", "list")).stdout.split(" ")[0] ?? "";
    expect(await place.assent("try", "apply", id)).toMatchObject({ status: 0 });
    expect(existsSync(join(place.cwd, "node_modules/plain/package.json"))).toBe(true);
    expect(readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((name) => isFile(join(cache, name)))).toEqual(files);
    expect(files.map((name) => readFileSync(join(cache, name), "utf8"))).toEqual(files.map(() => "mine\n"));
  });
});
