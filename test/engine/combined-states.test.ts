import { realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as claude } from "@assent/hosts/agents/claude";
import type { FileOperation } from "@assent/core/action";
import { decide } from "@assent/guard/engine";
import { NO_TOOL_SERVICE } from "../../packages/supervisor/src/supervise/services/services.ts";
import { GrantingJudge } from "../../packages/supervisor/src/supervise/judge/granting-judge.ts";
import { addGrant, changeBypass, changePins } from "@assent/guard/state";
import { engine, scratch, type Scratch } from "../scratch.ts";

/**
 * Every combination of what can be the case at once. A combination never allows what its strictest part would not: each
 * part that tightens is held against the same combination without it.
 */
const USER =
  '{ "permissions": { "allow": ["Bash(make:*)"], "deny": ["Read(secret/**)", "Bash(terraform:*)"], "ask": ["Bash(npm run:*)"] } }';
const MINUTE = 60_000;

const STATES = {
  policy: {
    none: () => {},
    whole: (place: Scratch) => void place.write("~/.agent-permissions.jsonc", USER),
    "an unknown key": (place: Scratch) => void place.write("~/.agent-permissions.jsonc", USER.replace('"deny"', '"denny"')),
    damaged: (place: Scratch) => void place.write("~/.agent-permissions.jsonc", USER.slice(0, 40)),
  },
  bypass: {
    off: () => {},
    "of Assent": (place: Scratch) => void changeBypass(place.machine, undefined, Date.now() + 10 * MINUTE, Date.now()),
    "of the host": () => {},
  },
  grant: {
    none: () => {},
    "of everything": (place: Scratch) => {
      const by = "you, at the terminal";
      for (const rule of ["Bash(*)", "Read", "Edit"])
        addGrant(place.machine, { kind: "rule", rule, until: Date.now() + 10 * MINUTE, by }, Date.now());
    },
  },
  project: {
    none: () => {},
    "untrusted and allows everything": (place: Scratch) =>
      void place.write(
        ".agent-permissions.jsonc",
        '{ "preset": "none", "bypass": "host", "permissions": { "allow": ["Bash(*)", "Read", "Edit"] } }',
      ),
    "untrusted and denies": (place: Scratch) =>
      void place.write(".agent-permissions.jsonc", '{ "permissions": { "deny": ["Bash(ls:*)"] } }'),
    "trusted, then changed": (place: Scratch) => {
      const file = place.write(".agent-permissions.jsonc", '{ "permissions": { "allow": ["Bash(*)", "Read", "Edit"] } }');
      changePins(place.machine, (pins) => pins.set(file, "the hash of another text"));
    },
    damaged: (place: Scratch) => void place.write(".agent-permissions.jsonc", "{ oops"),
  },
} as const;

type State = { readonly [K in keyof typeof STATES]: keyof (typeof STATES)[K] };

const REQUESTS: readonly (readonly [tool: string, input: Record<string, string>])[] = [
  ["Read", { file_path: "secret/x" }],
  ["Read", { file_path: "README.md" }],
  ["Bash", { command: "cat secret/x" }],
  ["Bash", { command: "ls" }],
  ["Bash", { command: "make all" }],
  ["Bash", { command: "npm run x" }],
  ["Bash", { command: "terraform apply" }],
  ["Bash", { command: "rm -rf ~" }],
  ["Bash", { command: "$x y" }],
  ["Bash", { command: "assent bypass on --for 1h" }],
  ["Edit", { file_path: ".agent-permissions.jsonc", old_string: "a", new_string: "b" }],
  ["Write", { file_path: ".claude/settings.json", content: "{}" }],
];

const RANK: Readonly<Record<string, number>> = { allow: 0, none: 1, ask: 2, deny: 3 };

const nobody = {
  programs: () => [],
  logins: () => [],
  trail: () => undefined,
  toolService: () => NO_TOOL_SERVICE,
  builds: () => [],
  hosts: () => ({ service: [], named: [] }),
};
const CALL = { name: "exec", args: [] } as const;

