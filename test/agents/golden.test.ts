import { describe, expect, it } from "vitest";
import { AGENT_IDS, agentNamed, AGENTS, type AgentId, recognise, type Reply } from "@assent/hosts/agents";
import { decide } from "@assent/guard/engine";
import { engine, scratch, type Scratch } from "../scratch.ts";
import { type Asked, type EventSpec, HOSTS } from "./envelopes.ts";

/** What every host is asked, under this policy of the user. The files `golden/AGENT.md` hold what goes in and what comes out. */
const POLICY = `{ "permissions": {
  "ask": ["Bash(make:*)"],
  "deny": [{ "rule": "Bash(terraform:*)", "reason": "infrastructure is changed by CI" }, "mcp__lab__wipe", "wipe"],
  "allow": ["Bash(cargo test:*)", "Edit(src/**)"]
} }`;

const SITUATIONS: readonly (readonly [what: string, asked: Asked])[] = [
  ["a harmless command", { shell: "ls -la" }],
  ["a command that a rule allows", { shell: "cargo test" }],
  ["a command that nobody knows", { shell: "./build.sh" }],
  ["a command that a rule asks about", { shell: "make all" }],
  ["a command that a rule denies", { shell: "terraform apply" }],
  ["a dangerous command", { shell: "rm -rf ~" }],
  ["reading a file", { read: "src/a.ts" }],
  ["reading a secret", { read: "/p/.env" }],
  ["writing a file: a default asks", { write: "lib/a.ts" }],
  ["writing a file that a rule allows", { write: "src/a.ts" }],
  ["writing a hook of git", { write: ".git/hooks/pre-commit" }],
  ["a patch", { patch: "*** Begin Patch\n*** Update File: lib/a.ts\n@@\n-a\n+b\n*** End Patch\n" }],
  [
    "a patch that moves a file onto a secret",
    { patch: "*** Begin Patch\n*** Update File: a\n*** Move to: .env\n@@\n-a\n+b\n*** End Patch\n" },
  ],
  ["a tool of a server", { mcp: "note" }],
  ["a tool of a server that a rule denies", { mcp: "wipe" }],
];

