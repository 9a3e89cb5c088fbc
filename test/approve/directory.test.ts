import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { respond, wait, type Answer, type Approver } from "@assent/guard/approve";
import { scratch } from "../scratch.ts";
import { askedIn } from "./asked.ts";
import { question } from "./question.ts";

const ALLOW: Answer = { answer: "allow", scope: "once" };
const DENY: Answer = { answer: "deny", scope: "once" };
const never = new AbortController().signal;

interface Bench {
  readonly dir: string;
  readonly approver: Approver;
  readonly notices: string[];
  readonly put: (response: unknown) => void;
  readonly read: (name: string) => Record<string, unknown>;
}

function bench(before: (dir: string) => void = () => undefined): Bench {
  const dir = join(scratch().root, "questions");
  before(dir);
  const notices: string[] = [];
  const approver = askedIn(dir, "n1", (text) => notices.push(text));
  const put = (response: unknown): void => {
    writeFileSync(join(dir, "mine"), typeof response === "string" ? response : JSON.stringify(response), { mode: 0o600 });
    renameSync(join(dir, "mine"), join(dir, "response.json"));
  };
  const read = (name: string): Record<string, unknown> => JSON.parse(readFileSync(join(dir, name), "utf8")) as Record<string, unknown>;
  return { dir, approver, notices, put, read };
}

const settled = (ms = 120): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const openStill = async (answer: Promise<Answer>): Promise<boolean> =>
  (await Promise.race([answer, settled().then(() => "open")])) === "open";
const options = { pollMs: 5, patienceMs: 300 };

