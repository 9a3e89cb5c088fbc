import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { probeSandbox } from "@assent/library/sdk";
import {
  createConsoleToolset,
  LocalBackend,
  mayRunOutside,
  presets,
  SessionApprovals,
  type AskQuestion,
  type LocalBackendOptions,
  type Ruleset,
} from "@assent/library/sdk/compat";
import { scratch, type Scratch } from "../scratch.ts";

/** `supervise: true`: what a command really does is judged, whatever its words promised (CW5, YW9). */

const backendIn = (place: Scratch, options: Partial<LocalBackendOptions> = {}): LocalBackend =>
  new LocalBackend({
    root: place.project,
    permissions: presets.default,
    machine: place.machine,
    audit: false,
    env: { ...place.machine.env },
    supervise: true,
    onAsk: () => true,
    ...options,
  });

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

describe("commands under supervision", () => {
  it("do their work, with their output and exit code", async () => {
    const place = scratch();
    const run = await backendIn(place).execute("echo new > a && cat a && exit 3");
    expect(run).toMatchObject(supervised ? { exitCode: 3, output: "new\n", supervised: true } : { exitCode: 1, ended: "refused" });
  });

  it("do nothing that only shows when they run", async () => {
    const place = scratch();
    const program = `import os;os.system("echo evil >> ~/.bashrc; cat ~/.ssh/id_rsa");open(os.path.expanduser("~/.bashrc"),"a").write("evil")`;
    place.write("x.py", program);
    place.write("~/.bashrc", "good\n");
    place.write("~/.ssh/id_rsa", "SECRET");
    const run = await backendIn(place).execute("python3 x.py");
    expect(run.exitCode).not.toBe(0);
    expect(run.output).not.toContain("SECRET");
    expect(readFileSync(join(place.home, ".bashrc"), "utf8")).toBe("good\n");
  });

  it("keep the ruleset's own rules", async () => {
    const place = scratch();
    place.write("private/a", "SECRET");
    place.write("x.py", `print(open("private/a").read())`);
    const permissions = { preset: "permissive", read: { rules: [{ pattern: "private/**", action: "deny" }] } } as const;
    const run = await backendIn(place, { permissions }).execute("python3 x.py");
    expect(run.output).not.toContain("SECRET");
  });

  it("end with the timeout", async () => {
    const place = scratch();
    const run = await backendIn(place, { permissions: presets.permissive }).execute("sleep 60; touch late", { timeout: 3000 });
    expect(run).toMatchObject(supervised ? { exitCode: 124, ended: "timeout" } : { exitCode: 1 });
    expect(existsSync(join(place.project, "late"))).toBe(false);
  });
});

/** Folders for temporary files are a run's own, and the tests lie in one: a rule asks. */
const ASKS: Ruleset = { preset: "default", write: { rules: [{ pattern: "**/outside.txt", action: "ask" }] } };

function asking(options: Partial<LocalBackendOptions> = {}): { readonly place: Scratch; readonly backend: LocalBackend } {
  const place = scratch();
  place.write("w.py", 'open("../outside.txt", "w").write("x")\n');
  return { place, backend: backendIn(place, { permissions: ASKS, ...options }) };
}

describe("what only shows when a command runs", () => {
  const WRITES = "python3 w.py";

  it("is asked about, and goes ahead or not, in the background too", async () => {
    if (!supervised) return;
    for (const answer of [true, false]) {
      const asked: AskQuestion[] = [];
      const onAsk = (question: AskQuestion): boolean => {
        asked.push(question);
        return question.operation === "execute" || answer;
      };
      const { place, backend } = asking({ onAsk });
      const run = await backend.execute(`${WRITES}; echo done`);
      expect(run.output).toMatch(/done/);
      expect(asked.map(({ operation }) => operation)).toEqual(["execute", "write"]);
      expect(asked[1]).toMatchObject({ target: expect.stringMatching(/^python3.*outside\.txt/) as unknown, verdict: { decision: "ask" } });
      expect(existsSync(join(place.home, "outside.txt"))).toBe(answer);
      const started = await backend.start(`echo one; ${WRITES}; sleep 60`);
      const { id } = "id" in started ? started : { id: "" };
      await expect.poll(() => asked.length).toBe(4);
      let output = "";
      await expect.poll(() => (output += backend.output(id)?.output ?? "")).toMatch(/^one\n/);
      await backend.kill(id);
      expect(backend.background()).toMatchObject([{ running: false }]);
    }
  });

  it("is not answered by the command itself", async () => {
    if (!supervised) return;
    const place = scratch();
    // What answers a question is a file: neither this run's nor another's can be written.
    place.write(
      "x.py",
      `import glob, json, os, threading, time
def answer():
  for _ in range(100):
    for d in glob.glob(os.path.expanduser("~/.local/state/assent/library-*/questions")) + glob.glob("/tmp/assent-ruleset-*/questions"):
      try: open(d + "/response.json", "w").write(json.dumps({"seq": 1, "action": "approve"})); print("answered")
      except OSError: pass
    time.sleep(0.02)
threading.Thread(target=answer, daemon=True).start()
try: open("../outside.txt", "w")
except OSError: print("refused")
`,
    );
    let asked = 0;
    const onAsk = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 1) return true;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return false;
    };
    const { output } = await backendIn(place, { onAsk, permissions: ASKS }).execute("python3 x.py");
    // Whoever reads it learns why.
    expect(output).toMatch(/^refused\nassent: refused: write .*response\.json.*: it changes what Assent remembers/);
    expect(output).not.toContain("answered");
    expect(existsSync(join(place.home, "outside.txt"))).toBe(false);
  });

  it("ends with the command, whatever group it has gone to", async () => {
    if (!supervised) return;
    const place = scratch();
    const mark = `60.${process.pid}`;
    const run = backendIn(place, { permissions: presets.permissive }).execute(
      `setsid sleep ${mark} & trap '' TERM; sleep ${mark}; sleep ${mark}`,
      {
        timeout: 1500,
      },
    );
    expect(await run).toMatchObject({ exitCode: 124, ended: "timeout" });
    const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(left.split("\n").filter((line) => line === `sleep ${mark}`)).toEqual([]);
  });
});

