import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_SETTINGS, joinLayers, type LayerInput } from "../../packages/core/src/policy/layers.ts";
import type { Effect, LayerName, OperationBlock, Settings } from "../../packages/core/src/policy/match/types.ts";
import { exec, file, ruleOf } from "./language.ts";
import { block, judged, machine } from "./machine.ts";

interface Content {
  readonly settings?: Partial<Settings>;
  readonly rules?: readonly (readonly [Effect, string])[];
  readonly operations?: readonly OperationBlock[];
}

function layer(name: LayerName, { settings = {}, rules = [], operations = [] }: Content, trusted?: boolean): LayerInput {
  const path = {
    managed: "/etc/assent/policy.jsonc",
    user: "/home/me/.agent-permissions.jsonc",
    project: "/home/me/repo/.agent-permissions.jsonc",
    explicit: "/x.jsonc",
    profile: "/home/me/.local/state/assent/profiles/ci.jsonc",
  }[name];
  return {
    ok: true,
    policy: { file: path, layer: name, settings, rules: rules.map(([effect, rule]) => ruleOf(effect, rule, { layer: name })), operations },
    ...(trusted === undefined ? {} : { trusted }),
  };
}

const broken = (name: LayerName, trusted?: boolean): LayerInput => ({
  ok: false,
  file: "f",
  layer: name,
  why: "f:1:1: unknown key `denny`",
  ...(trusted === undefined ? {} : { trusted }),
});

test("no file: the defaults", () => {
  expect(joinLayers([])).toEqual({ settings: DEFAULT_SETTINGS, rules: [], operations: [], warnings: [] });
});

describe("rules are one pool (A10)", () => {
  const shapes = [
    layer(
      "project",
      {
        rules: [
          ["deny", "Bash(b)"],
          ["allow", "Bash(c)"],
        ],
      },
      true,
    ),
    layer("user", { rules: [["allow", "Bash(b)"]] }),
    layer("managed", { rules: [["ask", "Bash(a)"]] }),
  ];
  test("stronger files first, whatever order they come in", () => {
    expect(joinLayers(shapes).rules.map(({ source }) => source.text)).toEqual(["Bash(a)", "Bash(b)", "Bash(b)", "Bash(c)"]);
  });
  test("YW5: a deny anywhere wins, no layer takes one away", () => {
    const policy = joinLayers(shapes);
    expect(judged(exec("b"), policy).decision).toBe("deny");
    expect(judged(exec("a"), policy).decision).toBe("ask");
    expect(judged(exec("c"), policy).decision).toBe("allow");
  });
});