function asked(
  id: AgentId,
  { event, envelope, env }: EventSpec,
  wish: Asked,
  place: Scratch,
): { readonly payload: unknown; readonly said: Reply } | undefined {
  const real = JSON.parse(JSON.stringify(wish).replaceAll('"/p/', `"${place.project}/`)) as Asked;
  const payload = envelope(real, place.project);
  if (payload === undefined) return undefined;
  const protocol = agentNamed(id)?.protocol;
  if (protocol === undefined) throw new Error(`${id} is missing`);
  const registered = event.includes(",") ? undefined : event;
  const reading = protocol.read({ payload, event: registered, env: { ...place.machine.env, ...env?.(real) }, folder: place.project });
  if (reading.is !== "request") throw new Error(`${id} ${event}: ${reading.why}`);
  return { payload, said: protocol.write(decide(reading.request, { machine: place.machine, ...engine, audit: false })) };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** In one word. */
function told(id: AgentId, { envelope = {}, exit }: Reply): string {
  const { exits } = HOSTS[id];
  if (exits !== undefined) return exits[exit] ?? "-";
  const own = isRecord(envelope["hookSpecificOutput"]) ? envelope["hookSpecificOutput"] : envelope;
  if (own["block"] === true || own["cancel"] === true) return "deny";
  if (own["overrideInput"] !== undefined) return "replaced";
  const decision = isRecord(own["decision"]) ? own["decision"]["behavior"] : own["decision"];
  const word = own["permissionDecision"] ?? decision ?? own["behavior"] ?? own["status"] ?? own["permission"];
  return word === undefined || word === "none" ? "-" : JSON.stringify(word).replaceAll('"', "");
}

function keysOf(envelope: Record<string, unknown>): readonly string[] {
  return Object.entries(envelope).flatMap(([key, value]) => [
    key,
    ...(isRecord(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : []),
  ]);
}

const SPECS = AGENT_IDS.flatMap((id) => HOSTS[id].events.map((spec) => [`${id} ${spec.event}`, id, spec] as const));

describe("A37-A41: every agent in its own words", () => {
  it.each(SPECS)("%s", (_name, id, spec) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    const answers = SITUATIONS.map(([what, wish]) => {
      const made = asked(id, spec, wish, place);
      if (made === undefined) return "·";
      const { said } = made;
      const word = told(id, said);
      const wrong = keysOf(said.envelope ?? {}).filter((key) => !HOSTS[id].keys.test(key));
      expect([what, wrong]).toEqual([what, []]);
      // A reason with every refusal, in words that cannot control a terminal.
      if (/deny|ask|replaced/.test(word)) {
        expect([what, JSON.stringify(said)]).toEqual([what, expect.stringContaining(id === "generic" ? '"reason":"' : "Assent: ")]);
        // oxlint-disable-next-line no-control-regex -- none may pass
        expect(`${said.stderr ?? ""}${Object.values(said.envelope ?? {}).join("")}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
      return word;
    });
    expect(answers.join(" ")).toBe(spec.told);
  });

  it.each(AGENT_IDS)("golden/%s.md", async (id) => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    const shown = (value: unknown): string => JSON.stringify(value).replaceAll(place.project, "/p").replaceAll(place.home, "~");
    const lines = [
      `# ${agentNamed(id)?.name ?? id}`,
      "",
      "What the host sends, and what it is told. Written by golden.test.ts, read by people.",
      "",
    ];
    for (const spec of HOSTS[id].events) {
      lines.push(`## ${spec.event}`, "");
      for (const [what, wish] of SITUATIONS) {
        const made = asked(id, spec, wish, place);
        if (made === undefined) continue;
        const { envelope, stderr, exit } = made.said;
        const env = Object.entries(spec.env?.(wish) ?? {}).map(([key, value]) => `${key}=${value} `);
        lines.push(`${what[0]?.toUpperCase() ?? ""}${what.slice(1)}:`, "", "```", `> ${env.join("")}${shown(made.payload)}`);
        if (envelope !== undefined) lines.push(`< ${shown(envelope)}`);
        if (stderr !== undefined) lines.push(`< stderr: ${stderr.replaceAll(place.project, "/p").replaceAll(place.home, "~")}`);
        if (exit !== 0 || envelope === undefined) lines.push(`< exit ${exit}`);
        lines.push("```", "");
      }
    }
    await expect(lines.join("\n")).toMatchFileSnapshot(`golden/${id}.md`);
  });

  it.each(AGENT_IDS)("%s: what cannot be judged is refused as strongly as the host understands", (id) => {
    const protocol = agentNamed(id)?.protocol;
    for (const { event } of HOSTS[id].events) {
      const said = protocol?.refuse("something went wrong", event);
      if (said === undefined) throw new Error(`${id} is missing`);
      // Before a host's own question silence is a question.
      const question = /^(?:PermissionRequest|permissionRequest|permission\.ask)$/.test(event);
      expect([event, told(id, said)]).toEqual([event, question ? "-" : expect.stringMatching(/^(?:deny|ask)$/)]);
      expect(keysOf(said.envelope ?? {}).filter((key) => !HOSTS[id].keys.test(key))).toEqual([]);
    }
  });

  it.each(AGENT_IDS)("%s: nonsense is no request", (id) => {
    const protocol = agentNamed(id)?.protocol;
    const nonsense: Record<string, unknown>[] = [
      {},
      { tool_name: 7, toolName: 7, tool: 7, hook_event_name: "PreToolUse" },
      { tool_name: "constructor", tool_input: "x", hook_event_name: "PreToolUse", cwd: "relative" },
      { tool_name: "__proto__", tool_input: null, tool_call: null, tool_info: [], permission: [] },
    ];
    for (const payload of nonsense) {
      const reading = protocol?.read({ payload, event: undefined, env: {}, folder: "" });
      expect([payload, reading?.is]).toEqual([payload, "problem"]);
    }
  });

  it.each(SPECS)("--agent auto: %s", (_name, id, { event, envelope, env }) => {
    // Some of VS Code's tools have names of others; a server's tool looks as Claude Code's does.
    const telling = SITUATIONS.filter(([, wish]) =>
      id === "vscode" ? "shell" in wish || "write" in wish : !(["qwen", "claude"].includes(id) && "mcp" in wish),
    );
    const taken = telling.flatMap(([, wish]) => {
      const payload = envelope(wish, "/p");
      return payload === undefined ? [] : [recognise(payload, event.includes(",") ? undefined : event, env?.(wish) ?? {})];
    });
    expect([...new Set(taken)]).toEqual([HOSTS[id].takenFor ?? id]);
  });

  it("--agent auto: variables of the host tell forms apart that are alike", () => {
    const payload = { hook_event_name: "PreToolUse", tool_name: "Execute", tool_input: {} };
    expect(recognise(payload, undefined, { FACTORY_PROJECT_DIR: "/p" })).toBe("droid");
    expect(recognise(payload, undefined, { QWEN_PROJECT_DIR: "/p" })).toBe("qwen");
    expect(recognise({ ...payload, tool_name: "glob" }, undefined, {})).toBe("qwen");
    expect(recognise({ tool_name: "glob", tool_input: {} }, undefined, {})).toBe("gemini");
    expect(recognise({ hook_event_name: "PermissionRequest", permission: { type: "bash" } }, undefined, {})).toBe("codex");
    expect(recognise({}, "permission.ask", {})).toBe("opencode");
    expect(recognise({}, "AfterTool", {})).toBe("gemini");
  });

  it("A38: Codex's older envelope", () => {
    const place = scratch();
    place.write("~/.agent-permissions.jsonc", POLICY);
    const payload = (command: string) => ({
      hook_event_name: "PermissionRequest",
      cwd: place.project,
      permission: { type: "bash", metadata: { command } },
    });
    const ask = (command: string): string => {
      const protocol = agentNamed("codex")?.protocol;
      const reading = protocol?.read({ payload: payload(command), event: undefined, env: {}, folder: place.project });
      if (protocol === undefined || reading?.is !== "request") throw new Error("no request");
      return told("codex", protocol.write(decide(reading.request, { machine: place.machine, ...engine, audit: false })));
    };
    expect([ask("cargo test"), ask("terraform apply"), ask("make all")]).toEqual(["allow", "deny", "-"]);
  });

  it("the registry is in the order of its ids, and says what each host cannot do", () => {
    expect(AGENTS.map(({ id }) => id)).toEqual(AGENT_IDS);
    expect(AGENTS.map(({ protocol }) => protocol.id)).toEqual(AGENT_IDS);
    for (const { id, setup } of AGENTS) if (id !== "generic") expect([id, (setup?.cannot.length ?? 0) > 0]).toEqual([id, true]);
  });
});
