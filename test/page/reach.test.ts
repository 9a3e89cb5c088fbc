import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { endPage } from "./browser.ts";

/** What agents, and what they start, can do about the page: nothing. */

let place: Scratch;
let file = "";
let port = 0;
beforeAll(() => {
  place = scratch({ keep: true });
  ({ file, port } = JSON.parse(assent(place, ["open", "--json"]).stdout) as { file: string; port: number });
});
afterAll(() => endPage(place));

const PAGE = "~/.local/state/assent/questions/page";

describe("a judged command", () => {
  it.each([
    "assent open",
    "assent open --link",
    "assent open --print --cwd /",
    "npx assent open",
    "command assent open --json",
    "sh -c 'assent open'",
    "x=open; assent $x",
    `cat ${PAGE}/*/open-*.html`,
    `cat ${PAGE}/*/link-*.json`,
    `grep -r enter ${PAGE}`,
    `cp -r ${PAGE} /tmp/x`,
    `echo '{}' > ${PAGE}/0/link-x.json`,
    `rm -rf ${PAGE}`,
    `ln -s ${PAGE} p`,
  ])("%s: is denied", (command) => {
    expect(JSON.parse(assent(place, ["explain", "--json", command]).stdout)).toMatchObject({ verdict: "deny" });
  });
});

describe("a supervised program", () => {
  const inRun = (script: string): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(DIST, "bin.cjs"), "run", "-P", "--", "node", "-e", script], {
      cwd: place.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1" },
      encoding: "utf8",
      timeout: 50_000,
    });
    return stdout + stderr;
  };

  it("reads no secret of the page, and makes none", () => {
    const [, secret = ""] = /enter#([\w-]+)/.exec(readFileSync(file, "utf8")) ?? [];
    expect(secret).toHaveLength(43);
    const said = inRun(`
      const fs = require("node:fs");
      for (const work of [
        () => fs.readFileSync(${JSON.stringify(file)}, "utf8"),
        () => fs.writeFileSync(${JSON.stringify(`${file}.json`)}, "{}"),
        () => fs.renameSync(${JSON.stringify(file)}, "mine"),
        () => fs.linkSync(${JSON.stringify(file)}, "mine"),
      ]) try { console.log("got", work()); } catch (error) { console.log("not", error.code); }
    `);
    expect(said.match(/^not E\w+$/gm)).toHaveLength(4);
    expect(said).not.toContain(secret);
    expect(readdirSync(join(file, "..")).filter((name) => name.endsWith(".html.json"))).toEqual([]);
  });

  it("learns nothing of the page's process, where it may connect at all", () => {
    const said = inRun(`
      const ask = async (path, more) => {
        try { const r = await fetch("http://127.0.0.1:${port}" + path, more); console.log("told", r.status); }
        catch (error) { console.log("told", error.cause?.code ?? error.message); }
      };
      (async () => {
        const headers = { origin: "http://127.0.0.1:${port}", "content-type": "application/json" };
        for (const path of ["/", "/page.js", "/api/questions", "/api/news"]) await ask(path);
        for (const path of ["/enter/in", "/api/questions/answer", "/api/policy/save"]) await ask(path, { method: "POST", headers, body: "{}" });
      })();
    `);
    const told = said.match(/^told .*$/gm) ?? [];
    expect(told).toHaveLength(7);
    for (const line of told) expect(line).toMatch(/^told (?:403|EACCES|EPERM|ECONNREFUSED)$/);
  });

  it("opens no page", () => {
    const { stdout, stderr, status } = assent(place, ["run", "-P", "--", process.execPath, join(DIST, "bin.cjs"), "open", "--link"]);
    expect(stdout).not.toContain("enter#");
    expect(stderr).toMatch(/would let an agent do more than now|cannot be opened from inside/);
    expect(status).not.toBe(0);
  });
});
