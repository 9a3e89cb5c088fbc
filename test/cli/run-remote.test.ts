import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { announceApprover, answerQuestion, choicesOf, openQuestions } from "@assent/guard/approve/queue";
import { announceTeam, knownRemote, noteAnswer, openLedger } from "@assent/team/team/remote";
import { DIST } from "../scratch.ts";
import { here, type Here } from "./run-place.ts";

/** Questions of `assent run`, on a machine whose team may answer: what carries them is this test. */

type Asked = ReturnType<typeof knownRemote>[number]["asked"];

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly said: string }>;
}

/** A run that nobody sits at. */
function start(place: Here, script: string, ...options: readonly string[]): Started {
  return startWith({}, place, script, ...options);
}

function startWith(env: Readonly<Record<string, string>>, place: Here, script: string, ...options: readonly string[]): Started {
  place.script(script);
  const child = spawn("setsid", ["-w", process.execPath, join(DIST, "bin.cjs"), "run", ...options, "--", "sh", "s.sh"], {
    cwd: place.project,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, NO_COLOR: "1", OUT: place.outside, ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return { child, ended: once(child, "close").then(([status]: (number | null)[]) => ({ status: status ?? null, said })) };
}

function world(answers: (place: Here) => readonly string[], more: (place: Here) => object = () => ({})): Here {
  const place = here();
  place.write("~/.agent-permissions.jsonc", JSON.stringify({ team: { answers: answers(place) }, ...more(place) }));
  openLedger(place.machine);
  const there = announceTeam(place.machine);
  onTestFinished(() => there.close());
  return place;
}
const outside = (place: Here): readonly string[] => [`Write(${place.outside}/**)`];

/** Waits until so many were asked, the oldest first. */
async function asked(place: Here, count = 1): Promise<readonly Asked[]> {
  for (const last = performance.now() + 60_000; ;) {
    const known = knownRemote(place.machine);
    if (known.length >= count) return known.map((one) => one.asked);
    if (performance.now() > last) throw new Error("nothing is asked");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
async function first(place: Here): Promise<Asked> {
  const [one] = await asked(place);
  if (one === undefined) throw new Error("nothing is asked");
  return one;
}
const say = (place: Here, { id, request }: Asked, answer: "allow" | "deny", ...by: string[]) =>
  noteAnswer(place.machine, { id, request, answer, by: by.length === 0 ? ["Ada"] : by }, Date.now());
const log = (place: Here): string => readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8");

describe("what a run asks, the policy lets people of the team answer", () => {
  it("the call waits, a yes lets it through, and the name is in the log", async () => {
    const place = world(outside);
    const { ended } = start(place, 'echo 1 > "$OUT/f"');
    const question = await first(place);
    expect(question.about).toMatchObject({ point: "run", folder: "~/project" });
    expect(question.about.what).toContain("/f");
    expect(existsSync(join(place.outside, "f"))).toBe(false);
    expect(say(place, question, "allow")).toBe("applied");
    expect((await ended).status).toBe(0);
    expect(readFileSync(join(place.outside, "f"), "utf8")).toBe("1\n");
    expect(log(place)).toContain('"answeredBy":"team: Ada"');
  });

  it("a no refuses it, and whoever runs it again is told again", async () => {
    const place = world(outside);
    const once = start(place, 'echo 1 > "$OUT/f"');
    say(place, await first(place), "deny");
    expect((await once.ended).status).not.toBe(0);
    expect((await start(place, 'echo 1 > "$OUT/f"').ended).status).not.toBe(0);
    expect(knownRemote(place.machine)).toHaveLength(1);
    expect(existsSync(join(place.outside, "f"))).toBe(false);
  });

  it("nobody answers in time: refused, and a later yes lets the very same through, once", async () => {
    const place = world(outside);
    const { status, said } = await start(place, 'echo 1 > "$OUT/f"', "--wait", "1s").ended;
    expect(status).not.toBe(0);
    expect(said).toContain("asked, waiting");
    expect(say(place, await first(place), "allow")).toBe("applied");
    expect((await start(place, 'echo 1 > "$OUT/g"', "--wait", "1s").ended).status).not.toBe(0);
    expect((await start(place, 'echo 1 > "$OUT/f"', "--wait", "1s").ended).status).toBe(0);
    expect((await start(place, 'echo 1 > "$OUT/f"', "--wait", "1s").ended).status).not.toBe(0);
  });

  // Without the policy the first would wait two minutes, and without `--wait` the second an hour: longer than a test may take.
  it.each<[string, object, readonly string[]]>([
    ["the policy says how long", { wait: "1s" }, []],
    ["the first that speaks of it counts", { rules: ["Write(**)"], wait: "1s" }, []],
    ["no longer than its person says", { wait: "1h" }, ["--wait", "1s"]],
    ["no longer than the policy says", { wait: "0s" }, ["--wait", "30m"]],
  ])("%s, and a later yes lets the very same through, once", async (_, wait, options) => {
    const waits = [{ rules: ["Bash(nothing:*)"], wait: "1h" }, wait, { wait: "1h" }];
    const place = world(outside, (of) => ({ team: { answers: outside(of), waits } }));
    const run = (file: string): Started["ended"] => start(place, `echo 1 > "$OUT/${file}"`, ...options).ended;
    expect((await run("f")).said).toContain("asked, waiting");
    expect(say(place, await first(place), "allow")).toBe("applied");
    expect((await run("g")).status).not.toBe(0);
    expect((await run("f")).status).toBe(0);
    expect((await run("f")).status).not.toBe(0);
  });

  it("two that are alike at once need a yes each", async () => {
    const place = world(outside);
    // What a run has made by a yes is its own; this was there before.
    writeFileSync(join(place.outside, "f"), "");
    const { ended } = start(place, '(echo 1 >> "$OUT/f") & (echo 1 >> "$OUT/f") & wait');
    const questions = await asked(place, 2);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(2);
    say(place, questions[0]!, "allow");
    say(place, questions[1]!, "deny");
    await ended;
    expect(readFileSync(join(place.outside, "f"), "utf8")).toBe("1\n");
  });

  it("where two have to say yes, one does nothing", async () => {
    const place = world(outside, (of) => ({ team: { answers: outside(of), twoPeople: outside(of) } }));
    const { ended } = start(place, 'echo 1 > "$OUT/f"');
    const question = await first(place);
    expect(question.people).toBe(2);
    expect(say(place, question, "allow", "Ada", "Ada")).toBe("refused");
    expect(say(place, question, "allow", "Ada", "Grace")).toBe("applied");
    expect((await ended).status).toBe(0);
    expect(log(place)).toContain("team: Ada and Grace");
  });

  it("a program that is to start", async () => {
    const place = world(
      () => ["Bash(touch:*)"],
      () => ({ permissions: { ask: ["Bash(touch:*)"] }, team: { answers: ["Bash(touch:*)"] } }),
    );
    const { ended } = start(place, "touch made");
    const question = await first(place);
    expect(question.about.what).toContain("touch made");
    say(place, question, "allow");
    expect((await ended).status).toBe(0);
    expect(existsSync(join(place.project, "made"))).toBe(true);
  });

  it("whoever is here may be faster, and then the team's yes is too late", async () => {
    const place = world(outside);
    const there = announceApprover(place.machine, "page");
    onTestFinished(() => there.close());
    const { ended } = start(place, 'echo 1 > "$OUT/f"');
    const question = await first(place);
    for (;;) {
      const [open] = openQuestions(place.machine);
      if (open !== undefined && answerQuestion(place.machine, open.id, { answer: "deny", scope: "once" }, "page").is === "taken") break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await ended).status).not.toBe(0);
    expect(say(place, question, "allow")).toBe("late");
  });

  it.each([
    ["that an agent started: the word of a no is offered, and stands in what the run prints", { CLAUDECODE: "1" }, true],
    ["that a person started: none is offered", {}, false],
  ])("a run %s", async (_, env, isHeard) => {
    const place = here();
    const there = announceApprover(place.machine, "page");
    onTestFinished(() => there.close());
    const { ended } = startWith(env, place, 'echo 1 > "$OUT/f"');
    let open = openQuestions(place.machine)[0];
    for (; open === undefined; open = openQuestions(place.machine)[0]) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(choicesOf(open).map(({ key }) => key)).toEqual([..."yrmtpn", ...(isHeard ? "w" : ""), ..."N?q"]);
    answerQuestion(place.machine, open.id, { answer: "deny", scope: "once", ...(isHeard ? { note: "use the copy" } : {}) }, "page");
    const { said } = await ended;
    if (isHeard) expect(said).toMatch(/refused: .*\/f: the user was asked and said no, and says: use the copy/);
    else expect(said).not.toContain("refused:");
  });

  it("the team may be faster, and the question is gone here", async () => {
    const place = world(outside);
    const there = announceApprover(place.machine, "page");
    onTestFinished(() => there.close());
    const { ended } = start(place, 'echo 1 > "$OUT/f"');
    say(place, await first(place), "allow");
    expect((await ended).status).toBe(0);
    expect(openQuestions(place.machine)).toEqual([]);
  });
});

describe("stays on the machine", () => {
  it.each<[string, (place: Here) => readonly string[], string, ((place: Here) => object)?]>([
    ["where the policy names nothing", () => [], 'echo 1 > "$OUT/f"'],
    ["what it does not name", () => ["Write(~/elsewhere/**)"], 'echo 1 > "$OUT/f"'],
    ["a rename of which it names one end", (place) => [`Write(${place.outside}/f)`], 'echo 1 > g; mv g "$OUT/other"'],
    [
      "what a rule denies, though it is named",
      outside,
      'echo 1 > "$OUT/f"',
      (of) => ({ permissions: { deny: [`Write(${of.outside}/**)`] } }),
    ],
    ["a change of the policy itself, though it is named", () => ["Write(~/**)", "Edit(~/**)"], "echo '{}' > ~/.agent-permissions.jsonc"],
    ["a secret, though its folder is named", () => ["Write(~/**)"], "cat ~/.ssh/id_rsa"],
    ["where it is known by the name of the question's ledger", () => ["Read(~/**)"], "cat ~/.local/state/assent/team-member/connected"],
  ])("%s", async (_, answers, script, more = () => ({})) => {
    const place = world(answers, (of) => ({ team: { answers: answers(of) }, ...more(of) }));
    place.write("~/.ssh/id_rsa", "secret");
    const { status, said } = await start(place, script).ended;
    expect(status).not.toBe(0);
    expect(said).not.toContain("waiting");
    expect(knownRemote(place.machine)).toEqual([]);
  });

  it("a file that has another name, which rules speak of", async () => {
    const place = world(outside, (of) => ({ team: { answers: outside(of) }, permissions: { deny: ["Write(~/kept)"] } }));
    writeFileSync(join(place.home, "kept"), "kept");
    try {
      linkSync(join(place.home, "kept"), join(place.outside, "f"));
    } catch {
      // Two file systems: there is no such name.
      return;
    }
    expect((await start(place, 'echo 1 > "$OUT/f"').ended).status).not.toBe(0);
    expect(knownRemote(place.machine)).toEqual([]);
    expect(readFileSync(join(place.home, "kept"), "utf8")).toBe("kept");
  });

  it.each([
    ["a time that is none", ["--wait", "soon"]],
    ["waiting for nobody", ["--wait", "5m", "--no-prompt"]],
  ])("%s is wrong usage", async (_, options) => {
    expect((await start(here(), "true", ...options).ended).status).toBe(2);
  });
});
