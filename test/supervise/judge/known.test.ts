import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { read } from "@assent/guard/engine/reader";
import { NO_TOOL_SERVICE } from "../../../packages/supervisor/src/supervise/services/services.ts";
import { RunJudge } from "../../../packages/supervisor/src/supervise/judge/run-judge.ts";

const nobody = {
  programs: () => [],
  logins: () => [],
  trail: () => undefined,
  toolService: () => NO_TOOL_SERVICE,
  builds: () => [],
  hosts: () => ({ service: [], named: [] }),
};
let scratch = "";

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "assent-known-")));
  for (const folder of ["home/proj/src", "home/.local/state/assent/runs"]) mkdirSync(join(scratch, folder), { recursive: true });
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function judge(policy: object): { readonly judge: RunJudge; readonly project: string; readonly profile: string } {
  const home = join(scratch, "home");
  const file = join(scratch, "policy.jsonc");
  const profile = join(scratch, "profile.jsonc");
  writeFileSync(file, JSON.stringify(policy));
  const options = {
    machine: {
      home,
      env: { HOME: home, PATH: "/usr/bin:/bin" },
      platform: "linux",
      uid: 1000,
      temp: [join(scratch, "tmp")],
      managedPolicy: join(scratch, "none.jsonc"),
    },
    cwd: join(home, "proj"),
    env: {},
    policyFiles: [file],
    profileFile: profile,
    reader: () => ({ read }),
    own: [],
  };
  return { judge: new RunJudge(options), project: join(home, "proj"), profile };
}

const said = (by: RunJudge, path: string, operation: "read" | "list" = "read"): string => {
  const call = { name: "open", args: [path, "read"] } as const;
  return by.call([{ kind: "file", operation, target: { kind: "path", path }, origin: { by: "tool" }, call }], nobody).decision;
};

it("a written question holds where a run takes a file for no secret", () => {
  const file = join(scratch, "tmp/ca.pem");
  expect(said(judge({}).judge, file)).toBe("allow");
  expect(said(judge({ permissions: { ask: ["Read"] } }).judge, file)).toBe("ask");
});

it("a name is known once one of its kind was judged", () => {
  const { judge: by, project } = judge({});
  expect(by.known("read", `${project}/src/one.ts`)).toBeUndefined();
  expect(said(by, `${project}/src/one.ts`)).toBe("allow");
  expect(by.known("read", `${project}/src/one.ts`)?.decision).toBe("allow");
  expect(by.known("read", `${project}/src/two.ts`)?.decision).toBe("allow");
  expect(by.known("list", `${project}/src/two.ts`)).toBeUndefined();
});

it.each([
  "src/.env",
  ".env",
  "../.ssh/id_rsa",
  "../.local/state/assent/runs/20260101-000000/journal.jsonl",
  "../.local/state/assent/questions/q",
])("what is not allowed is never known: %s", (name) => {
  const { judge: by, project } = judge({});
  const path = join(project, name);
  for (const operation of ["read", "list"] as const) {
    said(by, `${path}x`, operation);
    const verdict = said(by, path, operation);
    if (verdict !== "allow") expect(by.known(operation, path)).toBeUndefined();
  }
  expect(said(by, path)).not.toBe("allow");
});

it("a rule that is written meanwhile ends what was known", () => {
  const { judge: by, project, profile } = judge({});
  const path = `${project}/src/one.ts`;
  said(by, path);
  expect(by.known("read", path)?.decision).toBe("allow");
  writeFileSync(profile, JSON.stringify({ permissions: { deny: [`Read(${project}/src/*.ts)`] } }));
  by.reload();
  expect(by.known("read", path)).toBeUndefined();
  expect(said(by, path)).toBe("deny");
  expect(by.known("read", path)).toBeUndefined();
});

it("a policy file in a folder that nobody was in before speaks at once", () => {
  const { judge: by, project } = judge({});
  said(by, `${project}/src/one.ts`);
  mkdirSync(`${project}/src/sub`);
  writeFileSync(`${project}/src/sub/.agent-permissions.jsonc`, JSON.stringify({ permissions: { deny: ["Read(**/closed.ts)"] } }));
  expect(by.known("read", `${project}/src/sub/closed.ts`)).toBeUndefined();
  expect(said(by, `${project}/src/sub/closed.ts`)).toBe("deny");
});
