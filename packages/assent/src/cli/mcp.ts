import { COMPOSES, INTERPRETER, LAUNCHER } from "#knowledge/traits";
import { isOneOf } from "@assent/core/policy";
import { basename } from "node:path";
import { brief, visible } from "@assent/core/action";
import { probeSandbox } from "@assent/library/sdk";
import { openPromptGuard, outcomeOf } from "@assent/library/sdk/machine";
import { askQueue } from "@assent/library/sdk/queue";
import {
  type GatewayOptions,
  isLoopback,
  serveGateway,
  serveHttp,
  serveRemote,
  type ListenOptions,
  type RemoteOptions,
  type ServerBehind,
} from "@assent/library/sdk/mcp";
import { thisMachine } from "@assent/guard/state";
import { answerClient } from "./answer-client.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { STATUS } from "./run-options.ts";
import { writeStderr } from "./stdio.ts";

interface McpOptions extends HttpFlags {
  readonly name?: string;
  /** The server itself runs under supervision. */
  readonly confine?: boolean;
  readonly policy: readonly string[];
}

/** `assent mcp -- SERVER…`: an MCP server with every tool call judged. Exit: the server's own. */
export async function mcp(command: readonly string[], flags: McpOptions): Promise<number> {
  const { env } = process;
  const remote = remoteOptions(flags, env);
  if (remote !== undefined && "problem" in remote) return wrong(remote.problem, remote.help);
  const listen = listenOptions(flags, env);
  if (listen !== undefined && "problem" in listen) return wrong(listen.problem, listen.help);
  const found = behindOf(command, remote);
  if ("problem" in found) return wrong(found.problem, found.help);
  if (flags.confine === true && "server" in found)
    return wrong("--confine is for a server that is a command: what runs elsewhere is not supervised here");
  const name = flags.name ?? (remote === undefined ? nameOf(command) : remote.url.hostname.replace(/[^\w.-]|__+/g, "-"));
  if (!/^[\w.-]{1,64}$/.test(name) || name.includes("__"))
    return wrong(`\`${visible(name)}\` is not a name for a server: letters, digits, \`-\`, \`.\` and single \`_\``);
  if (remote?.warning !== undefined) writeStderr(`assent mcp: ${visible(remote.warning)}\n`);
  const cwd = absolute(".");
  const policyFiles = flags.policy.map((file) => absolute(file, cwd));
  const onNotice = (text: string): void => writeStderr(`assent mcp: ${visible(text)}\n`);
  const guard = openPromptGuard({ cwd, agent: "mcp", point: "mcp", policyFiles }, onNotice);
  const confinement = { machine: thisMachine(), policyFiles, profile: `mcp-${name}` };
  const behind: ServerBehind = "argv" in found && flags.confine === true ? { ...found, confinement } : found;
  if (flags.confine === true && !(await probeSandbox(cwd))) {
    const [why, way] = ["the server is not started, because it cannot be sandboxed here", "`assent doctor` says what is missing"] as const;
    complain("mcp", why, `${way}; leave out --confine to run it as it is`);
    if (listen === undefined) await answerClient(`${why} (${way})`);
    return STATUS.cannotSupervise;
  }
  const machine = thisMachine();
  const ask: GatewayOptions["ask"] = (asked, clients, signal) =>
    askQueue({ machine, point: "gateway", cwd, ...asked, outcome: outcomeOf(asked.verdict), patience: PATIENCE_MS }, signal, clients);
  const options = { guard, name, ask, onNotice };
  if (listen === undefined) {
    const stdio = { ...options, input: process.stdin, output: process.stdout };
    return "server" in behind ? await serveRemote({ ...stdio, ...behind }) : await serveGateway({ ...stdio, ...behind });
  }
  try {
    return await serveHttp({ ...options, listen, behind });
  } catch (error) {
    complain("mcp", error instanceof Error ? error.message : String(error), "choose another port, or 0 for a free one");
    return 1;
  }
}

function behindOf([program, ...args]: readonly string[], remote: RemoteOptions | undefined): ServerBehind | FlagProblem {
  if (remote === undefined)
    return program === undefined
      ? { problem: "the server's command is missing: assent mcp -- npx some-mcp-server", help: "a server on the network is named by --url" }
      : { argv: [program, ...args] };
  if (program === undefined) return { server: remote };
  return { problem: "the server is given twice, by --url and by a command", help: "leave one of them out" };
}

