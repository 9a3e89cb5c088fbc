import type { Action, NetAction } from "../../action/index.ts";
import { type Answer, both, hostCovers, hostMatches } from "../../pattern/index.ts";
import type { MatchContext, Side } from "../match-context.ts";
import { matchCondition } from "../tool-fields.ts";
import type { Matcher } from "./index.ts";
import { type JudgingKind, never, none, nothing } from "./kind.ts";

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
    host: ({ host }) => host,
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
        : hostMatches(matcher.host, matcher.subdomains, action.host)
          ? "yes"
          : "no";
  const port = matcher.port === undefined ? "yes" : action.port === undefined ? "maybe" : matcher.port === action.port ? "yes" : "no";
  return both(host, port);
}

function coversNet(outer: NetMatcher, inner: Matcher): boolean {
  // `WebFetch` speaks of fetching alone, and of the tool of that name.
  if (inner.kind !== "net" || inner.tool !== outer.tool) return false;
  if (outer.port !== undefined && outer.port !== inner.port) return false;
  return hostCovers(outer, inner);
}
