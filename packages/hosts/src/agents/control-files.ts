import { listed } from "@assent/core/policy";
import { whatVariableControls } from "@assent/core/shell";
import { type SettingValue } from "./host/agent.ts";
import type { Does, Sign, Controlled } from "./host/controlled.ts";
import { AGENTS } from "./all.ts";
import { OTHERS } from "./others.ts";
import { tableOf } from "./host/value.ts";

/**
 * What files of a repository, or the user's own, do to a host: which of them it reads, and what in them switches a hook
 * off, controls it, skips questions or starts programs. The facts stand with each host; here is how they are looked for.
 */

export interface ControlFound {
  readonly file: string;
  readonly does: Does;
  readonly what: string;
  /** Said when a session starts, too, though it only starts something. */
  readonly told?: true;
  /** The variable of `unhooking` that does it. */
  readonly unhooking?: string;
}

/** Names of variables that load code into programs, or change what a shell, the loader, Node or git do. */
const LOADS = new RegExp(
  "^(?:LD_|DYLD_|BASH_ENV$|BASH_FUNC_|BASHOPTS$|SHELLOPTS$|PS4$|ENV$|ZDOTDIR$|PROMPT_COMMAND$|IFS$|GLIBC_TUNABLES$|" +
    "GCONV_PATH$|LOCPATH$|NODE_(?!ENV$)|NPM_CONFIG_|OPENSSL_|SSL_CERT_|PYTHON(?:PATH|STARTUP|HOME|INSPECT|BREAKPOINT)|PERL5|" +
    "PERLLIB$|RUBY(?:LIB|OPT)$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|JDK_JAVA_OPTIONS$|GIT_|BUN_|DENO_|ELECTRON_RUN_AS_NODE$|" +
    "PATH$|HOME$|SHELL$|TMPDIR$|XDG_)",
  "i",
);
/** Names of variables that control Assent or any host: where its settings lie, which server it talks to, what it starts. */
const CONTROLS = new RegExp(
  `^(?:${[...AGENTS.map(({ facts }) => facts), ...OTHERS]
    .flatMap(({ variables }) => variables.controlling)
    .concat("ASSENT_*", "MCP_AUTO_APPROVE", "http_proxy", "https_proxy", "all_proxy", "no_proxy")
    .map((name) => (name.endsWith("*") ? name.slice(0, -1) : `${name}$`))
    .join("|")})`,
  "i",
);

const isList = (value: SettingValue | undefined): value is readonly SettingValue[] => Array.isArray(value);

/** What a settings file says that counts. */
export function signsIn(file: string, value: SettingValue, signs: readonly Sign[], project: boolean): readonly ControlFound[] {
  return signs.flatMap((sign): readonly ControlFound[] => {
    if (project ? sign.userOnly : sign.projectOnly) return [];
    return reached(value, sign.at).flatMap(({ key, held }) => said(file, sign, key, held, project));
  });
}

function said(file: string, { when, does, so, told }: Sign, key: string, held: SettingValue, project: boolean): readonly ControlFound[] {
  if (when === "environment")
    return variablesOf(held)
      .flatMap(([name, value]) => variable(file, `\`${key}.${name}\``, name, value, project))
      .concat(project ? handsOn(file, key, held) : []);
  const counts =
    when === "there"
      ? held !== null &&
        held !== "" &&
        held !== false &&
        !(isList(held) ? held.length === 0 : Object.keys(tableOf(held)).length === 0 && typeof held === "object")
      : when instanceof RegExp
        ? when.test(typeof held === "string" ? held : JSON.stringify(held))
        : held === when || (typeof held === "string" && held.toLowerCase() === String(when)) || held === Number(when);
  if (!counts) return [];
  const shown = typeof held === "object" ? "" : ` is ${String(held).slice(0, 60)}`;
  return [{ file, does, what: `\`${key}\`${shown}: ${so}`, ...(told === undefined ? {} : { told }) }];
}