function wrong(problem: string, help?: string): number {
  complain("mcp", problem, help);
  return 2;
}

/** Clients give a call up after a minute, most of them (the reference SDK of MCP). Milliseconds. */
const PATIENCE_MS = 50_000;

/** It starts the server: what a subcommand of it is called counts, too. */
const starts = (name: string): boolean =>
  LAUNCHER.has(name) || isOneOf(INTERPRETER, name) || COMPOSES.has(name) || /^(?:run|exec|tool)$/.test(name);

/** `npx -y @scope/server-files@1 /srv` is `server-files`. */
function nameOf(command: readonly string[]): string {
  const word = command.find((each) => !each.startsWith("-") && !starts(basename(each))) ?? command[0] ?? "";
  return basename(word)
    .replace(/(.)@.*$/, "$1")
    .replace(/\.[cm]?[jt]s$|\.py$/, "")
    .replace(/[^\w.-]|__+/g, "-");
}

/** Options of `assent mcp` about HTTP. */
export interface HttpFlags {
  readonly url?: string;
  readonly header: readonly string[];
  readonly listen?: string;
  readonly tokenEnv?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
}

interface FlagProblem {
  readonly problem: string;
  readonly help?: string;
}
type Environment = Readonly<Record<string, string | undefined>>;

/** The server behind `--url`. */
export function remoteOptions(
  { url, header }: HttpFlags,
  env: Environment,
): (RemoteOptions & { readonly warning?: string }) | FlagProblem | undefined {
  if (url === undefined) return header.length === 0 ? undefined : { problem: "--header is for a server that is named by --url" };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return { problem: `\`${brief(url, 200)}\` is not an address: https://server/mcp` };
  if (parsed.username !== "" || parsed.password !== "")
    return { problem: "an address has no password in it", help: "--header 'Authorization: Bearer ${TOKEN}' takes it from a variable" };
  const headers: Record<string, string> = {};
  for (const text of header) {
    const read = headerIn(text, env);
    if ("problem" in read) return read;
    headers[read.name] = read.value;
  }
  const open = parsed.protocol === "http:" && !isLoopback(parsed.hostname.replace(/^\[|\]$/g, "")) && header.length > 0;
  return {
    url: parsed,
    headers,
    ...(open ? { warning: `headers go to ${parsed.hostname} unencrypted: use https where the server has it` } : {}),
  };
}

/** `Name: value`, with `${VARIABLE}` in it: what is in a command can be read by others. */
function headerIn(text: string, env: Environment): { readonly name: string; readonly value: string } | FlagProblem {
  const [, name = "", written = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === "")
    return { problem: `\`${brief(text.split(":", 1)[0] ?? "", 60)}\` is not a header`, help: "--header 'Authorization: Bearer ${TOKEN}'" };
  const missing: string[] = [];
  const value = written.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
    const found = env[variable];
    if (found === undefined || found === "") missing.push(variable);
    return found ?? "";
  });
  if (missing[0] !== undefined) return { problem: `the variable ${missing[0]} is not set, which the header ${name} needs` };
  if (/[\0\r\n]/.test(value)) return { problem: `the header ${name} would have a line break in it` };
  return { name: name.toLowerCase(), value };
}

/** Where `--listen` listens: `PORT`, `HOST:PORT`, `[::1]:PORT`. */
export function listenOptions(flags: HttpFlags, env: Environment): ListenOptions | FlagProblem | undefined {
  const { listen, tokenEnv, allowHost, allowOrigin } = flags;
  if (listen === undefined)
    return tokenEnv === undefined && allowHost.length === 0 && allowOrigin.length === 0
      ? undefined
      : { problem: "--token-env, --allow-host and --allow-origin are for --listen" };
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(listen) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) return { problem: `\`${brief(listen, 100)}\` is not an address for clients: 127.0.0.1:PORT` };
  const host = bracketed ?? plain ?? "127.0.0.1";
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  if (tokenEnv !== undefined && (token === undefined || token.length < 16))
    return { problem: `the variable ${brief(tokenEnv, 60)} has no token of at least 16 characters` };
  if (!isLoopback(host) && token === undefined)
    return {
      problem: `${host} can be reached from other machines, and nothing says who may come`,
      help: "--token-env VARIABLE names a variable with a token that clients must send; 127.0.0.1 is only for this machine",
    };
  return { host, port, token, hosts: allowHost, origins: allowOrigin };
}
