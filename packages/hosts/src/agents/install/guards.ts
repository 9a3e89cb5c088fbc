import { dirname } from "node:path";
import { readEditable, namesIn } from "@assent/guard/state";
import type { Machine } from "@assent/guard/state";
import { type Path, readJson5, toValue } from "@assent/core/edit/json5";
import type { Agent, InstallPlace, Setup, SettingValue } from "../host/agent.ts";
import { tableOf, valueAt } from "../host/value.ts";
import { withoutPaths } from "./entries.ts";
import { settingsIn } from "./look.ts";
import { isOwnHandler, isOwnText } from "./own.ts";
import { type Planned, targetOf } from "./plan.ts";

/** A hook or plugin of another tool that a host asks before it runs a command. */
export interface OtherGuard {
  readonly agent: string;
  /** Undefined: nobody knows what it does; it may only log. */
  readonly name: string | undefined;
  readonly file: string;
  /** Of the project, so not the person's alone. */
  readonly shared: boolean;
  /** Where it stands in the file. */
  readonly path: Path;
  /** What is started, or the plugin's name. */
  readonly says: string;
  /** How a person takes it out, where the file is not ours to edit. */
  readonly byHand?: string;
}

/**
 * Guards that people have, by what starts them: a program on PATH, by its path, through `npx`, `uvx` or an interpreter, or a
 * plugin's name. From the registrations in their own READMEs (2026-11).
 */
