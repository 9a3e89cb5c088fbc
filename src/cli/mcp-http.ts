import { brief } from "../action/index.ts";
import { isLoopback, type ListenOptions, type RemoteOptions } from "../sdk/mcp/index.ts";

/** Options of `assent mcp` about HTTP. */
export interface HttpFlags {
  readonly url?: string;
  readonly header: readonly string[];
  readonly listen?: string;
  readonly tokenEnv?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
}

export interface Problem {
  readonly problem: string;
  readonly help?: string;
}
type Env = Readonly<Record<string, string | undefined>>;

/** The server behind `--url`. */
export function remoteOptions({ url, header }: HttpFlags, env: Env): (RemoteOptions & { readonly warning?: string }) | Problem | undefined {
  if (url === undefined) return header.length === 0 ? undefined : { problem: "--header is for a server that is named by --url" };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return { problem: `\`${brief(url, 200)}\` is no address: https://server/mcp` };
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
function headerIn(text: string, env: Env): { readonly name: string; readonly value: string } | Problem {
  const [, name = "", written = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === "")
    return { problem: `\`${brief(text.split(":", 1)[0] ?? "", 60)}\` is no header`, help: "--header 'Authorization: Bearer ${TOKEN}'" };
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
export function listenOptions(flags: HttpFlags, env: Env): ListenOptions | Problem | undefined {
  const { listen, tokenEnv, allowHost, allowOrigin } = flags;
  if (listen === undefined)
    return tokenEnv === undefined && allowHost.length === 0 && allowOrigin.length === 0
      ? undefined
      : { problem: "--token-env, --allow-host and --allow-origin are for --listen" };
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(listen) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) return { problem: `\`${brief(listen, 100)}\` is no place to listen: 127.0.0.1:PORT` };
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
