import { shellWord } from "@assent/core/data";
import { placeFinder } from "@assent/core/edit/json5";
import { readToml } from "@assent/core/edit/toml";
import { Collector, type Converted, made, type NativeContext, type NativeRead, type NativeOrigin, wordsRule } from "@assent/import/import";
import { readFolder } from "../claude/rules.ts";
import { at, textOfNode, textsOf, said } from "../rules/json.ts";
import { speakOf } from "./execpolicy.ts";
import { type Literal, readStarlark, type StarlarkCall } from "./starlark.ts";
import { folder, inProject, inProjectFolder, type NativeRules, ofUser, type Reasoned } from "../rules/contract.ts";
import { asText, ownFileWriter } from "../rules/write.ts";

/**
 * Codex (0.169.0; codex-rs/execpolicy/README.md): `prefix_rule` compares words, the strictest of all matches wins.
 * A bare program name stands for a path only as `host_executable` says.
 */

const DECISIONS = { allow: "allow", prompt: "ask", forbidden: "deny" } as const;
const isDecision = (value: unknown): value is keyof typeof DECISIONS => typeof value === "string" && Object.hasOwn(DECISIONS, value);

export function readCodexRules(text: string, { home }: NativeContext): NativeRead {
  const { calls, unread } = readStarlark(text);
  const placeOf = placeFinder(text);
  const into = new Collector();
  const paths = new Map<string, readonly string[]>();
  for (const call of calls) if (call.name === "host_executable") readPaths(call, paths);
  for (const call of calls) {
    const line = placeOf(call.start).line;
    const shown = text.slice(call.start).split("\n")[0]?.trim() ?? call.name;
    if (call.name === "prefix_rule") readPrefix(call, shown, line, paths, home, into);
    else if (call.name === "network_rule") readNetwork(call, shown, line, into);
    else if (call.name !== "host_executable") into.lose({ text: shown, line }, `nothing is known of \`${call.name}\``);
    else if (!paths.has(nameOf(call))) into.lose({ text: shown, line }, "`host_executable` needs a name and a list of paths");
  }
  for (const { start, text: shown, why } of unread) into.lose({ text: shown, line: placeOf(start).line }, why);
  return into.result();
}

const NETWORK_DECISIONS = { ...DECISIONS, deny: "deny" } as const;
const isNetworkDecision = (value: unknown): value is keyof typeof NETWORK_DECISIONS =>
  typeof value === "string" && Object.hasOwn(NETWORK_DECISIONS, value);
/** The port of a protocol; undefined: any (codex-rs/execpolicy/src/rule.rs). */
const PROTOCOLS: ReadonlyMap<Literal | undefined, number | undefined> = new Map<Literal, number | undefined>([
  ["http", 80],
  ["https", 443],
  ["https_connect", 443],
  ["http-connect", 443],
  ["socks5_tcp", undefined],
  ["socks5_udp", undefined],
]);
const NETWORK_KEYS = new Set(["host", "protocol", "decision", "justification"]);

/** An allow is for the protocol's own port: what else speaks it there is not known. A question or a refusal is for the host. */
function readNetwork({ args }: StarlarkCall, text: string, line: number, into: Collector): void {
  const [host, protocol, decision, reason] = ["host", "protocol", "decision", "justification"].map((key) => args.get(key));
  if (!isNetworkDecision(decision)) return into.lose({ text, line }, "the decision is none of allow, prompt, deny and forbidden");
  const effect = NETWORK_DECISIONS[decision];
  const origin: NativeOrigin = { effect, text, line, ...(typeof reason === "string" ? { reason } : {}) };
  if (typeof host !== "string" || !/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(host))
    return into.lose(origin, "`host` is not the name of one host");
  const port = PROTOCOLS.get(protocol);
  const other = [...args.keys()].find((key) => !NETWORK_KEYS.has(key));
  if (effect === "allow") {
    if (!PROTOCOLS.has(protocol)) return into.lose(origin, "nothing is known of this `protocol`");
    if (other !== undefined) return into.lose(origin, `nothing is known of \`${other}\``);
    if (port === undefined) return into.lose(origin, "which ports it allows is not said", `allow them by number: \`Net(${host}:PORT)\``);
  }
  into.keep([made(origin, { list: "permissions", rule: effect === "allow" ? `Net(${host}:${port})` : `Net(${host})` })], origin);
}

const nameOf = (call: StarlarkCall): string => {
  const name = call.args.get("name");
  return typeof name === "string" ? name : "";
};

function readPaths(call: StarlarkCall, paths: Map<string, readonly string[]>): void {
  const list = texts(call.args.get("paths"));
  const name = nameOf(call);
  if (name !== "" && list !== undefined) paths.set(name, [...(paths.get(name) ?? []), ...list]);
}

function texts(value: Literal | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  return list.every((item) => typeof item === "string") ? list : undefined;
}

