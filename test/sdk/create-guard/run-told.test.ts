import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type CallDecision, createGuard, type GuardOptions, probeSandbox } from "@assent/library/sdk";
import { here, type Here } from "../../cli/run-place.ts";

/** What a run refuses that somebody else starts (`start`) is told to the guard that let it go ahead, and to nobody else. */

let supervised = false;
beforeAll(async () => {
  supervised = await probeSandbox();
});

const ANN = { user: "ann", role: "dev" };

function made(script: string, options: GuardOptions = {}) {
  const place = here();
  place.write("~/.ssh/id_rsa", "SECRET");
  place.write("notes/plan.md", "PLAN");
  place.write("x.sh", script);
  const told: CallDecision[] = [];
  const env = { ...place.machine.env, OUT: place.outside };
  const guard = createGuard({
    cwd: place.project,
    home: place.home,
    env,
    confine: true,
    principal: ANN,
    policy: { permissions: { deny: [{ rule: "Read(notes/**)", when: { role: "dev" } }] } },
    onDecision: (decision) => void told.push(decision),
    ...options,
  });
  const inside = (): readonly CallDecision[] => told.filter(({ verdict, confined }) => confined && verdict !== "allow");
  return { place, guard, told, inside, env };
}

async function startOf({ guard }: ReturnType<typeof made>, options?: Parameters<typeof guard.check>[1]): Promise<readonly string[]> {
  const outcome = await guard.check({ shell: "sh x.sh" }, options);
  if (outcome.verdict !== "allow" || outcome.start === undefined) throw new Error(outcome.decision.forPerson);
  return outcome.start.argv;
}

async function run(
  { place, env }: Pick<ReturnType<typeof made>, "place" | "env">,
  [program = "", ...words]: readonly string[],
): Promise<number | null> {
  const child = spawn(program, words, { cwd: place.project, env, stdio: "ignore" });
  return await new Promise((resolve) => child.on("exit", resolve));
}

const state = ({ home }: Here): string => join(home, ".local/state/assent");
interface TicketTells {
  readonly tells?: { readonly socket: string; readonly key: string };
}
function ticketIn(place: Here): TicketTells {
  const [file = ""] = readdirSync(join(state(place), "tickets"));
  return JSON.parse(readFileSync(join(state(place), "tickets", file), "utf8")) as TicketTells;
}

const REFUSED = 'cat notes/plan.md ~/.ssh/id_rsa 2>/dev/null; echo x 2>/dev/null > "$OUT/x"; exit 5';