describe("scalars", () => {
  test.each<readonly [string, readonly LayerInput[], Partial<Settings>]>([
    [
      "managed fixes",
      [layer("managed", { settings: { preset: "strict" } }), layer("user", { settings: { preset: "permissive" } })],
      { preset: "strict" },
    ],
    [
      "else the user",
      [layer("managed", { settings: { preset: "strict" } }), layer("user", { settings: { mode: "auto-edit" } })],
      { preset: "strict", mode: "auto-edit" },
    ],
    ["an explicit file fills in", [layer("explicit", { settings: { mode: "auto-edit" } })], { mode: "auto-edit" }],
    ["so does a profile", [layer("profile", { settings: { mode: "auto-edit" } })], { mode: "auto-edit" }],
    [
      "a profile loosens nothing that is set",
      [layer("user", { settings: { mode: "suggest" } }), layer("profile", { settings: { mode: "full-auto" } })],
      { mode: "suggest" },
    ],
    [
      "and replaces nothing",
      [layer("user", { settings: { mode: "suggest" } }), layer("explicit", { settings: { mode: "full-auto" } })],
      { mode: "suggest" },
    ],
    [
      "but may tighten",
      [layer("user", { settings: { preset: "permissive" } }), layer("explicit", { settings: { preset: "strict" } })],
      { preset: "strict" },
    ],
    [
      "a trusted project tightens",
      [
        layer("user", { settings: { mode: "full-auto", bypass: "host" } }),
        layer("project", { settings: { mode: "auto-edit", bypass: "asks", unknown: "deny", preset: "strict" } }, true),
      ],
      { mode: "auto-edit", bypass: "asks", unknown: "deny", preset: "strict" },
    ],
    [
      "and never loosens",
      [layer("project", { settings: { mode: "full-auto", bypass: "host", unknown: "confine", preset: "permissive" } }, true)],
      { mode: "suggest", bypass: "asks", unknown: "ask", preset: "default" },
    ],
    ["nor to none", [layer("project", { settings: { preset: "none" } }, true)], { preset: "default" }],
    [
      "nor between two that are each stricter somewhere",
      [layer("user", { settings: { preset: "readonly" } }), layer("project", { settings: { preset: "strict" } }, true)],
      { preset: "readonly" },
    ],
    [
      "an untrusted project has none",
      [layer("project", { settings: { mode: "auto-edit", preset: "strict", unknown: "deny" } })],
      { mode: "suggest", preset: "default", unknown: "ask" },
    ],
    [
      "roots narrow",
      [layer("project", { settings: { writableRoots: ["src", "./docs/../docs", "..", "/srv", "~"] } }, true)],
      { writableRoots: ["src", "./docs/../docs"] },
    ],
    [
      "roots narrow inside others",
      [
        layer("user", { settings: { writableRoots: ["src", "/srv", "~/x"] } }),
        layer("project", { settings: { writableRoots: ["src/a", "docs", "/srv/a", "~/x/y", "~"] } }, true),
      ],
      { writableRoots: ["src/a", "/srv/a", "~/x/y"] },
    ],
  ])("%s", (_, inputs, expected) => {
    expect(joinLayers(inputs).settings).toMatchObject(expected);
  });
  test("automation", () => {
    const user = {
      when: "everywhere",
      agents: { trusted: ["a", "b"], restricted: ["c"] },
      breaker: { denials: 10, minutes: 0 },
      refusals: { minutes: 5 },
    } as const;
    const project = {
      when: "subagents",
      agents: { trusted: ["b", "x"], restricted: ["d"] },
      breaker: { denials: 50, minutes: 0 },
      refusals: { minutes: 20 },
    } as const;
    expect(
      joinLayers([layer("user", { settings: { automation: user } }), layer("project", { settings: { automation: project } }, true)])
        .settings.automation,
    ).toEqual({
      when: "subagents",
      agents: { trusted: ["b"], restricted: ["c", "d"] },
      breaker: { denials: 10, minutes: 0 },
      refusals: { minutes: 20 },
    });
  });
});