const KNOWN = new Set(["pattern", "decision", "justification", "match", "not_match"]);

function readPrefix(
  { args }: StarlarkCall,
  shown: string,
  line: number,
  paths: ReadonlyMap<string, readonly string[]>,
  home: string,
  into: Collector,
): void {
  const decision = args.get("decision") ?? "allow";
  const words = patternOf(args.get("pattern"));
  const text =
    words === undefined ? shown : `prefix_rule ${words.map((one) => (one.length === 1 ? one[0] : `{${one.join(",")}}`)).join(" ")}`;
  if (!isDecision(decision)) return into.lose({ text, line }, "the decision is none of allow, prompt and forbidden");
  const effect = DECISIONS[decision];
  if (words === undefined) return into.lose({ text, line, effect }, "the pattern is not a list of texts");
  const other = [...args.keys()].find((key) => !KNOWN.has(key));
  if (other !== undefined && effect === "allow") return into.lose({ text, line, effect }, `nothing is known of \`${other}\``);
  const justification = args.get("justification");
  const origin: NativeOrigin = { effect, text, line, ...(typeof justification === "string" ? { reason: justification } : {}) };
  const match = examples(args.get("match"));
  const notMatch = examples(args.get("not_match"));
  if (match === undefined || notMatch === undefined) return into.lose(origin, "an example is neither a text nor a list of texts");
  const keep: NonNullable<Converted["keep"]> = { match, notMatch };
  // A bare name means any trusted program of that name here. Where paths are listed, an allow is for those.
  const [first = [], ...rest] = words;
  const programs =
    effect === "allow" ? first.flatMap((name) => paths.get(name)?.map((path) => path.replace(/^~(?=\/)/, home)) ?? [name]) : first;
  const listed = programs.length !== first.length || programs.some((program, i) => program !== first[i]);
  into.keep(wordsRule(origin, [programs, ...rest], true, listed ? undefined : keep), origin);
}

function patternOf(value: Literal | undefined): readonly (readonly string[])[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const list: readonly Literal[] = value;
  const words = list.map((item) => (typeof item === "string" ? [item] : texts(item)));
  return words.every((item) => item !== undefined && item.length > 0) ? words.map((item) => item ?? []) : undefined;
}

/** Examples are texts, or words. */
function examples(value: Literal | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const list: readonly Literal[] = value;
  const found = list.map((item) => (typeof item === "string" ? item : texts(item)?.map(shellWord).join(" ")));
  return found.every((item) => item !== undefined) ? found.map((item) => item ?? "") : undefined;
}

/** What the keys of `config.toml` that are no rules would mean here. */
const SETTINGS: readonly (readonly [key: string, why: string, help?: string])[] = [
  ["approval_policy", "when the host asks is the host's own setting", "here nothing is allowed by not asking"],
  ["approvals_reviewer", "who answers the host's questions is the host's own setting"],
  [
    "sandbox_mode",
    "the host's sandbox is its own; a mode here would hold for every agent",
    '`"preset": "readonly"` or `"mode": "auto-edit"` come close',
  ],
  ["default_permissions", "profiles of the host's sandbox are its own"],
  ["permissions", "profiles of the host's sandbox are its own"],
];

export function readCodexConfig(text: string, context: NativeContext): NativeRead {
  const placeOf = placeFinder(text);
  const { root, faults } = readToml(text);
  if (root === undefined) return { ...placeOf(faults[0]?.offset ?? 0), problem: faults[0]?.message ?? "cannot be read" };
  const into = new Collector();
  const lineOf = (offset: number): number => placeOf(offset).line;
  for (const { key, keyStart, value } of root.members) {
    const setting = SETTINGS.find(([name]) => name === key);
    const shown = textOfNode(value);
    if (setting !== undefined)
      into.lose({ text: `${key}${shown === undefined ? "" : ` = "${shown}"`}`, line: lineOf(keyStart) }, setting[1], setting[2]);
  }
  for (const item of textsOf(at(root, "sandbox_workspace_write", "writable_roots")).texts)
    readFolder(item.value, { text: `writable_roots ${item.value}`, line: lineOf(item.start) }, context, into);
  const network = at(root, "sandbox_workspace_write", "network_access");
  if (network?.kind === "scalar" && network.value === true)
    into.lose(
      { text: "network_access = true", line: lineOf(network.start) },
      "which hosts are reached is not said",
      "allow them by name: `Net(host)`",
    );
  const projects = at(root, "projects");
  for (const { key, keyStart, value } of projects?.kind === "object" ? projects.members : []) {
    const level = textOfNode(at(value, "trust_level"));
    if (level === "trusted")
      into.lose(
        { text: `projects "${key}" trusted`, line: lineOf(keyStart) },
        "trusting a project's rules is a decision of its own here",
        "say `assent trust` there",
      );
  }
  readServers(at(root, "mcp_servers"), lineOf, into);
  return into.result();
}

