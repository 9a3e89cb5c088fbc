import type { Action, NetAction } from "../../action/index.ts";
import { type Answer, both, hostCovers, hostMatches, mistake, ok, type Result } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match/match-context.ts";
import type { Example } from "../match/examples.ts";
import { matchCondition, parseHost } from "../match/tool-fields.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing } from "./kind.ts";
import type { Doubt, ParsedText, ReadingKind, Refusal } from "./reading.ts";

/** `Net(host:port)`, `WebFetch(domain:host)`, `WebFetch(host:host)` (not the hosts below it). `*.host` (only subdomains) and `*` allowed. */
export interface NetMatcher {
  readonly kind: "net";
  readonly host: string;
  readonly port?: number;
  readonly subdomains: boolean;
  /** The rule's name, so that it also reaches a tool of that name which nobody described. */
  readonly tool?: string;
}

export const net: JudgingKind<NetMatcher> = {
  ofCommands: false,
  match: matchNet,
  keys: {
    programs: nothing,
    words: nothing,
    files: nothing,
    host: ({ host }) => (THIS_MACHINE.has(host) ? "*" : host),
    tool: ({ tool }) => tool,
    others: never,
    call: nothing,
  },
  pathScope: nothing,
  isEveryCommand: never,
  covers: coversNet,
  names: {
    literal: ({ host }) => /[^*.]/.test(host),
    isWholeCommand: never,
    paths: none,
    host: (matcher) => (matcher.host.includes("*") ? undefined : matcher),
  },
  samples: none,
};

export const netReading: ReadingKind<NetMatcher> = {
  written: {
    scope: { isName: (name) => name === "Net" || name === "WebFetch", freeText: false, parse: parseNamed },
    line: nothing,
    object: undefined,
    block: nothing,
  },
  exampleActions: (_, example) => exampleActions(example),
  exampleHelp: 'an example of this rule is a URL or a host: "https://nodejs.org/api", "nodejs.org:443"',
  fileActions: none,
  whyNever: nothing,
  isEverything: never,
  doubtWide,
  prefixes: none,
  programs: none,
  spelledPrograms: none,
  coverGroup: () => "net",
  refusals,
};

function matchNet(matcher: NetMatcher, action: Action, side: Side, context: MatchContext): Answer {
  if (action.kind === "net") return matchConnection(matcher, action, side);
  if (action.kind !== "tool" || (action.name !== matcher.tool && !(action.names ?? []).some((name) => name === matcher.tool))) return "no";
  if (matcher.host === "*") return "yes";
  // A condition on a tool's field also means the hosts below: too much for an allow of one host.
  if (side === "narrow" && !matcher.subdomains && !matcher.host.startsWith("*")) return "no";
  return matchCondition({ by: "domain", host: matcher.host }, action, side, context);
}

function matchConnection(matcher: NetMatcher, action: NetAction, side: Side): Answer {
  if (matcher.tool !== undefined) {
    // Fetching a page is what a web tool does: allowing it opens no other connection, denying it closes those too.
    if (action.operation === "listen" || (side === "narrow" && action.operation !== "fetch")) return "no";
  }
  const host =
    matcher.host === "*"
      ? "yes"
      : action.host === undefined
        ? "maybe"
        : hostMatches(matcher.host, matcher.subdomains, action.host) || isSameMachine(matcher.host, action.host, side)
          ? "yes"
          : "no";
  const port = matcher.port === undefined ? "yes" : action.port === undefined ? "maybe" : matcher.port === action.port ? "yes" : "no";
  return both(host, port);
}

const THIS_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** `localhost` is both of its addresses; who allows one address allows no other. */
const isSameMachine = (rule: string, host: string, side: Side): boolean =>
  THIS_MACHINE.has(rule) && THIS_MACHINE.has(host) && (side === "wide" || rule === "localhost");

function coversNet(outer: NetMatcher, inner: Matcher): boolean {
  // `WebFetch` speaks of fetching alone, and of the tool of that name.
  if (inner.kind !== "net" || inner.tool !== outer.tool) return false;
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  return hostCovers(outer, inner);
}

