import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assent, scratch, type Scratch } from "../scratch.ts";

// A server of the person's on this machine: one answer for all programs that reach it, by a hook and in a run.

/** In a process of its own: a test waits for what it starts. */
const SERVER = `
const server = require("node:net").createServer((socket) => socket.on("error", () => {}).end("+OK\\r\\n"));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;
let server: ChildProcess;
let port = 0;
beforeAll(async () => {
  server = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  port = await new Promise<number>((resolve) => server.stdout?.once("data", (text) => resolve(Number(text))));
});
afterAll(() => void server.kill());

const hasProgram = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

interface Row {
  readonly program: string;
  readonly line: (port: number) => string;
}

const ROWS: readonly Row[] = [
  { program: "curl", line: (at) => `curl -s -m 5 http://localhost:${at}/` },
  { program: "curl", line: (at) => `curl -s -m 5 127.0.0.1:${at}` },
  { program: "psql", line: (at) => `psql -h localhost -p ${at} -c 'select 1'` },
  { program: "psql", line: (at) => `psql --port=${at} --host 127.0.0.1 -c 'select 1'` },
  { program: "psql", line: (at) => `psql postgresql://localhost:${at}/db -c 'select 1'` },
  { program: "psql", line: (at) => `psql 'host=localhost port=${at}' -c 'select 1'` },
  { program: "nc", line: (at) => `nc -w 1 localhost ${at}` },
  { program: "nc", line: (at) => `nc -z 127.0.0.1 ${at}` },
  { program: "redis-cli", line: (at) => `redis-cli -h localhost -p ${at} ping` },
  { program: "redis-cli", line: (at) => `redis-cli -p ${at} -h 127.0.0.1 ping` },
];

const decides = (place: Scratch, line: string): string => assent(place, ["explain", line]).stdout;
const allows = (place: Scratch): void => void assent(place, ["allow", "--yes", `Net(localhost:${port})`]);

describe("a server of the person's on this machine", () => {
  it.each(ROWS)("by a hook: $program $line", ({ line }) => {
    const place = scratch();
    expect(decides(place, line(port))).toMatch(
      new RegExp(`^ask .*\\nwhy +(?:fetch|connect to) \\S*:${port}\\S*: by default you are asked`),
    );
    allows(place);
    expect(decides(place, line(port))).toMatch(/^allow /);
    expect(decides(place, line(port + 1))).toMatch(/^ask /);
  });

  it.each([
    "psql 'postgresql://localhost:PORT/db?host=db.example' -c 'select 1'",
    "psql 'postgresql://localhost:PORT/db?port=99&host=db.example' -c 'select 1'",
    "psql 'postgresql://localhost:PORT/db?port=99' -c 'select 1'",
    "psql 'postgresql://localhost:PORT/db?%68ost=db.example' -c 'select 1'",
    "psql -d 'postgresql://localhost:PORT/db?sslmode=disable&hostaddr=192.0.2.1' -c 'select 1'",
    "psql 'host=localhost port=99' -p PORT -c 'select 1'",
    "psql -h localhost -p PORT -p 99 -c 'select 1'",
    "psql -h localhost -p $P -c 'select 1'",
    "psql -h db.example -p PORT -c 'select 1'",
    "psql -h localhost -c 'select 1'",
    "nc localhost PORT-9999",
    "nc -l localhost PORT",
    "nc 127.0.0.2 PORT",
    "nc localhost.example PORT",
    "nc -x localhost:PORT db.example 80",
    "redis-cli -h db.example -p PORT ping",
    "redis-cli -h localhost ping",
    "curl http://localhost:PORT@db.example/",
  ])("a rule for it opens nothing else: %s", (line) => {
    const place = scratch();
    allows(place);
    expect(decides(place, line.replace("PORT", String(port)))).not.toMatch(/^allow /);
  });

  it.each(ROWS.filter(({ program }) => hasProgram(program)))("in a run, by a program of the project: $program $line", ({ line }) => {
    const place = scratch();
    const script = join(place.project, "client.mjs");
    writeFileSync(script, `import { spawnSync } from "node:child_process"; spawnSync("sh", ["-c", ${JSON.stringify(line(port))}]);\n`);
    chmodSync(script, 0o755);
    const run = (): string => assent(place, ["run", "-P", "--", process.execPath, script]).stderr;
    const refused = run();
    expect(refused).toContain(`refused: connect to localhost:${port}`);
    // The way out, as it is printed.
    const [, rule = ""] = /to allow it: assent allow '([^']*)'/.exec(refused) ?? [];
    assent(place, ["allow", "--yes", rule]);
    expect(run()).not.toContain("refused: connect");
    expect(decides(place, line(port))).toMatch(/^allow /);
  });

  it.runIf(hasProgram("psql"))("typed, it needs no rule, though Debian's psql is started by another program", () => {
    const { stderr } = assent(scratch(), ["run", "-P", "--", "psql", "-h", "localhost", "-p", String(port), "-c", "select 1"]);
    expect(stderr).not.toContain("refused: connect");
  });
});
