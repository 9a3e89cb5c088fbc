import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type CallDecision,
  createGuard,
  type GuardAnswer,
  type GuardOptions,
  type GuardQuestion,
  probeSandbox,
  undoRun,
} from "@assent/library/sdk";
import { LocalBackend } from "@assent/library/sdk/compat";
import { here, type Here } from "../../cli/run-place.ts";

/** Commands of a backend behind a guard in code, supervised or confined: by the guard's policy, its principal and its answers. */

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

interface Made {
  readonly place: Here;
  readonly backend: LocalBackend;
  readonly asked: GuardQuestion[];
  readonly told: CallDecision[];
}

function made(options: GuardOptions, supervise: boolean | "unknown", answer?: GuardAnswer, place = here()): Made {
  const asked: GuardQuestion[] = [];
  const told: CallDecision[] = [];
  place.write("notes/plan.md", "PLAN");
  const guard = createGuard({
    cwd: place.project,
    home: place.home,
    env: { ...place.machine.env, OUT: place.outside },
    onDecision: (decision) => void told.push(decision),
    ...(answer === undefined ? {} : { onAsk: (question) => (asked.push(question), answer) }),
    ...options,
  });
  return { place, asked, told, backend: new LocalBackend({ root: place.project, guard, supervise }) };
}

const DEV = { role: "dev", user: "ann", tenant: "t1" };
const ALLOWED: GuardOptions["policy"] = {
  permissions: { allow: ["Bash(sh x.sh:*)", "Bash(cat:*)"], deny: [{ rule: "Read(notes/**)", when: { role: "dev" } }] },
};

