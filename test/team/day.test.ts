import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { end, ended, freePort, serve, type Serving, until } from "./harness/processes.ts";

/** An administrator's day on a real server: a machine joins before there is a key, what waits for whom, and the numbers. */

let serving: Serving;
let office: Scratch;
let laptop: Scratch;
let origin = "";
let cookie = "";
let metricsPort = 0;

const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
const form = async (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { origin, cookie, connection: "close" },
    body: new URLSearchParams(fields),
  });
const page = async (path: string): Promise<string> =>
  (await (await fetch(`${origin}${path}`, { headers: { cookie, connection: "close" } })).text())
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

beforeAll(async () => {
  office = scratch({ keep: true });
  laptop = scratch({ keep: true });
  metricsPort = await freePort();
  serving = await serve(office, await freePort(), "--metrics", `127.0.0.1:${metricsPort}`);
  origin = `http://127.0.0.1:${serving.port}`;
  const [, key = ""] = /\/enter#([\w-]{43})/.exec(serving.said()) ?? [];
  const answer = await form("/enter", { key });
  cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}, 240_000);
afterAll(async () => await end(serving, "SIGTERM"));

async function joinTeam(machine: Scratch): Promise<void> {
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "join", origin, "--name", "box", "--json"], {
    cwd: machine.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: machine.home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  await until(() => said.includes('"code":"'));
  expect(await (await form("/confirm", { code: /"code":"([\w-]+)"/.exec(said)?.[1] ?? "" })).text()).toContain("was let in");
  await ended(child);
  expect(child.exitCode).toBe(0);
}

describe("a team's day", () => {
  it("counts before anything has happened: a counter that is not there cannot be told from one that is not kept", async () => {
    const text = await metrics();
    expect(text).toContain("assent_team_database_errors_total 0\n");
    expect(text).toContain('assent_team_sign_ins_failed_total{by="link"} 0\n');
    expect(text).toContain('assent_team_machines{state="seen"} 0\n');
    expect(text).toContain("assent_team_questions_oldest_age_seconds 0\n");
  });

  it("gives a machine that joined before the key what one gets that joins after it, and says what waits and the command", async () => {
    await joinTeam(laptop);
    expect(assent(laptop, ["team", "status"]).stdout).toContain("the team has no key for policies yet");
    const key = join(office.root, "key.json");
    const [, publicKey = ""] = /public key {2}(\S+)/.exec(assent(office, ["team", "policy", "key", "--out", key]).stdout) ?? [];
    await form("/policy/key", { key: publicKey });
    expect(await page("/policy")).toContain("default has no policy: assent team policy sign FILE --out p.json , then hand it in here.");

    office.write("policy.jsonc", JSON.stringify({ permissions: { deny: ["Bash(ls:*)"] } }));
    const signed = assent(office, ["team", "policy", "sign", "policy.jsonc", "--key", key, "--server", origin, "--out", "1.json"]);
    expect(signed).toMatchObject({ status: 0, stderr: "" });
    await form("/policy/push", { signed: readFileSync(join(office.project, "1.json"), "utf8") });
    expect(await page("/policy")).toContain("version 1 of default is out to nobody: release it below, or assent team policy release 1");
    const released = assent(office, ["team", "policy", "release", "1", "--key", key, "--server", origin]);
    expect(released).toMatchObject({ status: 0 });
    expect(await page("/policy")).toContain("1 machine of default has not fetched version 1. On each: assent team send");

    const before = assent(laptop, ["team", "status"]).stdout;
    expect(before).toContain("version 1 of the policy for default waits for this machine: assent team send fetches it");
    expect(JSON.parse(assent(laptop, ["team", "status", "--json"]).stdout)).toMatchObject({ team: { waiting: { version: 1 } } });
    expect(assent(laptop, ["team", "send"])).toMatchObject({ status: 0 });
    const late = scratch();
    await joinTeam(late);
    const lines = [laptop, late].map(
      (machine) =>
        /version \d+ of the policy.*\n|its policies are those.*\n/g[Symbol.match](assent(machine, ["team", "status"]).stdout) ?? [],
    );
    expect(lines[0]).toHaveLength(2);
    expect(lines[0]).toEqual(lines[1]);
    expect(await page("/policy")).toContain("Nothing: every machine has the version that is out.");
  });

  it("knows of each machine whose it is, when it was heard, and its version", async () => {
    await until(async () => /box [\w-]{20,} \w+ \d{4}-/.test(await page("/")));
    const text = await page("/");
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(text).toMatch(new RegExp(`box [\\w-]{20,} \\w+ \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC ${version.replaceAll(".", "\\.")}`));
  });

  it("has numbers in Prometheus' text format: machines by state, questions, versions, sign-ins that failed", async () => {
    expect((await form("/enter", { key: "x".repeat(43) })).status).toBe(403);
    await new Promise((resolve) => setTimeout(resolve, 5500));
    const text = await metrics();
    for (const line of [
      'assent_team_machines{state="seen"} 2',
      'assent_team_machines{state="silent"} 0',
      'assent_team_machines{state="waiting"} 0',
      'assent_team_machines{state="left"} 0',
      "assent_team_questions_waiting 0",
      'assent_team_policy_released_version{group="default"} 1',
      'assent_team_policy_machines{group="default",version="1"} 2',
      'assent_team_sign_ins_failed_total{by="link"} 1',
      "assent_team_database_errors_total 0",
    ])
      expect(text).toContain(`${line}\n`);
    // Each family once, with its help and type before its values; names and values as Prometheus reads them.
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = ""]) => name);
    expect(new Set(families).size).toBe(families.length);
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) assent_team_\w+ .+|assent_team_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? -?[\d.e+-]+)$/,
      );
  });
});
