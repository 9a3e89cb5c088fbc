import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import { decide, type Outcome } from "@assent/guard/engine";
import { bypassHere, changeBypass, thisMachine } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

const POLICY = '{ "permissions": { "ask": ["Bash(make:*)"], "deny": ["Bash(terraform:*)"] } }';
const ZELLIJ = { ZELLIJ_SESSION_NAME: "work", ZELLIJ_PANE_ID: "3" };
const MINUTE = 60_000;

function outcome(place: Scratch, command: string, env: Record<string, string> = {}): Outcome {
  const payload = { hook_event_name: "PreToolUse", cwd: place.project, tool_name: "Bash", tool_input: { command } };
  const reading = claude.read({ payload, event: undefined, env, folder: place.project });
  if (reading.is !== "request") throw new Error(reading.why);
  const machine = { ...place.machine, env: { ...place.machine.env, ...env } };
  return decide(reading.request, { machine, ...engine, audit: true });
}
const told = (...given: Parameters<typeof outcome>): string => outcome(...given).answer.decision;

/** [command, without a bypass, with one] */
const WAIVED: [command: string, usually: string, waived: string][] = [
  ["ls", "allow", "allow"],
  ["make all", "ask", "allow"],
  ["./build.sh", "none", "allow"],
  ["echo x > a.txt", "none", "allow"],
  ["git push --force", "ask", "allow"],
  ["terraform apply", "deny", "deny"],
  ["rm -rf ~", "deny", "deny"],
  ["npx prisma migrate reset --force", "ask", "ask"],
  ["docker compose exec web rails db:drop", "ask", "ask"],
  ["cat .env", "deny", "deny"],
  // What cannot be understood could be anything that is denied.
  ["$x y", "ask", "ask"],
  ['eval "$(cat x)"', "ask", "ask"],
  // What decides about agents is not theirs to change meanwhile.
  ["echo {} > .agent-permissions.jsonc", "ask", "ask"],
  ["assent bypass on --for 10h", "deny", "deny"],
  ["mkdir -p ~/.cache/agentperm/bypass/work", "deny", "deny"],
];

describe("a bypass", () => {
  it.each(WAIVED)("%s", (command, usually, waived) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    expect(told(place, command)).toBe(usually);
    changeBypass(place.machine, undefined, Date.now() + MINUTE, Date.now());
    expect(told(place, command)).toBe(waived);
    changeBypass(place.machine, undefined, undefined, Date.now());
    expect(told(place, command)).toBe(usually);
  });

  it("ends by itself, holds for its pane alone, and is never longer than a day", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    const now = Date.now();
    changeBypass(place.machine, undefined, now - 1, now);
    expect(told(place, "make all")).toBe("ask");
    changeBypass(place.machine, undefined, now + 48 * 60 * MINUTE, now);
    expect(told(place, "make all")).toBe("ask");
    changeBypass(place.machine, "zellij:work:3", now + MINUTE, now);
    expect([told(place, "make all"), told(place, "make all", ZELLIJ)]).toEqual(["ask", "allow"]);
    expect(told(place, "make all", { ...ZELLIJ, ZELLIJ_PANE_ID: "4" })).toBe("ask");
  });

  /** [what happened to the clocks, until when it was to hold, what its file says afterwards, does it still hold] */
  const CLOCKS: readonly (readonly [string, Record<string, unknown>, boolean])[] = [
    ["nothing", {}, true],
    ["the wall clock was set back after the time was over", { from: MINUTE, until: 11 * MINUTE, up: -11 * MINUTE }, false],
    ["the wall clock was set back before it was switched on", { from: 30 * MINUTE, until: 40 * MINUTE }, false],
    ["the machine was started anew", { boot: "another" }, false],
    ["the machine has not been up for so long", { up: 60 * 24 * 60 * MINUTE }, false],
    ["it was written by hand, for ever", { until: 1e15 }, false],
    ["as version 0.1.0 wrote it", { boot: undefined, up: undefined }, false],
  ];
  it.each(CLOCKS)("T8: %s", (_what, change, holds) => {
    const place = scratch();
    const now = Date.now();
    changeBypass(place.machine, undefined, now + 10 * MINUTE, now);
    const file = join(place.home, ".local/state/assent/bypass.json");
    const { "*": span } = JSON.parse(readFileSync(file, "utf8")) as { readonly "*": Readonly<Record<string, number>> };
    const moved = Object.entries(change).map(([name, by]): readonly [string, unknown] => {
      if (typeof by !== "number") return [name, by];
      return [name, name === "until" ? now + by : (span[name] ?? 0) + by];
    });
    writeFileSync(file, JSON.stringify({ "*": { ...span, ...Object.fromEntries(moved) } }), { mode: 0o600 });
    expect(bypassHere(place.machine, now) !== undefined).toBe(holds);
  });

  it("does not hold while a policy file is broken", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", "{ oops");
    changeBypass(place.machine, undefined, Date.now() + MINUTE, Date.now());
    expect(told(place, "make all")).toBe("ask");
  });

  it("does not count when others could have written it", () => {
    const place = scratch();
    changeBypass(place.machine, undefined, Date.now() + MINUTE, Date.now());
    const file = join(place.home, ".local/state/assent/bypass.json");
    expect(bypassHere(place.machine, Date.now())).toBeDefined();
    chmodSync(file, 0o666);
    expect(bypassHere(place.machine, Date.now())).toBeUndefined();
  });

  it("is in the log with every decision", () => {
    const place = scratch();
    changeBypass(place.machine, undefined, Date.now() + MINUTE, Date.now());
    outcome(place, "make all");
    const line = readFileSync(join(place.home, ".local/state/assent/audit.jsonl"), "utf8").trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(line)).toMatchObject({ bypass: expect.stringMatching(/^until /) as unknown, answer: "allow" });
  });
});