describe("supervise: true", () => {
  it("every command runs by the guard's policy and principal, whatever the machine's files say", async () => {
    if (!supervised) return;
    for (const [principal, output] of [
      [DEV, "no\n"],
      [{ role: "boss" }, "PLANyes\n"],
    ] as const) {
      const { place, backend, told } = made({ policy: ALLOWED, principal }, true);
      place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Read(/**)"], "deny": ["Read(x.sh)"] } }');
      place.write("x.sh", "sh -c 'cat notes/plan.md' 2>/dev/null && echo yes || echo no");
      const ran = await backend.execute("sh x.sh");
      expect(ran).toMatchObject({ output, supervised: true, ended: "itself" });
      expect(ran.confined?.refused.length).toBe(principal === DEV ? 1 : 0);
      const inside = told.filter(({ confined, verdict }) => confined && verdict === "deny");
      expect(inside.map((decision) => [decision.principal, decision.rule?.text, decision.calls])).toEqual(
        principal === DEV ? [[DEV, "Read(notes/**)", [{ shell: "sh x.sh" }]]] : [],
      );
    }
  });

  it("is refused where the guard denies it, before anything starts", async () => {
    const { backend } = made({ policy: { permissions: { deny: ["Bash(sh x.sh:*)"] } } }, true);
    expect(await backend.execute("sh x.sh")).toMatchObject({ ended: "refused", supervised: false });
  });

  it("in the background, too", async () => {
    if (!supervised) return;
    const { place, backend } = made({ policy: ALLOWED, principal: DEV }, true);
    place.write("x.sh", "cat notes/plan.md 2>/dev/null || echo no");
    const started = await backend.start("sh x.sh");
    if (!("id" in started)) throw new Error(started.error);
    await expect.poll(() => backend.output(started.id)?.running, { timeout: 30_000 }).toBe(false);
    expect(backend.background()[0]?.confined?.refused).toHaveLength(1);
  });
});

describe('supervise: "unknown"', () => {
  it("what nobody can know goes ahead sandboxed, what is known runs as it is, what is denied does not run", async () => {
    if (!supervised) return;
    const { place, backend, told } = made({ policy: { permissions: { deny: ["Bash(rm:*)"] } }, principal: DEV }, "unknown");
    place.write("x.sh", 'echo made > made; echo x > "$OUT/x"');
    const ran = await backend.execute("sh x.sh");
    expect(ran).toMatchObject({
      supervised: true,
      ended: "itself",
      confined: { text: expect.stringMatching(/refused: .*write/) as unknown },
    });
    expect([existsSync(join(place.project, "made")), existsSync(join(place.outside, "x"))]).toEqual([true, false]);
    expect(told.map(({ verdict, answer, confined }) => [verdict, answer, confined])).toEqual([
      ["allow", undefined, true],
      ["ask", "nobody", true],
    ]);
    expect(await backend.execute("cat x.sh")).toMatchObject({ supervised: false, exitCode: 0 });
    expect(await backend.execute("rm x.sh")).toMatchObject({ ended: "refused" });
    // What it changed is kept, in the state folder of the guard's home.
    const undone = await undoRun(ran.confined?.run ?? "", { machine: place.machine });
    expect(undone.paths).toContain(join(place.project, "made"));
    expect(existsSync(join(place.project, "made"))).toBe(false);
  });

  it("the preset decides as ever: under readonly nothing is confined", async () => {
    const { place, backend } = made({ policy: "readonly" }, "unknown");
    place.write("x.sh", "true");
    expect(await backend.execute("sh x.sh")).toMatchObject({ ended: "refused" });
  });
});

describe("a question of a command that runs", () => {
  const WRITES = 'for n in 1 2; do echo $n > "$OUT/$n" && printf ok; done 2>/dev/null; echo';
  const ROWS: readonly (readonly [GuardAnswer, output: string, questions: number])[] = [
    [{ yes: "once" }, "okok\n", 2],
    [true, "okok\n", 2],
    [{ yes: "session" }, "okok\n", 1],
    [{ no: "not there" }, "\n", 2],
    [false, "\n", 2],
    ["later", "\n", 2],
    // What runs cannot be changed into something else.
    [{ yes: "once", call: { shell: "true" } }, "\n", 2],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as plain JavaScript gives it
    ["yes" as unknown as GuardAnswer, "\n", 2],
  ];
  it.each(ROWS)("%j is heard with its principal", async (answer, output, questions) => {
    if (!supervised) return;
    const { place, backend, asked, told } = made({ principal: DEV }, "unknown", answer);
    place.write("x.sh", WRITES);
    expect(await backend.execute("sh x.sh", { reason: "the tests need it" })).toMatchObject({ output, supervised: true });
    expect(asked).toHaveLength(questions);
    expect(asked[0]).toMatchObject({
      text: expect.stringMatching(/^(?:da|ba)?sh: write .*\/1/) as unknown,
      agentSays: "the tests need it",
      principal: DEV,
      calls: [{ shell: "sh x.sh" }],
      decision: { confined: true, verdict: "ask" },
    });
    const said =
      answer === "later" || (typeof answer === "object" && "call" in answer)
        ? "nobody"
        : typeof answer === "string"
          ? "failed"
          : output === "\n"
            ? "refused"
            : "allowed";
    const answers = told.flatMap((decision) => (decision.answer === undefined ? [] : [decision.answer]));
    expect(answers).toEqual(asked.map(() => said));
    // No answer stays on this machine.
    expect(readdirSync(join(place.home, ".local/state/assent")).filter((name) => name.includes("grant"))).toEqual([]);
  });

  it("that fails is a no", async () => {
    if (!supervised) return;
    const { place, backend } = made(
      {
        onAsk: () => {
          throw new Error("nobody is there");
        },
      },
      "unknown",
    );
    place.write("x.sh", WRITES);
    expect((await backend.execute("sh x.sh")).output).toBe("\n");
  });
});

describe("a guard and the log", () => {
  it("names the principal where it logs, and writes nothing where it does not", async () => {
    if (!supervised) return;
    for (const audit of [true, false]) {
      const { place, backend } = made({ principal: DEV, audit }, "unknown");
      place.write("x.sh", 'echo x > "$OUT/x"');
      await backend.execute("sh x.sh");
      const log = join(place.home, ".local/state/assent/audit.jsonl");
      const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
      const run = lines.filter((line) => line.includes('"point":"run"'));
      expect(run.length > 0).toBe(audit);
      for (const line of run) expect(line).toContain('"principal":{"user":"ann","tenant":"t1","role":"dev"');
    }
  });
});

describe("two guards at once", () => {
  it("each command runs by its own guard's policy", async () => {
    if (!supervised) return;
    const place = here();
    place.write("x.sh", "sleep 0.2; cat notes/plan.md 2>/dev/null || printf no");
    const principals = ["dev", "boss", "dev", "boss"];
    const outputs = await Promise.all(
      principals.map(
        async (role) => (await made({ policy: ALLOWED, principal: { role } }, true, undefined, place).backend.execute("sh x.sh")).output,
      ),
    );
    expect(outputs).toEqual(["no", "PLAN", "no", "PLAN"]);
  });
});

describe("a hook and a guard inside", () => {
  it("are answered by the guard's policy, and not by the machine's", async () => {
    if (!supervised) return;
    const bin = join(import.meta.dirname, "../../../dist/bin.cjs");
    const library = join(import.meta.dirname, "../../../dist/compat.mjs");
    const verdicts: string[] = [];
    for (const principal of [DEV, { role: "boss" }]) {
      const { place, backend } = made({ policy: ALLOWED, principal }, true);
      place.write("~/.agent-permissions.jsonc", '{ "permissions": { "allow": ["Read(/**)"], "deny": ["Read(x.sh)"] } }');
      const call = { hook_event_name: "PreToolUse", session_id: "s", cwd: place.project, tool_name: "Read", tool_use_id: "t" };
      place.write("call.json", JSON.stringify({ ...call, tool_input: { file_path: join(place.project, "notes/plan.md") } }));
      place.write(
        "g.mjs",
        `import { openGuard } from ${JSON.stringify(library)}; console.log(openGuard().decide({ operation: "read", path: "notes/plan.md" }).decision);`,
      );
      place.write("x.sh", `"${process.execPath}" "${bin}" check --agent claude < call.json; "${process.execPath}" g.mjs`);
      verdicts.push((await backend.execute("sh x.sh")).output);
    }
    const [dev = "", boss = ""] = verdicts;
    expect(dev).toMatch(/"permissionDecision":"deny".*Read\(notes\/\*\*\)[^]*\ndeny\n$/);
    expect(boss).not.toMatch(/deny|ask/);
    expect(boss).toMatch(/allow\n$/);
  });
});

describe("shadow", () => {
  it("stops nothing, and says what it would have", async () => {
    const { place, backend, told } = made({ shadow: true, policy: { permissions: { deny: ["Bash(sh x.sh:*)"] } } }, true);
    place.write("x.sh", "echo ran");
    expect(await backend.execute("sh x.sh")).toMatchObject({ output: "ran\n", supervised: false });
    expect(told.map(({ verdict, shadow }) => [verdict, shadow])).toEqual([["deny", true]]);
  });
});
