import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { PageContext } from "../../packages/page/src/page/api/endpoint.ts";
import { servePage } from "../../packages/page/src/page/server.ts";
import { assent, scratch, type Scratch } from "../scratch.ts";
import { endPage } from "./browser.ts";

let place: Scratch;
afterEach(() => endPage(place));

interface OpenJson {
  readonly v: number;
  readonly file: string;
  readonly port: number;
  readonly link?: string;
}
const opened = (...more: readonly string[]): OpenJson => JSON.parse(assent(place, ["open", "--json", ...more]).stdout) as OpenJson;

const processFile = (): string => {
  const folder = join(place.home, ".local/state/assent/questions/page");
  return join(folder, readdirSync(folder)[0] ?? "", "process.json");
};

/** A browser that writes down what it is given. */
function standIn(status = 0): string {
  const program = place.write("~/bin/browser", `#!/bin/sh\nprintf '%s\\n' "$@" > ~/given\nexit ${status}\n`);
  chmodSync(program, 0o755);
  return program;
}

const noStatus: PageContext["status"] = () => Promise.reject(new Error("nobody asks for it"));
const contextOf = ({ machine }: Scratch): PageContext => ({ machine, own: [], status: noStatus });

describe("assent open", () => {
  it("gives the browser a file of the user's alone, and no secret on its command line", () => {
    place = scratch();
    const { stdout, status } = assent(place, ["open"], "", { BROWSER: standIn() });
    expect({ stdout, status }).toEqual({ stdout: "the page is open in your browser\n", status: 0 });
    const given = readFileSync(join(place.home, "given"), "utf8").trim();
    expect(given).toMatch(/\.local\/state\/assent\/questions\/page\/\w+\/open-[0-9a-f]{16}\.html$/);
    const [, secret = ""] = /enter#([\w-]{43})/.exec(readFileSync(given, "utf8")) ?? [];
    expect(given).not.toContain(secret);
  });

  it.each([
    ["there is none", {}, "no browser was found: open this file"],
    ["it fails", { BROWSER: "fails" }, "failed: open this file"],
  ])("says what to open where %s", (_, env: Record<string, string>, told) => {
    place = scratch();
    const browser = env["BROWSER"] === undefined ? {} : { BROWSER: standIn(3) };
    const { stdout, status } = assent(place, ["open"], "", browser);
    expect(stdout).toContain(told);
    expect(stdout).toMatch(/^ {2}\/.*\.html$/m);
    expect(status).toBe(0);
  });

  it("finds the process that is there, and starts another for another build", () => {
    place = scratch();
    const first = opened();
    const before = readFileSync(processFile(), "utf8");
    expect(opened().port).toBe(first.port);
    expect(readFileSync(processFile(), "utf8")).toBe(before);
    writeFileSync(processFile(), JSON.stringify({ ...(JSON.parse(before) as object), build: "older" }));
    opened();
    const after = JSON.parse(readFileSync(processFile(), "utf8")) as { pid: number; build: string };
    expect(after).not.toMatchObject({ pid: (JSON.parse(before) as { pid: number }).pid });
    expect(after.build).not.toBe("older");
  });

  it("does not take another process for the page's", () => {
    place = scratch();
    opened();
    const record = JSON.parse(readFileSync(processFile(), "utf8")) as { pid: number };
    process.kill(record.pid, "SIGKILL");
    // Its number is another's now.
    writeFileSync(processFile(), JSON.stringify({ ...record, pid: process.pid }));
    opened();
    expect((JSON.parse(readFileSync(processFile(), "utf8")) as { pid: number }).pid).not.toBe(process.pid);
  });

  it("prints the address with --link, and only then", () => {
    place = scratch();
    expect(opened("--link").link).toMatch(/^http:\/\/[a-z0-9]{15,}\.localhost:\d+\/enter#[\w-]{43}$/);
    expect(opened().link).toBeUndefined();
    expect(assent(place, ["open", "--link"]).stdout).toMatch(/^http:\/\/[a-z0-9]{15,}\.localhost:\d+\/enter#[\w-]{43}\n$/);
    expect(assent(place, ["open", "--print"]).stdout).toMatch(/^\/\S+\.html\n$/);
  });

  it.each([
    ["no such folder", "nowhere"],
    ["that is a file", "a-file"],
  ])("is a wrong use where the folder is none: %s", (told, folder) => {
    place = scratch();
    place.write("a-file", "");
    const { stderr, status } = assent(place, ["open", "--cwd", folder]);
    expect(stderr).toContain(told);
    expect(status).toBe(2);
  });

  it.each(["CLAUDECODE", "CI"])("is for a person: with %s set it opens nothing", (name) => {
    place = scratch();
    const { stdout, stderr, status } = assent(place, ["open", "--link"], "", { [name]: "1" });
    expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
    expect(stderr).toContain(`${name} is set`);
  });

  it("says why where the state folder cannot be used", () => {
    place = scratch();
    mkdirSync(join(place.home, ".local"), { recursive: true });
    writeFileSync(join(place.home, ".local/state"), "");
    const { stderr, status } = assent(place, ["open"]);
    expect(stderr).toMatch(/^assent open: .*cannot be used/);
    expect(status).toBe(1);
    expect(existsSync(join(place.home, ".local/state/assent"))).toBe(false);
  });
});

describe("the page's process", () => {
  it("has a name that nobody can guess, another one each time, and holds its port at both addresses of this machine", async () => {
    place = scratch();
    const options = { context: contextOf(place), place: place.root, assets: place.root, endpoints: [], news: [] };
    const [one, two] = [await servePage(options), await servePage(options)];
    expect(one.name).toMatch(/^[a-z0-9]{15,}\.localhost$/);
    expect(two.name).not.toBe(one.name);
    for (const address of ["127.0.0.1", "::1"]) {
      const taken = await new Promise((resolve) => {
        const squatter = createServer();
        squatter.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
        squatter.listen({ host: address, port: one.port, ipv6Only: address === "::1" }, () => squatter.close(() => resolve("free")));
      });
      expect([address, taken]).toEqual([address, expect.stringMatching(/^(?:EADDRINUSE|EADDRNOTAVAIL|EAFNOSUPPORT)$/)]);
    }
    one.close();
    two.close();
    await Promise.all([one.ended, two.ended]);
  });

  it("ends when no page has been open for a while, and answers to this machine alone", async () => {
    place = scratch();
    const server = await servePage({
      context: contextOf(place),
      place: place.root,
      assets: place.root,
      endpoints: [],
      news: [],
      idleMs: 300,
    });
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(403);
    await server.ended;
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow("fetch failed");
  });
});