function parseNamed(name: string, written: string | undefined): Result<ParsedText<NetMatcher>> {
  const matcher = name === "Net" ? parseNet(written?.trim() ?? "") : parseWebFetch(written?.trim() ?? "");
  return matcher.ok ? ok({ matcher: matcher.value }) : matcher;
}

function parseNet(scope: string): Result<NetMatcher> {
  if (scope === "" || scope === "*") return ok({ kind: "net", host: "*", subdomains: false });
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(scope))
    return mistake("`Net` takes a host, not a URL", `write \`Net(${scope.replace(/^[^/]*\/\//, "").replace(/\/.*$/s, "")})\``);
  if (scope.startsWith("domain:")) return mistake("`Net` takes a host", `write \`Net(${scope.slice(7)})\` or \`WebFetch(${scope})\``);
  const colon = portColon(scope);
  const host = parseHost(colon === -1 ? scope : scope.slice(0, colon) || "*");
  if (!host.ok) return host;
  const digits = colon === -1 ? "*" : scope.slice(colon + 1);
  if (digits === "*") return ok({ kind: "net", host: host.value, subdomains: false });
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port > 65_535 || port === 0)
    return mistake(`\`${digits}\` is not a port`, "a port is a number from 1 to 65535, or `*`");
  return ok({ kind: "net", host: host.value, port, subdomains: false });
}

/** Where the port starts; an IPv6 address has colons of its own and stands in brackets when a port follows. */
function portColon(scope: string): number {
  if (scope.startsWith("[")) {
    const close = scope.indexOf("]:");
    return close === -1 ? -1 : close + 1;
  }
  const colon = scope.indexOf(":");
  return colon === scope.lastIndexOf(":") ? colon : -1;
}

function parseWebFetch(scope: string): Result<NetMatcher> {
  if (scope === "" || scope === "*") return ok({ kind: "net", host: "*", subdomains: false, tool: "WebFetch" });
  if (scope.startsWith("host:")) {
    const host = parseHost(scope.slice(5).trim());
    return host.ok ? ok({ kind: "net", host: host.value, subdomains: false, tool: "WebFetch" }) : host;
  }
  if (!scope.startsWith("domain:")) {
    const host = scope.replace(/^[a-z]+:\/\//i, "").replace(/[/:].*$/s, "");
    return mistake("`WebFetch` takes `domain:`", `write \`WebFetch(domain:${host})\``);
  }
  const host = parseHost(scope.slice(7).trim());
  return host.ok ? ok({ kind: "net", host: host.value, subdomains: !host.value.startsWith("*"), tool: "WebFetch" }) : host;
}

const PORTS = new Map([
  ["http:", 80],
  ["ws:", 80],
  ["https:", 443],
  ["wss:", 443],
]);

/** A URL is fetched; a host alone may be fetched from or connected to. */
function exampleActions(written: Example): readonly Action[] | undefined {
  if (typeof written !== "string") return undefined;
  const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(written);
  const text = isUrl ? written : `https://${written}`;
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, protocol } = new URL(text);
  // The standard port of a scheme disappears in parsing, also when it was written.
  const standard = isUrl || written.endsWith(":443") ? PORTS.get(protocol) : undefined;
  const where = { kind: "net", host: hostname, port: port === "" ? standard : Number(port), origin: { by: "tool" } } as const;
  if (isUrl) return [{ ...where, operation: "fetch", url: written }];
  return [
    { ...where, operation: "fetch" },
    { ...where, operation: "connect" },
  ];
}

function doubtWide({ host }: NetMatcher): Doubt | undefined {
  if (host !== "*") return undefined;
  return {
    of: "everywhere",
    message: "allows every host",
    help: "name the hosts: `WebFetch(domain:nodejs.org)`, `Net(*.example.com:443)`",
  };
}

function refusals({ host, port, subdomains }: NetMatcher): readonly Refusal[] | { readonly why: string } {
  if (port !== undefined) return { why: "hosts know no ports" };
  const below = host.startsWith("*.");
  return [{ is: "fetch", host: below ? host.slice(2) : host, below: subdomains || below, itself: !below }];
}
