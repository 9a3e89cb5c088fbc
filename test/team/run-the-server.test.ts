import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { DIST, scratch } from "../scratch.ts";
import { freePort, until } from "./harness/processes.ts";

/** Every command of docs/how-to/run-the-server.md, in the order in which the page shows them. */

const PAGE = readFileSync("docs/how-to/run-the-server.md", "utf8");
const BLOCKS = [...PAGE.matchAll(/```sh\n(.*?)```/gs)].map(([, text = ""]) => text.trim().split("\n"));
const postgres = inject("postgres");

describe.skipIf(postgres === "")("the page about running the server", () => {
  const place = postgres === "" ? undefined : scratch({ keep: true });
  const name = `s_${randomBytes(6).toString("hex")}`;
  let env: Record<string, string> = {};
  let ports: Readonly<Record<string, string>> = {};
  const open: ReturnType<typeof spawn>[] = [];
  afterAll(() => {
    for (const child of open) child.kill("SIGTERM");
    for (const one of [name, `${name}_again`]) spawnSync("dropdb", ["--if-exists", "--force", one], { env });
  });

  /** The page's names, with those of the test in their place. */
  const here = (line: string): string =>
    Object.entries(ports)
      .reduce((text, [port, own]) => text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${own}`), line)
      .replace(/postgres:\/\/assent@db\.example\.com\/assent(_again)?/, (_, again: string | undefined) =>
        postgres.replace("/postgres?", `/${name}${again ?? ""}?`),
      )
      .replace(/\bassent_again\b(?!\?)/, `${name}_again`)
      .replace(/(?<=createdb )assent\b|(?<=assent\.dump )assent\b/, name);

  /** Plays a line; one that starts a server is ended once it has said that it listens, unless it is to stay. */
  async function play(line: string, stays: boolean): Promise<string> {
    const command = here(line);
    if (!command.includes("team serve")) {
      const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { cwd: place?.root, env, encoding: "utf8" });
      expect([command, status, stderr]).toEqual([command, 0, ""]);
      return stdout;
    }
    const child = spawn("/bin/sh", ["-c", command.replace(/(?=assent team serve)/, "exec ")], {
      cwd: place?.root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    open.push(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
    await until(() => child.exitCode !== null || said.includes('"started"'));
    expect([command, child.exitCode, said]).toEqual([command, null, expect.stringContaining("listens at")]);
    if (!stays) {
      child.kill("SIGTERM");
      await until(() => child.exitCode !== null);
    }
    return said;
  }

  it("has commands", () => {
    expect(BLOCKS.map((lines) => lines.length)).toEqual([3, 3, 1, 3, 1]);
    expect(readdirSync("docs/how-to")).toContain("run-the-server.md");
  });

  it("shows commands that work, each of them", { timeout: 300_000 }, async () => {
    if (place === undefined) throw new Error("no PostgreSQL");
    const shim = join(place.root, "assent");
    writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${DIST}/bin.cjs' "$@"\n`);
    chmodSync(shim, 0o755);
    env = {
      PATH: `${place.root}:/usr/local/bin:/usr/bin:/bin`,
      HOME: place.home,
      PGHOST: decodeURIComponent(/[?&]host=([^&]+)/.exec(postgres)?.[1] ?? "localhost"),
      PGUSER: /\/\/([^@/:]+)/.exec(postgres)?.[1] ?? "postgres",
    };
    ports = { "8414": String(await freePort()), "9464": String(await freePort()) };
    const [start = [], look = [], back = [], again = [], link = []] = BLOCKS;
    await play(start[0] ?? "", false);
    // What `export` says holds for the commands behind it.
    const [, database = ""] = /^export ASSENT_TEAM_DATABASE=(.+)$/.exec(here(start[1] ?? "")) ?? [];
    env = { ...env, ASSENT_TEAM_DATABASE: database };
    expect(await play(start[2] ?? "", true)).toMatch(/an administrator signs in here, once/);
    expect(await play(look[0] ?? "", false)).toBe("ok\n");
    expect(await play(look[1] ?? "", false)).toBe("ready\n");
    const numbers = await play(look[2] ?? "", false);
    // Every number that the page names is there.
    const named = [...PAGE.matchAll(/`(assent_team_\w+)/g)].map(([, one = ""]) => one);
    const missing = named.filter((one) => !numbers.includes(one) && one !== "assent_team_over_quota_total");
    expect([named.length > 7, missing]).toEqual([true, []]);
    await play(back[0] ?? "", false);
    open.at(-1)?.kill("SIGTERM");
    await until(() => open.at(-1)?.exitCode !== null);
    for (const line of again) await play(line, false);
    expect(await play(link[0] ?? "", false)).toMatch(/an administrator signs in here, once, within an hour: http/);
  });
});