/** What a supervised program does in the same states. */
const DEEDS: readonly (readonly [FileOperation | "exec", ...string[]])[] = [
  ["read", "secret/x"],
  ["read", "README.md"],
  ["write", "README.md"],
  ["write", ".agent-permissions.jsonc"],
  ["write", ".claude/settings.json"],
  ["write", "~/.ssh/authorized_keys"],
  ["delete", "~/.local/state/assent/audit.jsonl"],
  ["exec", "terraform", "apply"],
  ["exec", "ls"],
  ["exec", "shutdown", "now"],
];

/** What each request is told; `none` in the host's bypass mode goes ahead, which is an allow. */
function told(state: State): readonly string[] {
  const place = scratch({ keep: true });
  STATES.policy[state.policy](place);
  STATES.bypass[state.bypass](place);
  STATES.grant[state.grant](place);
  STATES.project[state.project](place);
  const answers = REQUESTS.map(([tool_name, input]) => {
    const file_path = input["file_path"];
    const tool_input = file_path === undefined ? input : { ...input, file_path: `${place.project}/${file_path}` };
    const permission_mode = state.bypass === "of the host" ? "bypassPermissions" : "default";
    const payload = { hook_event_name: "PreToolUse", cwd: place.project, permission_mode, tool_name, tool_input };
    const reading = claude.read({ payload, event: undefined, env: {}, folder: place.project });
    if (reading.is !== "request") throw new Error(reading.why);
    const { answer } = decide(reading.request, { machine: place.machine, ...engine, audit: false });
    return state.bypass === "of the host" && answer.decision === "none" ? "allow" : answer.decision;
  });
  rmSync(place.root, { recursive: true });
  return answers;
}

/** What a run is told, which does not begin where a policy file is broken. */
function toldInRun(state: State): readonly string[] {
  const place = scratch({ keep: true });
  place.write("~/.local/state/assent/audit.jsonl", "");
  STATES.policy[state.policy](place);
  STATES.bypass[state.bypass](place);
  STATES.grant[state.grant](place);
  STATES.project[state.project](place);
  const judge = new GrantingJudge({
    machine: place.machine,
    cwd: place.project,
    env: {},
    policyFiles: [],
    profileFile: join(place.root, "no profile"),
    reader: engine.reader,
    own: engine.own,
  });
  const home = realpathSync(place.home);
  const answers = DEEDS.map(([does, ...words]) => {
    if (judge.policy.broken !== undefined) return "deny";
    if (does === "exec") {
      const [name = ""] = words;
      const path = `/usr/bin/${name}`;
      const file = "/bin/true";
      const started = { word: path, path, id: "", size: statSync(file).size, argv: words, file };
      return judge.exec([started], CALL, nobody).verdict.decision;
    }
    const [word = ""] = words;
    const path = word.startsWith("~/") ? `${home}${word.slice(1)}` : join(realpathSync(place.project), word);
    const action = { kind: "file", operation: does, target: { kind: "path", path }, origin: { by: "tool" } } as const;
    return judge.call([action], nobody).decision;
  });
  rmSync(place.root, { recursive: true });
  return answers;
}

const keys = <T extends object>(of: T): readonly (keyof T)[] => Object.keys(of) as (keyof T)[];
const combinations = (): readonly State[] =>
  keys(STATES.policy).flatMap((policy) =>
    keys(STATES.bypass).flatMap((bypass) =>
      keys(STATES.grant).flatMap((grant) => keys(STATES.project).map((project) => ({ policy, bypass, grant, project }))),
    ),
  );

/** Parts that only tighten, and what they are held against. */
const TIGHTENS: readonly (readonly [Partial<State>, Partial<State>])[] = [
  [{ policy: "an unknown key" }, { policy: "none" }],
  [{ policy: "damaged" }, { policy: "none" }],
  [{ policy: "whole" }, { policy: "none" }],
  [{ project: "untrusted and denies" }, { project: "none" }],
  [{ project: "untrusted and allows everything" }, { project: "none" }],
  [{ project: "trusted, then changed" }, { project: "none" }],
  [{ project: "damaged" }, { project: "none" }],
];