describe("projects", () => {
  const rules = [
    ["allow", "Bash(weird:*)"],
    ["allow", "Edit(**)"],
    ["deny", "Read(**/*.sql)"],
  ] as const;
  test("untrusted: its denies hold, the rest is ignored and said so", () => {
    const policy = joinLayers([layer("project", { settings: { mode: "full-auto" }, rules })]);
    expect(judged(exec("weird"), policy).decision).toBe("none");
    expect(judged(file("edit src/a.ts"), policy).decision).toBe("ask");
    expect(judged(file("read a.sql"), policy)).toMatchObject({ decision: "deny", untrusted: true });
    expect(policy.warnings).toEqual([
      '/home/me/repo/.agent-permissions.jsonc is not trusted: 2 allow rules, "mode" ignored; `assent trust` makes it count',
    ]);
  });
  test("trusted: its allows hold inside its root only", () => {
    const policy = joinLayers([layer("project", { rules }, true)]);
    expect(judged(exec("weird"), policy).decision).toBe("allow");
    expect(judged(exec("weird"), policy, { world: machine([], { cwd: "/srv" }) }).decision).toBe("none");
    expect(judged(file("edit src/a.ts"), policy).decision).toBe("allow");
    expect(judged(file("edit /srv/a.ts"), policy).decision).toBe("ask");
    expect(judged(file("read a.sql"), policy).untrusted).toBeUndefined();
    expect(policy.warnings).toEqual([]);
  });
  test("trusted: an allowed command's effects elsewhere stay asked", () => {
    const policy = joinLayers([layer("project", { rules }, true)]);
    const effect = { ...file("write /srv/a"), origin: { by: "command", exec: 0 } } as const;
    expect(judged([exec("weird"), effect], policy).decision).toBe("ask");
  });
  const secret = file("read /home/me/.ssh/id_rsa");
  const asking = [
    ["ask", "Read"],
    ["ask", "*"],
    ["ask", "Bash(**)"],
    ["ask", "Read(~/.ssh/**)"],
    ["ask", "Read(.env)"],
    ["ask", "Write"],
  ] as const;
  test("untrusted: its questions soften no deny", () => {
    const policy = joinLayers([layer("project", { rules: asking })]);
    expect(judged(secret, policy).decision).toBe("deny");
    expect(judged(file("read .env"), policy).decision).toBe("deny");
    expect(judged(file("write /home/me/.bashrc"), policy).decision).toBe("deny");
    expect(judged(exec("curl x", { dangers: ["download-exec"] }), policy).decision).toBe("deny");
    expect(judged(file("read a"), policy).decision).toBe("ask");
    const readonly = joinLayers([layer("user", { settings: { preset: "readonly" } }), layer("project", { rules: asking })]);
    expect(judged(file("write a"), readonly).decision).toBe("deny");
    const unknown = joinLayers([layer("user", { settings: { unknown: "deny" } }), layer("project", { rules: asking })]);
    expect(judged(exec("weird"), unknown).decision).toBe("deny");
  });
  test("trusted: its questions open what they name, inside its root only", () => {
    const policy = joinLayers([layer("project", { rules: asking }, true)]);
    expect(judged(secret, policy).decision).toBe("deny");
    expect(judged(file("read .env"), policy).decision).toBe("ask");
    expect(judged(file("write /home/me/.bashrc"), policy).decision).toBe("deny");
  });
  test("your own questions open what they name", () => {
    const policy = joinLayers([layer("user", { rules: asking })]);
    expect(judged(secret, policy).decision).toBe("ask");
    expect(judged(file("read .env.local"), policy).decision).toBe("deny");
    expect(judged(file("write /home/me/.bashrc"), policy).decision).toBe("deny");
  });
  test("blocks: untrusted ones narrow only", () => {
    const operations = [block("write", "allow", ["allow docs/**"]), block("read", "ask", ["deny **/*.sql", "allow src/**"])];
    const policy = joinLayers([layer("project", { operations })]);
    expect(judged(file("write docs/a"), policy).decision).toBe("ask");
    expect(judged(file("write a"), policy).decision).toBe("ask");
    expect(judged(file("read a"), policy).decision).toBe("ask");
    expect(judged(file("read src/a"), policy).decision).toBe("allow");
    expect(judged(file("read a.sql"), policy)).toMatchObject({ decision: "deny", untrusted: true });
  });
  test("blocks: a trusted one's allow default holds inside", () => {
    const policy = joinLayers([layer("project", { operations: [block("write", "allow")] }, true)]);
    expect(judged(file("write a"), policy).decision).toBe("allow");
    expect(judged(file("write /srv/a"), policy).decision).toBe("ask");
  });
});

