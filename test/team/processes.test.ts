import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { end, ended, freePort, serve, type Serving, until } from "./harness/processes.ts";

/** The real thing: the command that people type, processes that are killed, machines with homes of their own. */

const status = (machine: Scratch) => {
  const { stdout } = assent(machine, ["team", "status", "--json"]);
  return (
    JSON.parse(stdout) as {
      team: { unsent: number; machine: string; server: { head?: { epoch: number; seq: number; hash: string }; forks?: number } };
    }
  ).team;
};
const decide = (machine: Scratch, ...commands: readonly string[]): void => {
  for (const command of commands) {
    const call = { tool: "shell", input: { command }, cwd: machine.project, session: "s1" };
    expect(assent(machine, ["check", "--agent", "generic"], JSON.stringify(call)).stdout).toContain("decision");
  }
};

/** Types the code of a machine as an administrator does. */
async function letIn(origin: string, cookie: string, code: string): Promise<void> {
  const answer = await fetch(`${origin}/confirm`, { method: "POST", headers: { origin, cookie }, body: new URLSearchParams({ code }) });
  expect(await answer.text()).toContain("was let in");
}

async function signIn(serving: Serving): Promise<{ origin: string; cookie: string }> {
  const origin = `http://127.0.0.1:${serving.port}`;
  const [, key = ""] = /\/enter#([\w-]{43})/.exec(serving.said()) ?? [];
  const answer = await fetch(`${origin}/enter`, {
    method: "POST",
    redirect: "manual",
    headers: { origin },
    body: new URLSearchParams({ key }),
  });
  expect(answer.status).toBe(303);
  return { origin, cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

async function joinTeam(machine: Scratch, at: { origin: string; cookie: string }): Promise<void> {
  const child = spawn(process.execPath, [join(DIST, "bin.cjs"), "team", "join", at.origin, "--name", "box", "--json"], {
    cwd: machine.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: machine.home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (part: Buffer) => (said += part.toString()));
  await until(() => said.includes('"code":"'));
  await letIn(at.origin, at.cookie, /"code":"([\w-]+)"/.exec(said)?.[1] ?? "");
  await ended(child);
  expect(child.exitCode).toBe(0);
}

const postgres = inject("postgres");
const name = `p_${randomBytes(8).toString("hex")}`;
const KINDS = [
  { kind: "embedded", processes: 1 },
  { kind: "PostgreSQL", processes: 3 },
] as const;

async function asked(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe.each(KINDS)("$kind, $processes at once", ({ kind, processes }) => {
  describe.skipIf(kind === "PostgreSQL" && postgres === "")("a team", () => {
    const host = scratch({ keep: true });
    const words = kind === "embedded" ? [] : ["--database", postgres.replace("/postgres?", `/${name}?`)];
    let servers: Serving[] = [];
    let admin: { origin: string; cookie: string };
    beforeAll(async () => {
      if (kind === "PostgreSQL") await asked(`create database ${name}`);
      const ports = await Promise.all(Array.from({ length: processes }, freePort));
      servers = await Promise.all(ports.map((port) => serve(host, port, ...words)));
      admin = await signIn(servers[0]!);
    }, 120_000);
    afterAll(async () => {
      for (const one of servers) await end(one, "SIGKILL");
      if (kind === "PostgreSQL") await asked(`drop database if exists ${name} with (force)`);
    });

    it("has what a machine decided, once, though a server is killed; and a copy of the machine shows", async () => {
      const machine = scratch();
      decide(machine, "echo before it joined");
      await joinTeam(machine, admin);
      const file = join(machine.home, ".local/state/assent/team-member/membership.json");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { token } = JSON.parse(readFileSync(file, "utf8")) as { token: string };
      expect(JSON.parse(assent(machine, ["explain", "--json", `cat ${file}`]).stdout)).toMatchObject({ verdict: "deny" });
      expect(status(machine)).toMatchObject({ unsent: 0, server: { forks: 0 } });

      decide(machine, "git status", "rm -rf ~", "ls");
      expect(assent(machine, ["team", "send"])).toMatchObject({ status: 0, stderr: "3 records sent\n" });
      expect(assent(machine, ["team", "send"]).stderr).toBe("0 records sent\n");
      // Killed without a word, and away.
      await end(servers[0], "SIGKILL");
      decide(machine, "git log");
      const away = assent(machine, ["team", "send"]);
      expect([away.status, away.stderr]).toEqual([1, expect.stringContaining("the server is away")]);
      servers[0] = await serve(host, servers[0]!.port, ...words);
      expect(assent(machine, ["team", "send"]).stderr).toBe("1 record sent\n");
      // As if it had been killed before it noted down what the server had said.
      const copy = scratch();
      cpSync(machine.home, copy.home, { recursive: true });
      const sent = JSON.parse(readFileSync(join(file, "../sent.json"), "utf8")) as { marks: unknown[] };
      copy.write(join(copy.home, ".local/state/assent/team-member/sent.json"), JSON.stringify({ ...sent, marks: sent.marks.slice(0, 1) }));
      expect(assent(copy, ["team", "send"]).stderr).toBe("4 records sent\n");
      expect(status(machine)).toMatchObject({ unsent: 0, server: { head: { epoch: 1, seq: 4 }, forks: 0 } });
      const heads = await Promise.all(
        servers.map(async ({ port }) => {
          const answer = await fetch(`http://127.0.0.1:${port}/v1/machine`, { headers: { authorization: `Bearer ${token}` } });
          return answer.json();
        }),
      );
      expect(heads).toEqual(heads.map(() => expect.objectContaining({ head: status(machine).server.head }) as unknown));

      // The copy goes its own way.
      decide(machine, "pwd");
      decide(copy, "whoami");
      expect(assent(machine, ["team", "send"]).stderr).toBe("1 record sent\n");
      const forked = assent(copy, ["team", "send"]);
      expect([forked.status, forked.stderr]).toEqual([
        0,
        expect.stringMatching(/other records of this machine from 5 on[^]*1 record sent/),
      ]);
      expect(status(machine)).toMatchObject({ server: { head: { epoch: 2, seq: 1 }, forks: 1 } });

      expect(assent(machine, ["team", "leave"]).status).toBe(0);
      expect(existsSync(file)).toBe(false);
      expect(assent(machine, ["team", "status", "--json"]).stdout).toBe('{"v":1,"team":null,"joining":null}\n');
      const late = assent(copy, ["team", "send"]);
      decide(copy, "date");
      expect([late.status, assent(copy, ["team", "send"]).stderr]).toEqual([
        1,
        expect.stringContaining("does not know this machine any more"),
      ]);
    }, 240_000);

    it("stops in order", async () => {
      await end(servers[0], "SIGTERM");
      expect([servers[0]!.process.exitCode, servers[0]!.said()]).toEqual([0, expect.stringContaining('"event":"stopped"')]);
      servers[0] = await serve(host, servers[0]!.port, ...words);
      // Somebody has come in before: no link is left in the logs of each start.
      expect(servers[0].said()).not.toContain("/enter#");
    }, 120_000);

    it.runIf(kind === "embedded")("one process has the folder, and a second one is told which", async () => {
      const { status: code, stderr } = assent(host, ["team", "serve", "--listen", "127.0.0.1:0"]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`process ${servers[0]!.process.pid}, at 127.0.0.1:${servers[0]!.port}`)]);
    });
  });
});

describe("wrong use", () => {
  it.each<[string, readonly string[], number, string]>([
    ["an address that is none", ["join", "example.com"], 2, "is not an address"],
    ["a token that would travel in clear", ["join", "http://example.com"], 2, "is not encrypted"],
    ["an address with a path", ["join", "https://example.com/x"], 2, "has a path"],
    ["a password in an address", ["join", "https://a:b@example.com"], 2, "holds a password"],
    ["a server that is not there", ["join", "http://127.0.0.1:1"], 1, "ECONNREFUSED"],
    ["sending without a team", ["send"], 1, "belongs to no team"],
    ["leaving without a team", ["leave"], 1, "belongs to no team"],
    ["half a certificate", ["serve", "--tls-cert", "/etc/hostname"], 2, "belong together"],
    ["listening beyond the machine without a certificate", ["serve", "--listen", "0.0.0.0:0"], 1, "without a certificate"],
    ["an address to listen at that is none", ["serve", "--listen", "x"], 1, "is not an address of a server"],
    [
      "a database that is not there",
      ["serve", "--listen", "127.0.0.1:0", "--database", "postgres://127.0.0.1:1/x"],
      1,
      "the database cannot be used",
    ],
    ["an address for people with a path", ["serve", "--listen", "127.0.0.1:0", "--url", "https://x/y"], 1, "without a path"],
  ])("%s", (_, words, code, says) => {
    const { status: got, stderr } = assent(scratch(), ["team", ...words]);
    expect([got, stderr]).toEqual([code, expect.stringContaining(says)]);
  });
});