describe("A44: the pane flag of agentperm", () => {
  const flagged = (folder = ".cache/agentperm/bypass"): Scratch => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    place.write(`~/${folder}/work/3`, "");
    return place;
  };

  it("turns asks into allows, never denies", () => {
    const place = flagged();
    expect([told(place, "make all", ZELLIJ), told(place, "./x", ZELLIJ), told(place, "terraform x", ZELLIJ)]).toEqual([
      "allow",
      "allow",
      "deny",
    ]);
    expect(told(flagged("caches/agentperm/bypass"), "make all", ZELLIJ)).toBe("ask");
    const elsewhere = flagged("caches/agentperm/bypass");
    // A project can make a host set variables: none of them says where the flags lie.
    expect(told(elsewhere, "make all", { ...ZELLIJ, XDG_CACHE_HOME: join(elsewhere.home, "caches") })).toBe("ask");
  });

  const WRONG: Record<string, string>[] = [
    {},
    { ZELLIJ_SESSION_NAME: "work" },
    { ...ZELLIJ, ZELLIJ_PANE_ID: "4" },
    { ...ZELLIJ, ZELLIJ_SESSION_NAME: "" },
    { ...ZELLIJ, ZELLIJ_SESSION_NAME: "../bypass/work" },
    { ...ZELLIJ, ZELLIJ_SESSION_NAME: "x/../work" },
    { ...ZELLIJ, ZELLIJ_SESSION_NAME: ".." },
    { ...ZELLIJ, ZELLIJ_PANE_ID: "." },
    { ...ZELLIJ, ZELLIJ_PANE_ID: "3\\" },
  ];
  it.each(WRONG)("is not looked for with %j", (env) => {
    expect(told(flagged(), "make all", env)).toBe("ask");
  });

  it("does not count in a folder that others may write to", () => {
    const place = flagged();
    chmodSync(join(place.home, ".cache/agentperm/bypass"), 0o777);
    expect(told(place, "make all", ZELLIJ)).toBe("ask");
    mkdirSync(join(place.home, "none"), { recursive: true });
    expect(told(place, "make all", { ...ZELLIJ, XDG_CACHE_HOME: join(place.home, "none") })).toBe("ask");
  });

  /** [what is wrong with the flag, how it comes about] */
  const SHAPED: readonly (readonly [string, (place: Scratch, flags: string) => void])[] = [
    [
      "the session is a link",
      (place, flags) => (renameSync(`${flags}/work`, `${place.project}/work`), symlinkSync(`${place.project}/work`, `${flags}/work`)),
    ],
    ["the flag is a link", (place, flags) => (rmSync(`${flags}/work/3`), symlinkSync(place.write("3", ""), `${flags}/work/3`))],
    ["the folder is a link", (place, flags) => (renameSync(flags, `${place.project}/b`), symlinkSync(`${place.project}/b`, flags))],
    ["others may write to the session", (_place, flags) => chmodSync(`${flags}/work`, 0o777)],
    ["a group may write to the session", (_place, flags) => chmodSync(`${flags}/work`, 0o770)],
    ["others may write to the flag", (_place, flags) => chmodSync(`${flags}/work/3`, 0o666)],
    ["others may write to the folder above", (_place, flags) => chmodSync(join(flags, ".."), 0o777)],
  ];
  it.each(SHAPED)("does not count when %s", (_what, shape) => {
    const place = flagged();
    expect(told(place, "make all", ZELLIJ)).toBe("allow");
    shape(place, join(place.home, ".cache/agentperm/bypass"));
    expect(told(place, "make all", ZELLIJ)).toBe("ask");
  });

  it.each([["HOME"], ["XDG_CACHE_HOME"], ["XDG_STATE_HOME"], ["XDG_CONFIG_HOME"]])(
    "T2: a repository that brings one is not believed: %s",
    (name) => {
      const place = scratch();
      for (const folder of ["cache/agentperm/bypass", ".cache/agentperm/bypass", "agentperm/bypass"]) place.write(`${folder}/work/3`, "");
      for (const where of [place.project, "/proc/self/cwd/cache", join(place.project, "cache")]) {
        const machine = { ...thisMachine({ ...place.machine.env, ...ZELLIJ, [name]: where }), uid: place.machine.uid };
        expect([where, bypassHere(machine, Date.now())]).toEqual([where, undefined]);
      }
    },
  );

  it("D30, A49: no file in a repository and no .env skips anything", () => {
    const place = flagged();
    place.write(".claude/.bypass", "1");
    place.write(".env", "AUTONOMOUS_DEV_BYPASS=1\n");
    expect(told(place, "make all", { AUTONOMOUS_DEV_BYPASS: "1" })).toBe("ask");
  });
});
