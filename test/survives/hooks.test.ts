import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAgentId } from "@assent/hosts/agents";
import { HOSTS } from "../agents/envelopes.ts";
import { ended, startJudge } from "../daemon/judge.ts";
import { assent, DIST, scratch, type Scratch } from "../scratch.ts";
import { FIRST_DIST, FIRST_FILES, firstProgram, layFirstHome, untilJudged } from "./first.ts";

/** Hooks that the first install registered in a clone, which was pulled and built anew since, and not installed again: they deny. */

/** What settings of hosts, shells, programs of people and open sessions name. What parts a build has beside them is its own affair. */
const NAMED = /^(?:(?:ask|launch|when|front|spare)-(?:x64|arm64)|ask\.bash|(?:bin|hook|load-hook)\.cjs|plugin-\w+\.mjs)$/;

describe("what is named from outside is still there", () => {
  it.each(FIRST_DIST.filter((name) => NAMED.test(name)))("dist/%s", (name) => {
    expect(existsSync(join(DIST, name))).toBe(true);
  });

  it.runIf(process.arch === "x64").each([
    ["ask", 2],
    ["launch", 2],
    ["front", 2],
    ["spare", 2],
    // A host takes 0 and 2 for an answer of a hook.
    ["when", 125],
  ])("dist/%s-x64 starts, and without words ends with %i", (name, status) => {
    expect(spawnSync(join(DIST, `${name}-x64`), [], { env: {} }).status).toBe(status);
  });
});

interface Registered {
  readonly file: string;
  readonly agent: string;
  readonly event: string;
  readonly start: (place: Scratch, input: string) => Said;
}
interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function startIn(
  place: Scratch,
  command: string,
  args: readonly string[],
  input: string,
  env: Readonly<Record<string, string>> = {},
): Said {
  return untilJudged(() => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: place.project,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home, ...env },
      input,
      encoding: "utf8",
      timeout: 50_000,
    });
    return { status, stdout, stderr };
  });
}

const CALLED = /--agent (\w+) --event (\w+)/;

/** Every hook in the settings: `command` with `args`, or a line for a shell. */
function hooksIn(file: string, value: unknown): readonly Registered[] {
  if (Array.isArray(value)) return value.flatMap((inner) => hooksIn(file, inner));
  if (typeof value !== "object" || value === null) return [];
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const texts = Object.values(fields).filter((one) => typeof one === "string");
  const line = texts.find((text) => CALLED.test(text));
  const args = Array.isArray(fields["args"]) ? fields["args"].map(String) : [];
  const [, agent = "", event = ""] = CALLED.exec(line ?? args.join(" ")) ?? [];
  if (agent === "") return Object.values(fields).flatMap((inner) => hooksIn(file, inner));
  const start: Registered["start"] =
    line === undefined
      ? (place, input) => startIn(place, String(fields["command"]), args, input)
      : (place, input) => startIn(place, "/bin/sh", ["-c", line], input);
  return [{ file, agent, event, start }];
}

function laid(): Scratch {
  const place = scratch();
  layFirstHome(place);
  return place;
}

const SETTINGS = FIRST_FILES.filter((name) => /^\.(?:claude|codeium|codex|copilot|cursor|factory|gemini|kiro|qwen)\/.*\.json$/.test(name));

function registered(place: Scratch): readonly Registered[] {
  return SETTINGS.flatMap((file) => hooksIn(file, JSON.parse(readFileSync(join(place.home, file), "utf8"))));
}

/** What the host sends for a command of its shell; undefined: it does not at this event. */
function envelope({ agent, event }: Pick<Registered, "agent" | "event">, shell: string, place: Scratch): string | undefined {
  const events = isAgentId(agent) ? HOSTS[agent].events : [];
  const spec = events.find((one) => one.event.split(", ").includes(event));
  const made = spec?.envelope({ shell }, place.project);
  return made === undefined ? undefined : JSON.stringify(made);
}

/** By its exit code, or by what it prints. */
const denies = ({ status, stdout }: Said): boolean =>
  status === 2 || /"(?:permissionDecision|decision|behavior|permission)":\s*"(?:deny|block)"|"cancel":\s*true|"overrideInput"/.test(stdout);

describe("hooks of the first install, in settings", () => {
  it("are there, of nine hosts", () => {
    expect(new Set(registered(laid()).map(({ agent }) => agent)).size).toBeGreaterThanOrEqual(9);
  });

  it.each(SETTINGS)("~/%s: what is dangerous is refused, what only looks is not, and a session begins", (file) => {
    const place = laid();
    for (const hook of registered(place).filter((one) => one.file === file)) {
      const name = `${hook.agent} ${hook.event}`;
      const bad = envelope(hook, "rm -rf ~", place);
      if (bad === undefined) {
        const { status, stderr } = hook.start(place, "{}");
        if (/session/i.test(hook.event)) expect([name, status, stderr]).toEqual([name, 0, ""]);
        continue;
      }
      expect([name, denies(hook.start(place, bad))]).toEqual([name, true]);
      const good = hook.start(place, envelope(hook, "ls -la", place) ?? "");
      expect([name, denies(good), good.status]).toEqual([name, false, 0]);
    }
  });
});

