import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { agentNamed } from "@assent/hosts/agents";
import { appendAll, auditLine, endOfLog, KEEP_UNSENT } from "@assent/guard/audit";
import { stateFolder } from "@assent/guard/state";
import { askRemote, type AskedRemote, hashRequest, knownRemote, readAnswer, takeRemote } from "@assent/team/team/remote";
import { writeMembership, writePin } from "@assent/team/team";
import { DIST, type Scratch } from "../../scratch.ts";

const POLICY = JSON.stringify({
  permissions: { ask: ["Bash(weird:*)", "Bash(other:*)"], deny: ["Bash(never:*)"] },
  team: { answers: ["Bash(weird:*)"] },
});
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" };

const Untold = v.object({ answers: v.array(v.unknown()) });
const Status = v.object({ team: v.object({ unsent: v.number() }) });

export interface Joined {
  readonly machine: string;
  readonly token: string;
  readonly organisation: string;
  /** The team's public key. */
  readonly key: string;
}

/** A machine of a team: a home, a log, and the program that sends it. */
export class FaultMachine {
  readonly place: Scratch;
  readonly id: string;
  /** Its clock is off by so much. */
  readonly shiftMs: number;
  /** What its programs are started through. */
  through: readonly string[] = [];
  readonly #token: string;
  #sender: ChildProcess | undefined;
  #said = "";
  #decisions = 0;

  constructor(place: Scratch, { machine, token, organisation, key }: Joined, url: string, shiftMs = 0) {
    this.place = place;
    this.id = machine;
    this.#token = token;
    this.shiftMs = shiftMs;
    place.write("~/.agent-permissions.jsonc", POLICY);
    const from = endOfLog(stateFolder(place.machine));
    const pinned = writePin(place.machine, {
      v: 1,
      organisation,
      group: "default",
      keys: [{ key, last: null }],
      least: { version: 0, hash: null },
    });
    const joined = new Date(this.now).toISOString();
    const salt = Buffer.alloc(32, 1).toString("base64url");
    const written = writeMembership(place.machine, { v: 1, url, machine, organisation, name: "laptop", token, salt, joined, from });
    if (pinned !== undefined || written !== undefined) throw new Error(pinned ?? written);
  }

  get now(): number {
    return Date.now() + this.shiftMs;
  }

  /** What the sender told people. */
  get said(): string {
    return this.#said;
  }

  /** `assent team send --follow`. */
  startSending(): ChildProcess {
    const child = this.#start(["team", "send", "--follow"]);
    child.stderr?.on("data", (part: Buffer) => (this.#said += part.toString()));
    this.#sender = child;
    return child;
  }

  async stopSending(): Promise<void> {
    const child = this.#sender;
    this.#sender = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, "exit");
    child.kill("SIGKILL");
    await over;
  }

  /** Decisions come into its log. */
  decide(count: number): void {
    const lines = Array.from({ length: count }, () => {
      this.#decisions += 1;
      return auditLine({
        time: this.now,
        point: "hook",
        agent: "generic",
        cwd: this.place.project,
        tool: "Bash",
        input: { command: `git log -n ${this.#decisions}` },
        verdict: { decision: "allow", basis: "rule", reason: "allowed by a rule", actions: [], unknowns: [] },
        answer: "allow",
        milliseconds: 1,
      });
    });
    const problem = appendAll(this.place.machine, lines, KEEP_UNSENT);
    if (problem !== undefined) throw new Error(problem);
  }

  /**
   * The records of its log, each as it is there. `root`: what its programs see as `/`. What a full disk has cut off is none: the record
   * behind it says how long it is.
   */
  ownLog(root = ""): readonly string[] {
    const lines = readFileSync(`${root}${stateFolder(this.place.machine)}/audit.jsonl`, "utf8").split("\n");
    return lines.filter(isWhole);
  }

  /** Asks people of the team. */
  ask(what: string): AskedRemote {
    const about = { point: "hook", agent: "claude", what, reason: "no rule allows it", folder: "~" } as const;
    return askRemote(this.place.machine, {
      request: hashRequest([what]),
      asked: this.now,
      until: this.now + 1_800_000,
      people: 1,
      passkeys: undefined,
      about,
    });
  }

  /** What it asked last. */
  get lastAsked(): AskedRemote | undefined {
    return knownRemote(this.place.machine).at(-1)?.asked;
  }

  /** What the server would tell it again: it has not heard that the machine has it. */
  async untold(base: string): Promise<number> {
    const answer = await fetch(`${base}/v1/answers`, { headers: { authorization: `Bearer ${this.#token}` } });
    return v.parse(Untold, await answer.json()).answers.length;
  }

  /** Records of its log that were not sent. */
  async unsent(): Promise<number> {
    const child = this.#start(["team", "status", "--json"]);
    let stdout = "";
    child.stdout?.on("data", (part: Buffer) => (stdout += part.toString()));
    await once(child, "close");
    return v.parse(Status, JSON.parse(stdout)).team.unsent;
  }

  isAnswered(asked: AskedRemote): boolean {
    return readAnswer(this.place.machine, asked)?.answer === "allow";
  }

  take(asked: AskedRemote): boolean {
    return takeRemote(this.place.machine, asked.id);
  }

  /** A hook of a host that cannot ask. `asked anew`: it waits for people, who are not waited for here. */
  async hook(command: string): Promise<string> {
    const before = knownRemote(this.place.machine).length;
    const sample = agentNamed("gemini")?.setup?.sample(command, this.place.project);
    const child = this.#start(["check", "--agent", "gemini"], sample?.env);
    let stdout = "";
    let isAnew = false;
    child.stdout?.on("data", (part: Buffer) => (stdout += part.toString()));
    child.stdin?.end(JSON.stringify({ ...sample?.payload, session_id: "s1" }));
    const looking = setInterval(() => {
      if (knownRemote(this.place.machine).length <= before) return;
      isAnew = true;
      child.kill("SIGKILL");
    }, 20);
    await once(child, "close");
    clearInterval(looking);
    return stdout === "" && isAnew ? "asked anew" : stdout;
  }

  #start(words: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const clock = this.shiftMs === 0 ? [] : ["--import", `data:text/javascript,${encodeURIComponent(shiftedClock(this.shiftMs))}`];
    const [program = "", ...rest] = [...this.through, process.execPath, ...clock, join(DIST, "bin.cjs"), ...words];
    return spawn(program, rest, {
      cwd: this.place.project,
      env: { ...ENV, HOME: this.place.home, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}

export const isAllowed = (stdout: string): boolean => /"decision":"allow"|^\{\}$/.test(stdout.trim());

const shiftedClock = (by: number): string => `
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { if (given.length === 0) super(Real.now() + ${by}); else super(...given); }
    static now() { return Real.now() + ${by}; }
  };
`;

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
