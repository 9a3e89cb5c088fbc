import { type Value } from "./agent.ts";
import { tableOf } from "./value.ts";

/**
 * What files of a repository, or the user's own, do to a host: which of them it reads, and what in them switches a hook
 * off, steers it, waives questions or starts programs. The facts stand with each host; here is how they are looked for.
 */

/** What a setting does, worst first. */
export type Does = "off" | "steers" | "waives" | "starts";

/** A key, and when it counts. `*` in a path is any key. */
export interface Sign {
  readonly at: readonly string[];
  /** `there`: any value but an empty one. `environment`: names of variables that count. */
  readonly when: "there" | "environment" | boolean | RegExp;
  readonly does: Does;
  /** What to say behind the key; for a value that is one of a kind it can be left out. */
  readonly so: string;
  /** In the user's own file this is the user's own choice. */
  readonly projectOnly?: true;
}

export interface Steered {
  /** Files in a folder the host is started in, and what they are called. */
  readonly project: readonly string[];
  /** The same keys in the home folder (`~/`), or for the machine. */
  readonly user?: readonly string[];
  readonly signs: readonly Sign[];
  /** Its files list MCP servers under `mcpServers`. */
  readonly servers?: true;
  /** Files of variables that the host takes over from the folder. */
  readonly dotenv?: readonly string[];
  /** Folders whose files are hooks, plugins or extensions that run beside Assent's, or in its process. */
  readonly folders?: readonly string[];
  /** What docs/agents.md says of it. */
  readonly said: string;
}

export interface Found {
  readonly file: string;
  readonly does: Does;
  readonly what: string;
}

/** Names of variables that load code into programs, or change what a shell, the loader, Node or git do. */
const LOADS =
  /^(?:LD_|DYLD_|BASH_ENV$|BASH_FUNC_|BASHOPTS$|SHELLOPTS$|PS4$|ENV$|ZDOTDIR$|PROMPT_COMMAND$|IFS$|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NODE_|NPM_CONFIG_|OPENSSL_|SSL_CERT_|PYTHON(?:PATH|STARTUP|HOME|INSPECT|BREAKPOINT)|PERL5|PERLLIB$|RUBY(?:LIB|OPT)$|JAVA_TOOL_OPTIONS$|_JAVA_OPTIONS$|JDK_JAVA_OPTIONS$|GIT_|BUN_|DENO_|ELECTRON_RUN_AS_NODE$|PATH$|HOME$|SHELL$|TMPDIR$|XDG_)/i;
/** Names of variables that steer Assent or a host: where its settings lie, which server it talks to, what it starts. */
const STEERS =
  /^(?:ASSENT_|MCP_AUTO_APPROVE$|CLAUDE_CONFIG_DIR$|CLAUDE_CODE_(?:SHELL|SHELL_PREFIX|SIMPLE|BUBBLEWRAP|USE_|DISABLE_)|CLAUDE_ENV_FILE$|CODEX_|COPILOT_|QWEN_|GEMINI_(?:CLI_|SANDBOX)|OPENCODE_|KILO_|CLINE_|FACTORY_|AMP_|PI_|ANTHROPIC_(?:BASE_URL|AUTH_TOKEN|CUSTOM_HEADERS)|(?:OPENAI|GOOGLE_GEMINI|GOOGLE_VERTEX|GOOGLE)_BASE_URL$|(?:https?|all|no)_proxy$)/i;

const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/** What a settings file says that counts. */
export function signsIn(file: string, value: Value, signs: readonly Sign[], project: boolean): readonly Found[] {
  return signs.flatMap((sign): readonly Found[] => {
    if (sign.projectOnly === true && !project) return [];
    return reached(value, sign.at).flatMap(({ key, held }) => said(file, sign, key, held));
  });
}

function said(file: string, { when, does, so }: Sign, key: string, held: Value): readonly Found[] {
  if (when === "environment") return Object.keys(tableOf(held)).flatMap((name) => variable(file, `\`${key}.${name}\``, name));
  const counts =
    when === "there"
      ? held !== null &&
        held !== "" &&
        held !== false &&
        !(isList(held) ? held.length === 0 : Object.keys(tableOf(held)).length === 0 && typeof held === "object")
      : when instanceof RegExp
        ? when.test(typeof held === "string" ? held : JSON.stringify(held))
        : held === when;
  if (!counts) return [];
  const shown = typeof held === "object" ? "" : ` is ${String(held).slice(0, 60)}`;
  return [{ file, does, what: `\`${key}\`${shown}: ${so}` }];
}

function variable(file: string, shown: string, name: string): readonly Found[] {
  if (LOADS.test(name))
    return [{ file, does: "steers", what: `${shown} is a variable that can load code into what the host starts, its hooks among it` }];
  return STEERS.test(name) ? [{ file, does: "steers", what: `${shown} is a variable that steers the host or its hooks` }] : [];
}

/** Every place that a path with `*` leads to. */
function reached(value: Value, path: readonly string[]): readonly { readonly key: string; readonly held: Value }[] {
  let open: readonly { readonly key: string; readonly held: Value }[] = [{ key: "", held: value }];
  for (const part of path) {
    open = open.flatMap(({ key, held }) => {
      const table = tableOf(held);
      const names = part === "*" ? Object.keys(table) : Object.hasOwn(table, part) ? [part] : [];
      return names.map((name) => ({ key: key === "" ? name : `${key}.${name}`, held: table[name] ?? null }));
    });
  }
  return open;
}

/** `NAME=value` and `export NAME=value` lines. The values are nobody's business. */
export function variablesIn(file: string, text: string): readonly Found[] {
  const names = [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*(?:%%|\(\))?)\s*[=:]/gm)].map(([, name = ""]) => name);
  return [...new Set(names)].flatMap((name) => variable(file, `\`${name}\``, name));
}

/** Lists of MCP servers, in the form that most hosts share. */
const SERVERS: readonly Sign[] = [
  { at: ["mcpServers", "*", "command"], when: "there", does: "starts", so: "programs that start with the host", projectOnly: true },
  { at: ["mcpServers", "*", "env"], when: "environment", does: "steers", so: "" },
];

export const allSigns = ({ signs, servers }: Steered): readonly Sign[] => (servers === true ? [...signs, ...SERVERS] : signs);