describe("C15 a command that did not get through supervision", () => {
  const FAILS = "python3 w.py";

  it("runs outside only after an approval of its own", async () => {
    for (const yes of [true, false]) {
      const asked: string[] = [];
      const onAsk = ({ question }: AskQuestion): boolean => {
        asked.push(question);
        // The command may run, what it does is refused, and then comes the question.
        return asked.length === 1 || (question.includes("outside nothing") && yes);
      };
      const { place, backend } = asking({ onAsk, outside: "ask" });
      const run = await backend.execute(FAILS);
      expect(asked.at(-1)).toMatch(/^execute python3 w.py.*outside nothing but its words is judged/);
      expect(asked).toHaveLength(supervised ? 3 : 2);
      expect(run).toMatchObject(yes ? { exitCode: 0, supervised: false, outside: true } : { exitCode: 1 });
      expect("outside" in run).toBe(yes);
      expect(existsSync(join(place.home, "outside.txt"))).toBe(yes);
    }
  });

  it("is never run outside silently: not by default, not by a dialogue's earlier yes, not where a rule denies it", async () => {
    const asked: string[] = [];
    const { place, backend: quiet } = asking({ onAsk: ({ question }) => asked.push(question) === 1 });
    expect(await quiet.execute(FAILS)).toMatchObject({ exitCode: 1 });
    expect(asked.filter((question) => question.includes("outside nothing"))).toEqual([]);
    // Nobody can be asked: an SDK's own yes was for the run under supervision.
    const { machine, project: root } = place;
    const backend = new LocalBackend({
      root,
      machine,
      permissions: ASKS,
      audit: false,
      env: { ...machine.env },
      supervise: true,
      outside: "ask",
    });
    const tool = createConsoleToolset(backend).find(({ name }) => name === "execute");
    await tool?.execute({ command: FAILS }, { approved: true });
    expect(existsSync(join(place.home, "outside.txt"))).toBe(false);
    expect(await backend.executeOutside(FAILS)).toMatchObject({ exitCode: 1, ended: "refused" });
    const strict = backendIn(place, { outside: "ask", permissions: { execute: { rules: [{ pattern: "python3*", action: "deny" }] } } });
    expect(await strict.executeOutside(FAILS)).toMatchObject({
      ended: "refused",
      output: expect.stringMatching(/a rule denies it/) as unknown,
    });
    expect(existsSync(join(place.home, "outside.txt"))).toBe(false);
  });

  it("is asked for by canAutoApprove's callers, too", async () => {
    const place = scratch();
    const approvals = new SessionApprovals();
    const argv = ["weird", "--now"];
    approvals.add(argv, place.project);
    const asked: string[] = [];
    const options = { workdir: place.project, policy: "full-auto", machine: place.machine, approvals, failure: "exit code 1" } as const;
    const answer = (yes: boolean) => (question: AskQuestion) => asked.push(question.question) > 0 && yes;
    expect(await mayRunOutside(argv, { ...options, onAsk: answer(true) })).toBe(true);
    expect(await mayRunOutside(argv, { ...options, onAsk: answer(false) })).toBe(false);
    expect(await mayRunOutside(["rm", "-rf", "/"], { ...options, onAsk: answer(true) })).toBe(false);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^execute weird --now\? it did not get through the sandbox \(exit code 1\)/);
  });
});