const GUARDS: readonly (readonly [name: string, started: RegExp])[] = [
  ["agentperm", /(?:^|[\s/'"@=])agentperm(?:$|[\s/'"@.])/],
  ["cc-safety-net", /(?:^|[\s/'"@])(?:cc-)?safety-net(?:$|[\s/'"@])/],
  ["Dippy", /(?:^|[\s/'"])dippy(?:-hook)?(?:\.py)?(?:$|[\s/'"@])/i],
  ["dcg", /(?:^|[\s/'"])(?:dcg(?:\.exe)?(?:$|[\s'"])|destructive[-_]command[-_]guard|git_safety_guard)/],
];

const guardNamed = (text: string): string | undefined => GUARDS.find(([, started]) => started.test(text))?.[0];

/** Events before something is done. Those about files or prompts alone say nothing about commands. */
const BEFORE = /^(?:pre|before|permission)/i;
const NO_COMMANDS = /read|write|file|prompt|tab|mcp|model|agent|compact|submit/i;

type Ready = Agent & { readonly setup: Setup };

/** The other guards in the settings of a host: the person's, and those of the project it may stand in. */
export function otherGuards(agent: Ready, place: InstallPlace, machine: Machine, project: string | undefined): readonly OtherGuard[] {
  const registrations = agent.setup.registrations(place);
  const own = registrations.flatMap((one) => (one.is === "entries" ? [one.file] : hookFilesBeside(one.file)));
  const { user = [], project: shared } = agent.setup.controlled;
  const files = new Map<string, boolean>();
  for (const file of [...own, ...user.map((name) => name.replace(/^~(?=\/)/, machine.home))]) files.set(file, false);
  if (project !== undefined && project !== machine.home) for (const name of shared) files.set(`${project}/${name}`, true);
  const events = registrations.flatMap((one) => (one.is === "entries" ? one.entries.map(({ list }) => list) : listsOf(one.text)));
  const lists = [
    ...new Map(
      [...events, ...events.map((list) => ["hooks", list.at(-1) ?? ""])]
        .filter((list) => BEFORE.test(list.at(-1) ?? "") && !NO_COMMANDS.test(list.at(-1) ?? ""))
        .map((list) => [list.join("\0"), list]),
    ).values(),
  ];
  const tools = Object.entries(agent.protocol.tools).flatMap(([name, { does }]) => (does === "shell" ? [name] : []));
  const packaged = (agent.setup.packaged?.files ?? []).flatMap((pattern) => filesOf(machine.home, pattern.split("/")));
  const inFile = (file: string): readonly Place[] => {
    const value = settingsIn(file);
    return value === undefined ? [] : [...lists.flatMap((list) => hooksIn(value, list, tools)), ...pluginsIn(value)];
  };
  return [
    ...registrations.flatMap((one) => (one.is === "file" ? pluginsBeside(one.file) : [])).map((one) => ({ agent: agent.id, ...one })),
    ...rulesyncHooks(agent.id, `${machine.home}/.rulesync/hooks.json`, tools),
    ...[...files].flatMap(([file, shared]) => {
      const byHand = file.endsWith(".toml") ? { byHand: `remove it from ${file}` } : {};
      return inFile(file).map((one) => ({ agent: agent.id, file, shared, ...one, ...byHand }));
    }),
    ...packaged.flatMap(({ file, name }) =>
      inFile(file).map((one) => ({
        agent: agent.id,
        file,
        shared: false,
        ...one,
        name: one.name ?? guardNamed(name),
        byHand: `${agent.setup.packaged?.removed ?? ""} ${name}`,
      })),
    ),
  ];
}

/** Hosts that read every file of a folder read those of others there, too. */
function hookFilesBeside(file: string): readonly string[] {
  if (!file.endsWith(".json")) return [];
  const folder = dirname(file);
  return packagesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => `${folder}/${name}`)
    .filter((other) => other !== file);
}

/** A guard's own file among those that a host loads from a folder. By its name and by what it starts: nobody else's file goes. */
function pluginsBeside(file: string): readonly Omit<OtherGuard, "agent">[] {
  if (!isScript(file)) return [];
  const folder = dirname(file);
  return packagesIn(folder)
    .filter((name) => isScript(name) && `${folder}/${name}` !== file)
    .flatMap((name) => {
      const guard = guardNamed(name.replace(SCRIPT, ""));
      const found = guard === undefined ? undefined : readEditable(`${folder}/${name}`, MAX_BYTES);
      return found?.is === "text" && guardNamed(found.text) === guard
        ? [{ name: guard, file: `${folder}/${name}`, shared: false, path: WHOLE_FILE, says: name }]
        : [];
    });
}

const SCRIPT = /\.[cm]?[jt]s$/;
const isScript = (file: string): boolean => SCRIPT.test(file);
const WHOLE_FILE: Path = [];

/** rulesync writes the settings of hosts anew from `{ "claudecode": { "hooks": { "preToolUse": […] } } }`: whose they are begins with the host's id. */
function rulesyncHooks(agent: string, file: string, tools: readonly string[]): readonly OtherGuard[] {
  const value = tableOf(settingsIn(file) ?? null);
  return Object.keys(value)
    .filter((host) => host.startsWith(agent))
    .flatMap((host) =>
      Object.keys(tableOf(valueAt(value, [host, "hooks"]) ?? null))
        .filter((event) => BEFORE.test(event) && !NO_COMMANDS.test(event))
        .flatMap((event) => hooksIn(value, [host, "hooks", event], tools)),
    )
    .map((one) => ({ agent, file, shared: false, ...one }));
}

/** The lists of hooks that a file of Assent's own has there. */
function listsOf(text: string): readonly (readonly string[])[] {
  const { root } = readJson5(text);
  const value = root === undefined ? null : toValue(root);
  return Object.keys(tableOf(tableOf(value)["hooks"] ?? null)).map((event) => ["hooks", event]);
}

const packagesIn = (folder: string): readonly string[] => namesIn(folder).toSorted().slice(0, MOST_PACKAGES);

const MOST_PACKAGES = 200;

/** Files of a pattern with the name of the package that brings them. */
function filesOf(
  folder: string,
  [step, ...rest]: readonly string[],
  name = "",
): readonly { readonly file: string; readonly name: string }[] {
  if (step === undefined) return [{ file: folder, name }];
  if (step !== "*") return filesOf(`${folder}/${step}`, rest, name);
  return packagesIn(folder).flatMap((found) => filesOf(`${folder}/${found}`, rest, found));
}

type Place = Pick<OtherGuard, "name" | "path" | "says">;

const isList = (value: SettingValue | undefined): value is readonly SettingValue[] => Array.isArray(value);

/** `[{ matcher, hooks: [{ command }] }]`, or the handlers themselves. */
function hooksIn(value: SettingValue, list: Path, tools: readonly string[]): readonly Place[] {
  const groups = valueAt(value, list);
  if (!isList(groups)) return [];
  return groups.flatMap((group, at): readonly Place[] => {
    const { matcher, hooks } = tableOf(group);
    if (!isAboutCommands(matcher, tools)) return [];
    if (!isList(hooks)) return handlerIn(group, [...list, at]);
    return hooks.flatMap((handler, inner) => handlerIn(handler, hooks.length === 1 ? [...list, at] : [...list, at, "hooks", inner]));
  });
}

function handlerIn(handler: SettingValue, path: Path): readonly Place[] {
  const { command, bash, args, url } = tableOf(handler);
  const words = [command ?? bash ?? url, ...(isList(args) ? args : [])].filter((word) => typeof word === "string");
  const says = words.join(" ");
  if (says === "" || isOwnText(says) || isOwnHandler(handler)) return [];
  return [{ name: guardNamed(says), path, says }];
}

function isAboutCommands(matcher: SettingValue | undefined, tools: readonly string[]): boolean {
  if (typeof matcher !== "string" || matcher === "") return true;
  return matcher
    .split("|")
    .map((word) => word.trim().replace(/^\^?\(?|\)?\$?$/g, ""))
    .some((word) => word === "*" || word === ".*" || tools.some((tool) => tool.toLowerCase() === word.toLowerCase()));
}

/** Plugins that are switched on (Claude Code), or named in a list (OpenCode, Kilo): only those that are known. */
function pluginsIn(value: SettingValue): readonly Place[] {
  const { enabledPlugins, plugin } = tableOf(value);
  const on = Object.entries(tableOf(enabledPlugins ?? null)).filter(([, is]) => is === true);
  const listed = isList(plugin) ? plugin : [];
  return [
    ...on.map(([says]) => ({ says, path: ["enabledPlugins", says] })),
    ...listed.flatMap((says, at) => (typeof says === "string" ? [{ says, path: ["plugin", at] }] : [])),
  ].flatMap(({ says, path }) => {
    const name = guardNamed(says);
    return name === undefined ? [] : [{ name, says, path }];
  });
}

const MAX_BYTES = 4 << 20;

/** What takes these out of one file. */
export function planTakingOut(guards: readonly OtherGuard[]): Planned {
  const [{ agent, file } = { agent: "", file: "" }] = guards;
  const target = targetOf(file);
  const found = readEditable(target, MAX_BYTES);
  if (found.is === "missing") return { is: "same", file };
  if (found.is === "broken") return { is: "refused", file, why: found.why };
  if (guards.some(({ path }) => path === WHOLE_FILE))
    return { is: "change", change: { agent, file, target, now: found.text, next: undefined, before: undefined, mode: 0o600 } };
  // From the last to the first: what stands before keeps its place.
  const paths = guards.map(({ path }) => path).toSorted(later);
  const next = withoutPaths(found.text, paths);
  if (next.is === "refused") return { file, ...next };
  return { is: "change", change: { agent, file, target, now: found.text, next: next.text, before: next.text, mode: 0o600 } };
}

function later(a: Path, b: Path): number {
  for (const [at, step] of a.entries()) {
    const other = b[at];
    if (step === other) continue;
    return typeof step === "number" && typeof other === "number" ? other - step : String(other).localeCompare(String(step));
  }
  return b.length - a.length;
}