describe("the files", () => {
  it("a question is one, for old clients and new ones", async () => {
    const { dir, approver, put, read } = bench();
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(read("run.json")).toMatchObject({ nonce: "n1", pid: process.pid });
    const asked = approver.ask(question(1), never);
    expect(read("pending.json")).toMatchObject({
      seq: 1,
      description: "open(/home/me/.npm/_cacache/1, create+write)",
      app_key: "npm",
      pid: 4121,
      status: "pending",
      nonce: "n1",
      call: { name: "open", args: ["/home/me/.npm/_cacache/1", "create+write"] },
      question: { cwd: "/home/me/project", reason: "outside the project" },
    });
    expect(statSync(join(dir, "pending.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "pending/1.json")).mode & 0o777).toBe(0o600);
    const before = performance.now();
    put({ seq: 1, action: "approve" });
    expect(await asked).toEqual(ALLOW);
    expect(performance.now() - before).toBeLessThan(500);
    expect(readdirSync(dir).sort()).toEqual(["pending", "run.json"]);
    expect(readdirSync(join(dir, "pending"))).toEqual([]);
    await approver.close(143);
    expect(read("done.json")).toMatchObject({ exit_code: 143 });
  });

  it("several questions are open at once and answered in any order", async () => {
    const { dir, approver, put, read } = bench();
    const asked = [1, 2, 3].map((seq) => approver.ask(question(seq), never));
    expect(read("pending.json")["seq"]).toBe(1);
    expect(readdirSync(join(dir, "pending")).sort()).toEqual(["1.json", "2.json", "3.json"]);
    put({ seq: 2, action: "deny" });
    expect(await asked[1]).toEqual(DENY);
    expect(read("pending.json")["seq"]).toBe(1);
    put({ seq: 1, action: "approve" });
    expect(await asked[0]).toEqual(ALLOW);
    expect(read("pending.json")["seq"]).toBe(3);
    put({ seq: 3, action: "approve", nonce: "n1" });
    expect(await asked[2]).toEqual(ALLOW);
    expect(existsSync(join(dir, "pending.json"))).toBe(false);
    await approver.close(0);
  });

  it("a void question goes", async () => {
    const { dir, approver, read } = bench();
    const controller = new AbortController();
    const first = approver.ask(question(1), controller.signal);
    void approver.ask(question(2), never);
    controller.abort();
    expect(await first).toEqual(DENY);
    expect(read("pending.json")["seq"]).toBe(2);
    expect(readdirSync(join(dir, "pending"))).toEqual(["2.json"]);
    await approver.close(0);
  });

  it("names that are no UTF-8 or would deceive are escaped, and come back as they are", async () => {
    const { dir, approver, read } = bench();
    const path = "/tmp/\udcff\u202e\u009b\n";
    void approver.ask(question(1, { path }), never);
    const text = readFileSync(join(dir, "pending.json"), "utf8");
    // oxlint-disable-next-line no-control-regex -- none may pass
    expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(read("pending.json")["call"]).toEqual({ name: "open", args: [path, "create+write"] });
    expect(read("pending.json")["description"]).toBe("open('/tmp/\\xff\\u{202e}\\u{9b}\\n', create+write)");
    await approver.close(0);
  });
});

it.each<[response: Record<string, unknown>, answer: Answer]>([
  [{ action: "approve" }, ALLOW],
  [{ action: "deny" }, DENY],
  [{ action: "trust" }, { answer: "allow", scope: "tree" }],
  [{ action: "quit" }, { answer: "quit" }],
  [{ action: "pattern" }, { answer: "allow", scope: "always", rule: "Write(/home/me/.npm/_cacache/1)" }],
  [
    { action: "pattern", pattern: " open(/home/**, _) " },
    { answer: "allow", scope: "always", rule: "open(/home/**, _)" },
  ],
  [{ action: "deny_pattern" }, { answer: "deny", scope: "always", rule: "Write(/home/me/.npm/_cacache/1)" }],
  [
    { action: "deny_pattern", pattern: "Net(a:1)" },
    { answer: "deny", scope: "always", rule: "Net(a:1)" },
  ],
  // A rule that is none, and everything that is no action.
  [{ action: "pattern", pattern: "rm -rf" }, DENY],
  [{ action: "pattern", pattern: "" }, DENY],
  [{ action: "Approve" }, DENY],
  [{ action: "approve " }, DENY],
  [{ action: "allow" }, DENY],
  [{ action: "session" }, DENY],
  [{ action: ["approve"] }, DENY],
  [{ action: true }, DENY],
  [{}, DENY],
  [{ action: "approve", nonce: "n1" }, ALLOW],
  [{ action: "approve", nonce: 1 }, ALLOW],
])("%j", async (response, answer) => {
  const { approver, put } = bench();
  const asked = approver.ask(question(1), never);
  put({ seq: 1, ...response });
  expect(await asked).toEqual(answer);
  await approver.close(0);
});

describe("PW11: what does not answer", () => {
  const leftovers = (dir: string): void => {
    mkdirSync(join(dir, "pending"), { recursive: true });
    writeFileSync(join(dir, "response.json"), JSON.stringify({ seq: 1, action: "approve" }));
    writeFileSync(join(dir, "pending.json"), JSON.stringify({ seq: 1, description: "old" }));
    writeFileSync(join(dir, "pending/7.json"), "{}");
    writeFileSync(join(dir, "done.json"), JSON.stringify({ exit_code: 0 }));
    chmodSync(dir, 0o700);
  };

  it("files of an earlier run", async () => {
    const { dir, approver } = bench(leftovers);
    expect(readdirSync(dir).sort()).toEqual(["pending", "run.json"]);
    expect(readdirSync(join(dir, "pending"))).toEqual([]);
    const asked = approver.ask(question(1), never);
    expect(await openStill(asked)).toBe(true);
    await approver.close(0);
    expect(await asked).toEqual(DENY);
  });

  it("folders where files belong", async () => {
    const { approver, put } = bench((dir) => {
      for (const name of ["response.json", "pending.json", "done.json", "run.json"]) mkdirSync(join(dir, name, "sub"), { recursive: true });
      writeFileSync(join(dir, "pending"), "");
      chmodSync(dir, 0o700);
    });
    const asked = approver.ask(question(1), never);
    put({ seq: 1, action: "approve" });
    expect(await asked).toEqual(ALLOW);
    await approver.close(0);
  });

  it.each<[what: string, response: Record<string, unknown>, said: RegExp]>([
    ["another question's number", { seq: 2, action: "approve" }, /question 2 is ignored: it is not open/],
    ["another run's nonce", { seq: 1, action: "approve", nonce: "n0" }, /meant for another run/],
  ])("%s", async (_, response, said) => {
    const { dir, approver, put, notices } = bench();
    const asked = approver.ask(question(1), never);
    put(response);
    expect(await openStill(asked)).toBe(true);
    expect(notices).toEqual([expect.stringMatching(said)]);
    expect(existsSync(join(dir, "response.json"))).toBe(false);
    await approver.close(0);
  });

  it("a response that was there before its question", async () => {
    const { approver, put } = bench();
    put({ seq: 1, action: "approve" });
    await settled(30);
    const asked = approver.ask(question(1), never);
    expect(await openStill(asked)).toBe(true);
    await approver.close(0);
  });

  it("a response that is older than the question, while another is open", async () => {
    const { approver, put, notices } = bench();
    const first = approver.ask(question(1), never);
    put({ seq: 2, action: "approve" });
    // Without a turn of the event loop: nobody has looked yet. Longer than the clock of file systems takes to tick.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    const second = approver.ask(question(2), never);
    expect(await openStill(second)).toBe(true);
    expect(notices).toEqual([expect.stringMatching(/older than the question/)]);
    await approver.close(0);
    expect(await Promise.all([first, second])).toEqual([DENY, DENY]);
  });

  it.each<[what: string, put: (dir: string) => void, said: RegExp]>([
    ["nothing", (dir) => writeFileSync(join(dir, "response.json"), "", { mode: 0o600 }), /is not JSON/],
    ["half of it", (dir) => writeFileSync(join(dir, "response.json"), '{"seq":1,"action":"appr', { mode: 0o600 }), /is not JSON/],
    ["no number", (dir) => writeFileSync(join(dir, "response.json"), '{"action":"approve"}', { mode: 0o600 }), /has no `seq`/],
    ["a list", (dir) => writeFileSync(join(dir, "response.json"), '[1,"approve"]', { mode: 0o600 }), /has no `seq`/],
    [
      "something huge",
      (dir) => {
        writeFileSync(join(dir, "response.json"), '{"seq":1,"action":"approve"}', { mode: 0o600 });
        truncateSync(join(dir, "response.json"), 1 << 30);
      },
      /is larger than 65536 bytes|is not JSON/,
    ],
    [
      "a symbolic link",
      (dir) => {
        writeFileSync(join(dir, "real"), '{"seq":1,"action":"approve"}', { mode: 0o600 });
        symlinkSync("real", join(dir, "response.json"));
      },
      /is a symbolic link/,
    ],
    ["a folder", (dir) => mkdirSync(join(dir, "response.json")), /is not a regular file/],
    [
      "a file that others can write",
      (dir) => {
        writeFileSync(join(dir, "mine"), '{"seq":1,"action":"approve"}');
        chmodSync(join(dir, "mine"), 0o666);
        linkSync(join(dir, "mine"), join(dir, "response.json"));
      },
      /can be written by others/,
    ],
  ])("%s denies", async (_, put, said) => {
    const { dir, approver, notices } = bench();
    const asked = approver.ask(question(1), never);
    put(dir);
    expect(await asked).toEqual(DENY);
    expect(notices).toEqual([expect.stringMatching(said)]);
    await approver.close(0);
  });

  it("a client that writes in place has time to finish", async () => {
    const { dir, approver } = bench();
    const asked = approver.ask(question(1), never);
    writeFileSync(join(dir, "response.json"), '{"seq":1,', { mode: 0o600 });
    await settled(80);
    writeFileSync(join(dir, "response.json"), '{"seq":1,"action":"approve"}', { mode: 0o600 });
    expect(await asked).toEqual(ALLOW);
    await approver.close(0);
  });

  it("the folder's removal denies, now and later", async () => {
    const { dir, approver, notices } = bench();
    const asked = approver.ask(question(1), never);
    rmSync(dir, { recursive: true });
    expect(await asked).toEqual(DENY);
    expect(await approver.ask(question(2), never)).toEqual(DENY);
    expect(notices[0]).toMatch(/was removed/);
    await approver.close(0);
  });

  it("a folder put in its place is not listened to", async () => {
    const { dir, approver, put } = bench();
    const asked = approver.ask(question(1), never);
    renameSync(dir, `${dir}-away`);
    mkdirSync(dir, { mode: 0o700 });
    put({ seq: 1, action: "approve" });
    expect(await openStill(asked)).toBe(true);
    await approver.close(0);
  });

  it.each<[what: string, make: (dir: string) => void, said: RegExp]>([
    [
      "others can write in",
      (dir) => {
        mkdirSync(dir);
        chmodSync(dir, 0o777);
      },
      /others can write in it/,
    ],
    [
      "the group can write in",
      (dir) => {
        mkdirSync(dir);
        chmodSync(dir, 0o770);
      },
      /others can write in it/,
    ],
    [
      "is a link",
      (dir) => {
        mkdirSync(`${dir}-real`, { mode: 0o700 });
        symlinkSync(`${dir}-real`, dir);
      },
      /is a symbolic link/,
    ],
    ["is a file", (dir) => writeFileSync(dir, ""), /cannot be (?:made|used)|is not a folder/],
    ["belongs to a run that is alive", (dir) => askedIn(dir, "n0"), /used by another run/],
  ])("a folder that %s is refused", (_, make, said) => {
    expect(() => bench(make)).toThrow(said);
  });

  it("a link with a slash behind it is refused too", () => {
    const { root } = scratch();
    mkdirSync(join(root, "real"), { mode: 0o700 });
    symlinkSync("real", join(root, "link"));
    expect(() => askedIn(`${join(root, "link")}/`)).toThrow(/symbolic link/);
  });

  it("the folder of a run that is gone is taken over", () => {
    const { read } = bench((dir) => {
      mkdirSync(dir, { mode: 0o700 });
      // Our own number, but not our own start.
      writeFileSync(join(dir, "run.json"), JSON.stringify({ nonce: "n0", ...lifeOf(), started: 1 }), { mode: 0o600 });
    });
    expect(read("run.json")["nonce"]).toBe("n1");
  });
});

describe("wait and respond", () => {
  it("P22, P23: pending before done, then the next newer question, then the end", async () => {
    const { dir, approver } = bench();
    const first = approver.ask(question(1), never);
    expect(await wait(dir, options)).toMatchObject({ is: "pending", pending: { seq: 1, status: "pending" } });
    const next = respond(dir, 1, "approve", undefined, options);
    expect(await first).toEqual(ALLOW);
    const second = approver.ask(question(2), never);
    expect(await next).toMatchObject({ is: "pending", pending: { seq: 2 } });
    const end = respond(dir, 2, "pattern", "Net(a:1)", options);
    expect(await second).toEqual({ answer: "allow", scope: "always", rule: "Net(a:1)" });
    await approver.close(7);
    expect(await end).toEqual({ is: "done", exit: 7 });
    expect(await wait(dir, options)).toEqual({ is: "done", exit: 7 });
  });

  it("two clients answer two questions at once", async () => {
    const { dir, approver } = bench();
    const asked = [1, 2, 3, 4, 5, 6].map((seq) => approver.ask(question(seq), never));
    const events = [1, 2, 3, 4, 5, 6].map((seq) => respond(dir, seq, seq % 2 === 0 ? "approve" : "deny", undefined, options));
    expect(await Promise.all(asked)).toEqual([DENY, ALLOW, DENY, ALLOW, DENY, ALLOW]);
    await approver.close(0);
    await Promise.all(events);
  });

  it("a question that is not open is said, not answered", async () => {
    const { dir, approver } = bench();
    const asked = approver.ask(question(1), never);
    expect(await respond(dir, 2, "approve", undefined, options)).toMatchObject({
      is: "failed",
      why: expect.stringMatching(/not open/) as string,
    });
    expect(await openStill(asked)).toBe(true);
    await approver.close(0);
  });

  it("waits for a run that is coming up", async () => {
    const dir = join(scratch().root, "later");
    const event = wait(dir, { pollMs: 5, patienceMs: 5000 });
    await settled(50);
    const approver = askedIn(dir);
    const asked = approver.ask(question(1), never);
    expect(await event).toMatchObject({ is: "pending" });
    await approver.close(0);
    await asked;
  });

  it.each<[what: string, make: (dir: string) => void, said: RegExp]>([
    ["nothing is there", () => undefined, /no such folder/],
    ["no run has begun", (dir) => mkdirSync(dir, { mode: 0o700 }), /no run has begun/],
    [
      "the run is gone",
      (dir) => {
        mkdirSync(join(dir, "pending"), { recursive: true, mode: 0o700 });
        writeFileSync(join(dir, "run.json"), JSON.stringify({ nonce: "n", ...lifeOf(), pid: 0x3fffff }), { mode: 0o600 });
        writeFileSync(join(dir, "pending/1.json"), '{"seq":1}', { mode: 0o600 });
      },
      /is gone/,
    ],
    [
      "its number is another process's now",
      (dir) => {
        mkdirSync(join(dir, "pending"), { recursive: true, mode: 0o700 });
        writeFileSync(join(dir, "run.json"), JSON.stringify({ nonce: "n", ...lifeOf(), started: 1 }), { mode: 0o600 });
        writeFileSync(join(dir, "pending/1.json"), '{"seq":1}', { mode: 0o600 });
      },
      /is gone/,
    ],
    [
      "others can write in the folder",
      (dir) => {
        mkdirSync(dir);
        chmodSync(dir, 0o777);
      },
      /others can write/,
    ],
  ])("%s: fails in place of hanging", async (_, make, said) => {
    const dir = join(scratch().root, "questions");
    make(dir);
    expect(await wait(dir, options)).toMatchObject({ is: "failed", why: expect.stringMatching(said) as string });
    expect(await respond(dir, 1, "approve", undefined, options)).toMatchObject({ is: "failed" });
  });

  it.each<[where: string, make: (dir: string) => void, said: RegExp]>([
    ["no folder", () => undefined, /no such folder/],
    ["no run in the folder", (dir) => mkdirSync(dir, { mode: 0o700 }), /no run has begun/],
  ])("%s: an answer does not wait for a run to come up", async (_, make, said) => {
    const dir = join(scratch().root, "questions");
    make(dir);
    const began = performance.now();
    expect(await respond(dir, 1, "approve")).toMatchObject({ is: "failed", why: expect.stringMatching(said) as string });
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

/** Our own `run.json`, as another run would write it. */
function lifeOf(): Record<string, unknown> {
  const dir = join(scratch().root, "own");
  void askedIn(dir).close(0);
  return JSON.parse(readFileSync(join(dir, "run.json"), "utf8")) as Record<string, unknown>;
}