describe("hooks of the first install that are files", () => {
  it.each([
    ["cline", ".cline/hooks/PreToolUse", {}],
    ["amp", ".local/share/assent/amp-delegate", { AGENT: "amp", AGENT_TOOL_NAME: "Bash" }],
  ] as const)("%s: ~/%s", (agent, file, env) => {
    const place = laid();
    const event = agent === "amp" ? "delegate" : "PreToolUse";
    const said = (line: string): Said => startIn(place, join(place.home, file), [], envelope({ agent, event }, line, place) ?? "", env);
    expect(denies(said("rm -rf ~"))).toBe(true);
    expect(denies(said("ls -la"))).toBe(false);
  });

  it.each([
    ["pi", ".pi/agent/extensions/assent.js"],
    ["opencode", ".config/opencode/plugins/assent.js"],
    ["kilo", ".config/kilo/plugin/assent.js"],
  ])("%s: ~/%s", (agent, file) => {
    const place = laid();
    const script = `
      const module = await import(${JSON.stringify(join(place.home, file))});
      const said = async (command) => {
        if (${JSON.stringify(agent)} === "pi") {
          let handler;
          module.default({ on: (_, given) => { handler = given; } });
          const answer = await handler({ toolName: "bash", input: { command } }, { cwd: process.cwd(), hasUI: false });
          return answer?.block === true ? "refused" : "goes on";
        }
        const hooks = await module.Assent({ directory: process.cwd(), worktree: process.cwd() });
        try {
          await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command } });
          return "goes on";
        } catch {
          return "refused";
        }
      };
      console.log(await said("rm -rf ~"), await said("ls -la"));
      process.exit();`;
    expect(startIn(place, process.execPath, ["--input-type=module", "-e", script], "")).toMatchObject({
      stdout: "refused goes on\n",
      status: 0,
    });
  });
});

describe.skipIf(!existsSync("/bin/bash"))("hooks that an earlier install registered where there is no static program", () => {
  const line = (place: Scratch, node = process.execPath): string => {
    const file = `${place.home}/.local/state/assent/resident/port`;
    const fresh = `/usr/bin/env -i HOME=${place.home} \${PATH+"PATH=$PATH"} ${node} ${join(DIST, "bin.cjs")} check --agent claude --event PreToolUse`;
    return `/usr/bin/env -i /bin/bash -p ${join(DIST, "ask.bash")} ${file} ${fresh} || exit 2`;
  };
  const said = (place: Scratch, shell: string, node?: string): Said =>
    startIn(place, "/bin/sh", ["-c", line(place, node)], envelope({ agent: "claude", event: "PreToolUse" }, shell, place) ?? "");

  it.each([
    ["nobody wanted a judge that stays", () => undefined],
    [
      "somebody did, and one has left its port",
      (place: Scratch) => {
        const folder = join(place.home, ".local/state/assent/resident");
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, "port"), `assent-1 1 ${"a".repeat(64)} ${"b".repeat(64)} - ${process.pid} .\n`, { mode: 0o600 });
      },
    ],
  ])("judge by themselves: %s", (_what, lay: (place: Scratch) => void) => {
    const place = laid();
    lay(place);
    expect([denies(said(place, "rm -rf ~")), denies(said(place, "ls -la"))]).toEqual([true, false]);
  });

  it("refuse where Node has gone", () => {
    expect(said(laid(), "ls -la", "/none/node")).toMatchObject({ status: 2, stdout: "" });
  });

  it("refuse where what they name is no command", () => {
    const script = ["-p", join(DIST, "ask.bash")];
    for (const words of [[], ["/file"], ["/file", "node"], ["/file", "/none"]])
      expect(spawnSync("/bin/bash", [...script, ...words], { env: {}, encoding: "utf8" })).toMatchObject({ status: 2, stdout: "" });
  });
});

describe.runIf(process.platform === "linux" && process.arch === "x64")("static programs of the first install", () => {
  const words = (place: Scratch): readonly string[] => [
    join(place.home, ".local/state/assent/resident/"),
    firstProgram(place, "launch-x64"),
    `HOME=${place.home}`,
    process.execPath,
    join(DIST, "bin.cjs"),
    "check",
    "--agent",
    "claude",
    "--event",
    "PreToolUse",
  ];
  const asked = (place: Scratch, line: string): Said =>
    startIn(place, firstProgram(place, "ask-x64"), words(place), envelope({ agent: "claude", event: "PreToolUse" }, line, place) ?? "");

  it("start the hook of today", () => {
    const place = laid();
    expect([denies(asked(place, "rm -rf ~")), denies(asked(place, "ls -la"))]).toEqual([true, false]);
  });

  it("are answered by the judge of today that stays", { timeout: 120_000 }, async () => {
    const place = laid();
    const judge = await startJudge(place);
    try {
      // The first calls are left to a fresh process until it is warm; who answers does not change what is said.
      const answered = (): number =>
        (JSON.parse(assent(place, ["daemon", "status", "--json"]).stdout) as { readonly running: { readonly answered: number } }).running
          .answered;
      for (let tries = 0; tries < 100 && answered() === 0; tries += 1)
        expect([denies(asked(place, "rm -rf ~")), denies(asked(place, "ls -la"))]).toEqual([true, false]);
      expect(answered()).toBeGreaterThan(0);
    } finally {
      judge.kill();
      await ended(judge);
    }
  });
});