describe("combinations of state", () => {
  const all = new Map(combinations().map((state) => [JSON.stringify(state), { state, answers: told(state) }]));
  const answersOf = (state: State): readonly string[] => all.get(JSON.stringify(state))?.answers ?? [];

  it(`${all.size} of them: a part that tightens never loosens`, () => {
    const wrong: string[] = [];
    for (const { state, answers } of all.values())
      for (const [part, without] of TIGHTENS) {
        if (!keys(part).every((name) => state[name] === part[name])) continue;
        const loose = answersOf({ ...state, ...without });
        // A rule that was written allows what it names: `make`, by the user.
        for (const [at, [tool, input]] of REQUESTS.entries()) {
          if (part.policy === "whole" && input["command"] === "make all") continue;
          if ((RANK[answers[at] ?? ""] ?? -1) < (RANK[loose[at] ?? ""] ?? 9))
            wrong.push(
              `${JSON.stringify(state)} ${tool} ${JSON.stringify(input)}: ${answers[at]}, without ${JSON.stringify(part)} ${loose[at]}`,
            );
        }
      }
    expect(wrong).toEqual([]);
  });

  it("while the user's file is broken nothing goes ahead that it could have denied, whatever skips questions", () => {
    const wrong = [...all.values()].flatMap(({ state, answers }) => {
      if (state.policy === "none" || state.policy === "whole") return [];
      return answers.flatMap((answer, at) =>
        (RANK[answer] ?? 0) < 2 ? [`${JSON.stringify(state)} ${JSON.stringify(REQUESTS[at])}: ${answer}`] : [],
      );
    });
    expect(wrong).toEqual([]);
  });

  it("what is denied by the floor, by danger and by a written rule is denied in all of them", () => {
    const wrong = [...all.values()].flatMap(({ state, answers }) =>
      REQUESTS.flatMap(([, input], at) => {
        const command = input["command"];
        const written =
          state.policy === "whole" && (command === "terraform apply" || command === "cat secret/x" || input["file_path"] === "secret/x");
        const always = command === "rm -rf ~" || command?.startsWith("assent") === true;
        return (written || always) && answers[at] !== "deny" ? [`${JSON.stringify(state)} ${JSON.stringify(input)}: ${answers[at]}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the same states, supervised", () => {
  const all = combinations().map((state) => ({ state, answers: toldInRun(state) }));
  const answersOf = (state: State): readonly string[] =>
    all.find((entry) => JSON.stringify(entry.state) === JSON.stringify(state))?.answers ?? [];

  it(`${all.length} of them: a part that tightens never loosens`, () => {
    const wrong = all.flatMap(({ state, answers }) =>
      TIGHTENS.filter(([part]) => keys(part).every((name) => state[name] === part[name])).flatMap(([part, without]) => {
        const loose = answersOf({ ...state, ...without });
        return DEEDS.flatMap((deed, at) =>
          (RANK[answers[at] ?? ""] ?? -1) < (RANK[loose[at] ?? ""] ?? 9)
            ? [`${JSON.stringify(state)} ${deed.join(" ")}: ${answers[at]}, without ${JSON.stringify(part)} ${loose[at]}`]
            : [],
        );
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("what a written rule and the floor deny is denied in all of them, files that decide are never free, and no waiver of questions reaches a run", () => {
    const wrong = all.flatMap(({ state, answers }) =>
      DEEDS.flatMap((deed, at) => {
        const words = deed.slice(1).join(" ");
        const written = state.policy === "whole" && (words === "terraform apply" || words === "secret/x");
        const denied = written || words.endsWith("audit.jsonl");
        const decides = words.endsWith(".jsonc") || words.endsWith("settings.json");
        if ((denied && answers[at] !== "deny") || (decides && answers[at] === "allow"))
          return [`${JSON.stringify(state)} ${deed.join(" ")}: ${answers[at]}`];
        const bare = answersOf({ ...state, bypass: "off" })[at];
        return answers[at] === bare ? [] : [`${JSON.stringify(state)} ${deed.join(" ")}: ${answers[at]}, without the bypass ${bare}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