const UNHOOKING: ReadonlySet<string> = new Set(AGENTS.flatMap(({ setup }) => setup?.controlled.unhooking ?? []));
/** A value that surely is a no, to whoever reads it. */
const NO = /^\s*(["'`]?)\s*(?:0|false|no|off)?\s*\1\s*(?:#.*)?$/i;

function variable(file: string, shown: string, name: string, value: string | undefined, project: boolean): readonly ControlFound[] {
  if (UNHOOKING.has(name)) {
    const what = `${shown} is set: no hook runs, not even an administrator's`;
    return value !== undefined && NO.test(value) ? [] : [{ file, does: "off", what, unhooking: name }];
  }
  const controls = (what: string): readonly ControlFound[] => [{ file, does: "controls", what: `${shown} ${what}` }];
  if (LOADS.test(name)) return controls("is a variable that can load code into what the host starts, its hooks among it");
  if (CONTROLS.test(name)) return controls("is a variable that changes the host or its hooks");
  // What is in the user's own files is the user's own choice.
  if (!project || value === undefined) return [];
  const why = whatVariableControls(name, value);
  return why === undefined ? [] : controls(`is a variable that can make programs load other code: ${why}`);
}

/** `"env": { "A": "${GITHUB_TOKEN}" }`, `"headers": { "Authorization": "Bearer ${TOKEN}" }`. */
function handsOn(file: string, key: string, held: SettingValue): readonly ControlFound[] {
  return variablesOf(held).flatMap(([name, value]): readonly ControlFound[] => {
    const [, own] = /\$\{?(?:env:)?(\w*(?:KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH)\w*)/i.exec(value ?? "") ?? [];
    return own === undefined ? [] : [{ file, does: "controls", what: `\`${key}.${name}\` hands on your ${own}` }];
  });
}

/** `{ NAME: value }`, `["NAME=value"]`, `[{ name, value }]`. */
function variablesOf(held: SettingValue): readonly (readonly [name: string, value: string | undefined])[] {
  const text = (value: SettingValue | undefined): string | undefined =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  if (!isList(held)) return Object.entries(tableOf(held)).map(([name, value]) => [name, text(value)] as const);
  return held.flatMap((item) => {
    if (typeof item === "string") return [[item.split("=")[0] ?? "", item.includes("=") ? item.slice(item.indexOf("=") + 1) : undefined]];
    const { name, value } = tableOf(item);
    return typeof name === "string" ? [[name, text(value)]] : [];
  });
}

/** Every place that a path with `*` leads to. */
function reached(value: SettingValue, path: readonly string[]): readonly { readonly key: string; readonly held: SettingValue }[] {
  let open: readonly { readonly key: string; readonly held: SettingValue }[] = [{ key: "", held: value }];
  for (const part of path) {
    open = open.flatMap(({ key, held }) => {
      const table = tableOf(held);
      const names = part === "*" ? Object.keys(table) : Object.hasOwn(table, part) ? [part] : [];
      return names.map((name) => ({ key: key === "" ? name : `${key}.${name}`, held: table[name] ?? null }));
    });
  }
  return open;
}

/** As dotenv reads it: the sign may stand in the next line, and so may a quoted value. */
const LINE = /^[\s\uFEFF]*(?:export\s+)?([A-Za-z_]\w*(?:%%|\(\))?)\s*[=:]((?:\s*(?=["'`]))?.*)$/gm;
/** In a script an assignment stands anywhere. */
const ANYWHERE = /(?:^|[\s;&|({])([A-Za-z_]\w*)\+?=([^\s;&|)]*)|^[ \t]*(PATH)_add\b(.*)$/gm;

/** `NAME=value` and `export NAME=value`. The values are nobody's business. */
export function variablesIn(file: string, text: string, script: boolean): readonly ControlFound[] {
  const lines = script ? text.replaceAll(/(?:^|(?<=\s))#.*$/gm, "") : text;
  const names = [...lines.matchAll(script ? ANYWHERE : LINE)].map(([whole, name, value, other]) => [whole, name ?? other, value] as const);
  const found = names.flatMap(([, name = "", value = ""]) =>
    variable(file, `\`${name}\``, name, value.trim().replace(/^(["'])(.*)\1$/, "$2"), true),
  );
  return found.filter(({ what }, at) => found.findIndex((other) => other.what === what) === at);
}

/** An event, or what is started for it, in YAML of any style. It is only shown. */
const STARTED =
  /["']?\b([A-Z]\w+)["']?[ \t]*:|\b(?:command|url|prompt|server)["']?[ \t]*:\s*(?:[>|][-+\d]*[ \t]*\r?\n\s*)?["']?([^\r\n}\]"']*)/g;

/** Hooks in the front matter of Markdown. What may be the key is named, also where nothing below it is understood. */
export function hooksInFront(file: string, text: string): readonly ControlFound[] {
  const [, front = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\n---/.exec(text) ?? [];
  const plain = front.replaceAll(/\\[xu]0*([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const [, below] = /(?:^|[\n{,])[ \t]*["']?hooks["']?[ \t]*:([\s\S]*?)(?=\n["']?[A-Za-z_][\w-]*["']?[ \t]*:|$)/.exec(plain) ?? [];
  if (below === undefined) return [];
  let key = "hooks";
  const found = new Map([[key, ""]]);
  for (const [, event, started] of below.matchAll(STARTED)) {
    if (event !== undefined) key = `hooks.${event}`;
    found.delete("hooks");
    found.set(key, started === undefined ? "" : ` starts \`${started.trim().slice(0, 80)}\``);
  }
  return [...found].map(([name, starts]) => ({
    file,
    does: "starts",
    what: `\`${name}\`${starts}: hooks of the repository run beside Assent's`,
    told: true,
  }));
}

/** What the shell runs in a text, once its name is typed. */
export function shellIn(file: string, text: string, runs: RegExp): readonly ControlFound[] {
  const [first, ...more] = [...text.matchAll(runs)].map((match) => (match.slice(1).find((group) => group !== undefined) ?? "").trim());
  if (first === undefined) return [];
  const rest = more.length === 0 ? "" : `, and ${more.length} more`;
  return [{ file, does: "starts", what: `typing its name runs \`${first.slice(0, 80)}\`${rest}, and no hook hears of it`, told: true }];
}

const serverPaths = ({ servers }: Controlled): readonly (readonly string[])[] =>
  servers === undefined ? [] : servers === true ? [["mcpServers"]] : servers;

/** Lists of MCP servers. Hosts differ in where they stand and what they call the environment. */
const serverSigns = (at: readonly string[]): readonly Sign[] => [
  { at: [...at, "*", "command"], when: "there", does: "starts", so: "programs that start with the host", projectOnly: true },
  { at: [...at, "*", "url"], when: "there", does: "starts", so: "a server that is asked over the network", projectOnly: true },
  { at: [...at, "*", "httpUrl"], when: "there", does: "starts", so: "a server that is asked over the network", projectOnly: true },
  { at: [...at, "*", "headersHelper"], when: "there", does: "starts", so: "a program that the host starts", projectOnly: true },
  { at: [...at, "*", "envFile"], when: "there", does: "controls", so: "variables are taken from this file", projectOnly: true },
  ...["env", "environment", "headers", "http_headers", "env_vars"].map((name): Sign => ({
    at: [...at, "*", name],
    when: "environment",
    does: "controls",
    so: "",
  })),
  // These run its tools without asking.
  { at: [...at, "*", "trust"], when: true, does: "skips", so: "its tools run without a question", projectOnly: true },
  { at: [...at, "*", "alwaysAllow"], when: "there", does: "skips", so: "these tools run without a question", projectOnly: true },
  { at: [...at, "*", "autoApprove"], when: "there", does: "skips", so: "these tools run without a question", projectOnly: true },
];

export const allSigns = (controlled: Controlled): readonly Sign[] => [...controlled.signs, ...serverPaths(controlled).flatMap(serverSigns)];

/** A server's entry: what is started, with which variables. */
export interface ServerEntry {
  readonly key: string;
  readonly argv: readonly string[];
  readonly variables: readonly (readonly [name: string, value: string])[];
}

/** The servers that a settings file starts. */
export function serversIn(value: SettingValue, controlled: Controlled): readonly ServerEntry[] {
  return serverPaths(controlled)
    .flatMap((at) => reached(value, [...at, "*"]))
    .flatMap(({ key, held }): readonly ServerEntry[] => {
      const { command, args, env, environment } = tableOf(held);
      const words = [...(isList(command) ? command : [command ?? null]), ...(isList(args) ? args : [])];
      const argv = words.flatMap((word) => (typeof word === "string" ? [word] : []));
      if (argv.length === 0 || argv.length < words.length) return [];
      const variables = variablesOf(env ?? environment ?? null).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      );
      return [{ key, argv, variables }];
    });
}

/** What a shell, direnv, mise or an editor's terminal sets in a folder: a host that is started there gets it, and its hooks. */
export const SHELL_FILES: Controlled = {
  project: /* @__PURE__ */ listed(
    "mise.toml; .mise.toml; mise.local.toml; .mise.local.toml; mise/config.toml; .mise/config.toml; .config/mise.toml",
    ".config/mise/config.toml; .devcontainer.json; .devcontainer/devcontainer.json; .vscode/settings.json; devbox.json",
  ),
  scripts: [".envrc", ".envrc.local", ".autoenv.zsh"],
  signs: [
    { at: ["env"], when: "environment", does: "controls", so: "" },
    { at: ["env", "_", "source"], when: "there", does: "starts", so: "a script that mise runs", projectOnly: true },
    { at: ["env", "_", "file"], when: "there", does: "controls", so: "variables are taken from this file", projectOnly: true },
    { at: ["env", "_", "path"], when: "there", does: "controls", so: "programs are looked for there first", projectOnly: true },
    { at: ["hooks", "*"], when: "there", does: "starts", so: "commands that mise runs", projectOnly: true },
    { at: ["containerEnv"], when: "environment", does: "controls", so: "" },
    { at: ["remoteEnv"], when: "environment", does: "controls", so: "" },
    { at: ["terminal.integrated.env.linux"], when: "environment", does: "controls", so: "" },
    { at: ["terminal.integrated.env.osx"], when: "environment", does: "controls", so: "" },
    { at: ["shell", "init_hook"], when: "there", does: "starts", so: "commands that devbox runs", projectOnly: true },
  ],
  said: "",
};