describe("a project that nobody trusts loosens nothing, whatever it says", () => {
  const users: readonly Content[] = [
    {},
    { settings: { preset: "strict" } },
    { settings: { preset: "readonly" } },
    { settings: { unknown: "deny", mode: "auto-edit" } },
    {
      rules: [
        ["ask", "Bash(ls:*)"],
        ["deny", "Bash(terraform:*)"],
        ["allow", "Bash(make:*)"],
      ],
    },
  ];
  const actions = [
    file("read /home/me/.ssh/id_rsa"),
    file("read a"),
    file("write a"),
    file("write /home/me/.bashrc"),
    file("write /home/me/.agent-permissions.jsonc"),
    file("write .claude/settings.json"),
    file("delete /home/me", { recursive: true }),
    exec("weird"),
    exec("make"),
    exec("ls", { knowledge: "ls" }),
    exec("terraform apply"),
    exec("curl x", { knowledge: "curl", dangers: ["download-exec"] }),
    exec("git push --force", { knowledge: "git push", dangers: ["force-push"] }),
    exec("assent trust"),
  ];
  const RULES =
    "* Bash(*) Bash(**) Bash(weird:*) Bash(curl:*) Read Read(**) Read(/**) Read(~/.ssh/**) Read(~/.ssh/id_rsa) Write Write(**) Write(~/.bashrc) Edit Delete(**) Exec(**) Bash(terraform:*) Bash(assent:*)";
  const rule = fc.tuple(fc.constantFrom<Effect>("allow", "ask", "deny"), fc.constantFrom(...RULES.split(" ")));
  const blocks = fc.constantFrom(block("read", "allow", ["ask **"]), block("write", "ask"), block("write", "allow", ["allow **"]));
  const settings = fc.record<Partial<Settings>>(
    {
      preset: fc.constantFrom("none", "permissive", "default"),
      mode: fc.constantFrom("full-auto", "auto-edit"),
      unknown: fc.constantFrom("ask", "confine"),
      bypass: fc.constant("host"),
      writableRoots: fc.constant(["/"]),
    },
    { requiredKeys: [] },
  );
  const LOOSE = ["deny", "ask", "none", "allow"];

  test.each(users.map((user, at) => [at, user] as const))("beside your policy %i", (_, user) => {
    const alone = joinLayers([layer("user", user)]);
    const before = actions.map((action) => LOOSE.indexOf(judged(action, alone).decision));
    fc.assert(
      fc.property(settings, fc.array(rule, { maxLength: 6 }), fc.array(blocks, { maxLength: 2 }), (own, rules, operations) => {
        const policy = joinLayers([layer("user", user), layer("project", { settings: own, rules, operations })]);
        expect(policy.settings).toEqual(alone.settings);
        actions.forEach((action, at) => {
          const { decision } = judged(action, policy);
          expect([at, LOOSE.indexOf(decision) <= (before[at] ?? -1)]).toEqual([at, true]);
        });
      }),
    );
  });
});

describe("AW13: broken files", () => {
  const deny = layer("user", {
    rules: [
      ["deny", "Bash(rm:*)"],
      ["allow", "Bash(ls:*)"],
    ],
  });
  test("a broken user's or managed file: the others hold, allow becomes ask", () => {
    for (const name of ["managed", "user", "explicit", "profile"] as const) {
      const policy = joinLayers([broken(name), deny]);
      expect(policy.broken).toBe("f:1:1: unknown key `denny`");
      expect(judged(exec("rm x"), policy).decision).toBe("deny");
      expect(judged(exec("ls"), policy)).toMatchObject({
        decision: "ask",
        reason: "a policy file has a mistake: f:1:1: unknown key `denny`",
      });
    }
  });
  test("a broken project file nobody trusts is left out with a warning", () => {
    const policy = joinLayers([broken("project"), deny]);
    expect(policy.broken).toBeUndefined();
    expect(policy.warnings).toEqual(["f:1:1: unknown key `denny`: this project's file is left out"]);
    expect(judged(exec("rm x"), policy).decision).toBe("deny");
    expect(judged(exec("ls"), policy).decision).toBe("allow");
  });
  test("a trusted one may have held a deny", () => {
    expect(joinLayers([broken("project", true)]).broken).toBeDefined();
  });
});