describe("a run that a program starts by itself", () => {
  it("each refusal is a decision: what was wanted, by which rule, of which call, for whom", async () => {
    if (!supervised) return;
    const all = made(REFUSED);
    expect(await run(all, await startOf(all, { reason: "tests" }))).toBe(5);
    await vi.waitFor(() => expect(all.inside().length).toBeGreaterThanOrEqual(3));
    const said = all
      .inside()
      .map(({ verdict, answer, principal, calls, rule }) => ({ verdict, answer, principal, calls, rule: rule?.text }));
    const call = { principal: ANN, calls: [{ shell: "sh x.sh" }] };
    expect(said).toContainEqual({ ...call, verdict: "deny", answer: undefined, rule: "Read(notes/**)" });
    expect(said).toContainEqual({ ...call, verdict: "deny", answer: undefined, rule: undefined });
    // Nobody is asked in such a run.
    expect(said).toContainEqual({ ...call, verdict: "ask", answer: "nobody", rule: undefined });
    expect(
      all
        .inside()
        .map(({ forPerson }) => forPerson)
        .join("\n"),
    ).toMatch(/cat: read .*plan\.md.*id_rsa.*sh: write /s);
  });

  it("is told for whom the call was, whoever's guard it is", async () => {
    if (!supervised) return;
    const all = made(REFUSED);
    const bob = { user: "bob", role: "dev" };
    const own = all.guard.with({ principal: { user: "eve", role: "dev" } });
    await run(all, await startOf(all, { principal: bob }));
    const outcome = await own.check({ shell: "sh x.sh" });
    if (outcome.verdict === "allow") await run(all, outcome.start?.argv ?? []);
    await vi.waitFor(() => expect(all.inside().filter(({ rule }) => rule !== undefined).length).toBe(2));
    expect(all.inside().flatMap(({ rule, principal }) => (rule === undefined ? [] : [principal?.user]))).toEqual(["bob", "eve"]);
  });

  it("a program that waits and hears nothing meanwhile hears it afterwards", async () => {
    if (!supervised) return;
    const all = made(REFUSED);
    const [program = "", ...words] = await startOf(all);
    const { status } = spawnSync(program, words, { cwd: all.place.project, env: all.env });
    expect([status, all.inside().length]).toEqual([5, 0]);
    await vi.waitFor(() => expect(all.inside().length).toBeGreaterThanOrEqual(3));
  });

  it("what onDecision throws is a warning, and changes nothing", async () => {
    if (!supervised) return;
    const warned: string[] = [];
    const onWarning = ({ message }: Error): void => void warned.push(message);
    process.on("warning", onWarning);
    const all = made(REFUSED, {
      onDecision: ({ verdict }) => {
        if (verdict === "deny") throw new Error("no disk");
      },
    });
    expect(await run(all, await startOf(all))).toBe(5);
    await vi.waitFor(() => expect(warned.join("\n")).toContain("onDecision failed: no disk"));
    process.off("warning", onWarning);
  });

  it("the guard's process has ended: the run is the same, and nothing waits for anybody", async () => {
    if (!supervised) return;
    const all = made(REFUSED);
    const library = new URL("../../../dist/library.mjs", import.meta.url).href;
    const program = `import { createGuard } from ${JSON.stringify(library)};
      const guard = createGuard({ cwd: process.cwd(), home: process.env.HOME, confine: true, onDecision: () => {} });
      const outcome = await guard.check({ shell: "sh x.sh" });
      console.log(JSON.stringify(outcome.start.argv));`;
    const env = { ...process.env, ...all.env, HOME: all.place.home };
    const asked = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: all.place.project, env, encoding: "utf8" });
    expect(asked.stderr).toBe("");
    expect(ticketIn(all.place).tells?.socket).toMatch(/\/tells\//);
    expect(await run(all, JSON.parse(asked.stdout) as string[])).toBe(5);
    expect(all.told).toEqual([]);
  });

  it("what runs reaches neither the socket nor the key", async () => {
    if (!supervised) return;
    const python = `import glob, socket, sys
found = glob.glob(sys.argv[1] + "/tells/*") or [sys.argv[2]]
s = socket.socket(socket.AF_UNIX); s.connect(found[0]); s.send(b"x\\n"); print("REACH" + "ED")`;
    const all = made('cat "$STATE"/tickets/* 2>&1; ls "$STATE/tells" 2>&1; python3 reach.py "$STATE" "$SOCKET" 2>&1');
    all.place.write("reach.py", python);
    const [program = "", ...words] = await startOf(all);
    const socket = ticketIn(all.place).tells?.socket ?? "";
    expect(existsSync(socket)).toBe(true);
    const env = { ...all.env, STATE: state(all.place), SOCKET: socket };
    const { stdout } = spawnSync(program, words, { cwd: all.place.project, env, encoding: "utf8" });
    expect(stdout).not.toMatch(/REACHED|"key"|"policies"/);
    expect(stdout).toMatch(/Permission denied|PermissionError|Operation not permitted/);
  });
});

describe("whoever connects without the key of a start", () => {
  const says = async (socket: string, text: string): Promise<string> =>
    await new Promise((resolve) => {
      const stream = connect(socket, () => stream.write(text));
      stream.on("close", () => resolve("closed"));
      stream.on("error", () => undefined);
      setTimeout(() => (stream.destroy(), resolve("open")), 300);
    });
  const LIE = `${JSON.stringify({ program: "x", action: { kind: "tool", name: "lie", fields: [], origin: { by: "tool" } }, verdict: { decision: "deny", basis: "rule", reason: "a lie" } })}\n`;

  it("is told nothing, and believed nothing; a key is for one run", async () => {
    if (!supervised) return;
    const all = made("true");
    await startOf(all);
    const { socket, key } = ticketIn(all.place).tells ?? { socket: "", key: "" };
    expect(await says(socket, `${"0".repeat(32)}\n${LIE}`)).toBe("closed");
    expect(await says(socket, `\n${LIE}`)).toBe("closed");
    expect(all.inside()).toEqual([]);
    // Whoever has the key is the supervisor: what is no decision is none all the same.
    expect(await says(socket, `${key}\nno json\n{}\n[]\n${'{"program":1}'}\n`)).toBe("open");
    expect(await says(socket, `${key}\n${LIE}`)).toBe("closed");
    expect(all.inside()).toEqual([]);
  });

  it("there is no socket where nobody listens to the guard", async () => {
    if (!supervised) return;
    const place = here();
    place.write("x.sh", "true");
    const guard = createGuard({ cwd: place.project, home: place.home, env: place.machine.env, confine: true });
    await guard.check({ shell: "sh x.sh" });
    expect(ticketIn(place).tells).toBeUndefined();
    expect(existsSync(join(state(place), "tells"))).toBe(false);
  });
});
