import type { NetAction } from "../action/index.ts";
import { both, hostMatches, type Answer } from "../pattern/index.ts";
import type { Side } from "./match-context.ts";
import type { Matcher } from "./types.ts";

type NetMatcher = Extract<Matcher, { readonly kind: "net" }>;

/** `Net(host:port)` and `WebFetch(domain:host)`. */
export function matchNet(matcher: NetMatcher, action: NetAction, side: Side): Answer {
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