const APPROVALS: Readonly<Record<string, NativeOrigin["effect"]>> = { approve: "allow", prompt: "ask" };

function readServers(servers: ReturnType<typeof at>, lineOf: (offset: number) => number, into: Collector): void {
  for (const { key: server, value } of servers?.kind === "object" ? servers.members : []) {
    const rule = (effect: NativeOrigin["effect"], tool: string, text: string, start: number): void => {
      const origin = { effect, text, line: lineOf(start) };
      into.keep([made(origin, { list: "permissions", rule: `mcp__${server}__${tool}` })], origin);
    };
    for (const { value: tool, start } of textsOf(at(value, "disabled_tools")).texts)
      rule("deny", tool, `${server}: disabled_tools ${tool}`, start);
    const enabled = at(value, "enabled_tools");
    if (enabled !== undefined)
      into.lose({ text: `${server}: enabled_tools`, line: lineOf(enabled.start) }, "a rule cannot name every other tool of a server");
    const every = at(value, "default_tools_approval_mode");
    const mode = textOfNode(every);
    if (every !== undefined && mode !== undefined) {
      const effect = said(APPROVALS, mode);
      if (effect !== undefined) rule(effect, "*", `${server}: default_tools_approval_mode ${mode}`, every.start);
      else if (mode !== "auto")
        into.lose({ text: `${server}: default_tools_approval_mode ${mode}`, line: lineOf(every.start) }, "a way of asking of the host");
    }
    const tools = at(value, "tools");
    for (const { key: tool, value: settings } of tools?.kind === "object" ? tools.members : []) {
      const node = at(settings, "approval_mode");
      const one = textOfNode(node);
      const effect = said(APPROVALS, one ?? "");
      // Here the strictest of both holds.
      if (node !== undefined && effect === "allow" && said(APPROVALS, mode ?? "") === "ask")
        into.lose(
          { effect, text: `${server}.${tool}: ${one ?? ""}`, line: lineOf(node.start) },
          "it takes an exception from the server's own mode; here the strictest rule wins, so that one asks for this too",
        );
      else if (node !== undefined && effect !== undefined) rule(effect, tool, `${server}.${tool}: ${one ?? ""}`, node.start);
      else if (node !== undefined && one !== "auto")
        into.lose({ text: `${server}.${tool}: ${one ?? ""}`, line: lineOf(node.start) }, "a way of asking of the host");
    }
  }
}

const ADMINISTRATOR = { text: "rules of an administrator", effect: "deny" } as const;
const NOT_READ = "Codex holds them by itself";

/** `[rules]` there holds for everybody on the machine (0.169.0). */
function readRequirements(text: string): NativeRead {
  const placeOf = placeFinder(text);
  const { root, faults } = readToml(text);
  if (root === undefined) return { ...placeOf(faults[0]?.offset ?? 0), problem: faults[0]?.message ?? "cannot be read" };
  const into = new Collector();
  for (const { key, keyStart } of root.members)
    if (key === "rules") into.lose({ ...ADMINISTRATOR, line: placeOf(keyStart).line }, NOT_READ);
  return into.result();
}

/** What an organisation sends, signed, as texts within texts (0.169.0). */
function readBundle(text: string): NativeRead {
  const into = new Collector();
  if (text.includes("prefix_rules")) into.lose({ ...ADMINISTRATOR, line: 1 }, NOT_READ);
  return into.result();
}

function express({ refusal, reason }: Reasoned): readonly string[] | undefined {
  if (refusal.is !== "words" || refusal.exact) return undefined;
  const why = reason === undefined ? "" : `, justification = ${JSON.stringify(reason)}`;
  return [`prefix_rule(pattern = ${JSON.stringify(refusal.words)}, decision = "forbidden"${why})\n`];
}

export const rules: NativeRules = {
  reader: {
    places: (around) => {
      const own = folder(around.env["CODEX_HOME"], `${around.home}/.codex`);
      return [
        ofUser(`${own}/rules`, readCodexRules, ".rules"),
        ofUser(`${own}/config.toml`, readCodexConfig),
        ofUser("/etc/codex/rules", readCodexRules, ".rules"),
        ofUser("/etc/codex/requirements.toml", readRequirements),
        ofUser(`${own}/cloud-config-bundle-cache.json`, readBundle),
        ...inProjectFolder(around, readCodexRules, ".codex/rules", ".rules"),
        ...inProject(around, readCodexConfig, ".codex/config.toml"),
      ];
    },
    readerFor: (path) => (path.endsWith(".toml") ? readCodexConfig : readCodexRules),
    speaks: speakOf,
    trusts: true,
  },
  refusals: {
    express,
    show: asText,
    file: {
      path: ({ home, env, project }) =>
        `${project === undefined ? folder(env["CODEX_HOME"], `${home}/.codex`) : `${project}/.codex`}/rules/assent.rules`,
      write: ownFileWriter,
    },
  },
};
