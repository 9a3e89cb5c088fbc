import { describe, expect, it } from "vitest";
import { callMatcher, type Verdict } from "@assent/core/policy";
import { addressOfBytes, parseAddress } from "@assent/core/policy";
import {
  judgeConnect,
  judgeListen,
  type NetDeps,
  type NetVerdict,
  type SocketDestination,
} from "../../../packages/supervisor/src/supervise/net/judge-address.ts";
import { world } from "../../policy/language.ts";
import { judged, type Written } from "../../policy/machine.ts";

function deps(written: Written, grant?: string): NetDeps {
  return {
    judge: (action): Verdict => {
      if (grant !== undefined && action.host === grant) return { decision: "allow", basis: "grant", reason: "answered before" };
      const [first] = judged([action], written, { matchCall: callMatcher(world()) }).actions;
      if (first === undefined) throw new Error("no verdict");
      return first.verdict;
    },
  };
}

function to(text: string, rest: Partial<SocketDestination> = {}): SocketDestination {
  return { address: addressOfBytes(parseAddress(text) ?? new Uint8Array()), port: 443, names: [], ...rest };
}

const named = (...names: string[]): Pick<SocketDestination, "names"> => ({
  names: names.map((name) => (name.startsWith("~") ? { name: name.slice(1), asked: false } : { name, asked: true })),
});
const short = ({ action, verdict }: NetVerdict): string =>
  `${verdict.decision} ${action.host}${verdict.builtin === undefined ? "" : ` ${verdict.builtin}`}`;

type Row = readonly [what: string, to: SocketDestination, written: Written, expected: RegExp, grant?: string];

const PUBLIC: readonly Row[] = [
  ["nothing written", to("1.1.1.1"), {}, /^ask 1\.1\.1\.1/],
  ["nothing written, name known", to("1.1.1.1", named("a.com")), {}, /^ask a\.com/],
  ["the name is allowed", to("1.1.1.1", named("a.com")), { allow: ["Net(a.com:443)"] }, /^allow a\.com$/],
  ["another port", to("1.1.1.1", { ...named("a.com"), port: 22 }), { allow: ["Net(a.com:443)"] }, /^ask a\.com/],
  ["a wildcard", to("1.1.1.1", named("x.a.com")), { allow: ["Net(*.a.com)"] }, /^allow x\.a\.com$/],
  ["not the end of a longer name", to("1.1.1.1", named("a.com.evil.com")), { allow: ["Net(a.com)", "Net(*.a.com)"] }, /^ask a\.com\.evil/],
  ["the address is allowed, the name not", to("1.1.1.1", named("a.com")), { allow: ["Net(1.1.1.1)"] }, /^allow 1\.1\.1\.1$/],
  ["one name of two", to("1.1.1.1", named("b.com", "a.com")), { allow: ["Net(a.com)"] }, /^allow a\.com$/],
  ["an alias allows nothing", to("1.1.1.1", named("evil.com", "~a.cdn.net")), { allow: ["Net(*.cdn.net)"] }, /^ask evil\.com/],
  [
    "an alias is denied",
    to("1.1.1.1", named("good.com", "~t.tracker.net")),
    { allow: ["Net(good.com)"], deny: ["Net(*.tracker.net)"] },
    /^deny good\.com/,
  ],
  ["any name is denied", to("1.1.1.1", named("a.com", "b.com")), { allow: ["Net(a.com)"], deny: ["Net(b.com)"] }, /^deny b\.com/],
  ["the address is denied", to("1.1.1.1", named("a.com")), { allow: ["Net(a.com)"], deny: ["Net(1.1.1.1)"] }, /^deny 1\.1\.1\.1/],
  [
    "a web tool's deny holds too",
    to("1.1.1.1", named("a.com")),
    { allow: ["Net(a.com)"], deny: ["WebFetch(domain:a.com)"] },
    /^deny a\.com/,
  ],
  ["a web tool's allow opens nothing", to("1.1.1.1", named("a.com")), { allow: ["WebFetch(domain:a.com)"] }, /^ask a\.com/],
  ["a written ask holds", to("1.1.1.1", named("a.com")), { allow: ["Net(a.com)"], ask: ["Net(1.1.1.1)"] }, /^ask 1\.1\.1\.1/],
  ["an answer beats a written ask", to("1.1.1.1", named("a.com")), { ask: ["Net(*)"] }, /^allow a\.com/, "a.com"],
  ["an answer beats no deny", to("1.1.1.1", named("a.com", "b.com")), { deny: ["Net(b.com)"] }, /^deny b\.com/, "a.com"],
  ["mapped is the address itself", to("::ffff:1.1.1.1"), { allow: ["Net(1.1.1.1)"] }, /^allow 1\.1\.1\.1$/],
  ["mapped is denied in its wrapping", to("::ffff:1.1.1.1"), { allow: ["Net(1.1.1.1)"], deny: ["Net([::ffff:1.1.1.1])"] }, /^deny/],
  ["permissive", to("1.1.1.1", named("a.com")), { settings: { preset: "permissive" } }, /^allow a\.com/],
  ["readonly denies", to("1.1.1.1", named("a.com")), { settings: { preset: "readonly" } }, /^deny a\.com/],
  ["readonly with a rule", to("1.1.1.1", named("a.com")), { settings: { preset: "readonly" }, allow: ["Net(a.com)"] }, /^allow a\.com/],
];

const SPECIAL: readonly Row[] = [
  ["a private address", to("10.0.0.5"), {}, /^ask 10\.0\.0\.5 private/],
  ["everything allowed by default", to("10.0.0.5"), { settings: { preset: "permissive" } }, /^ask 10\.0\.0\.5 private/],
  ["Net(*)", to("10.0.0.5"), { allow: ["Net(*)"] }, /^ask 10\.0\.0\.5 private/],
  ["a public name that leads inside", to("10.0.0.5", named("x.evil.com")), { allow: ["Net(*.evil.com)"] }, /^ask x\.evil\.com private/],
  ["a rule that names the host", to("10.0.0.5", named("db.corp")), { allow: ["Net(db.corp:443)"] }, /^allow db\.corp$/],
  ["a rule that names the address", to("10.0.0.5", named("db.corp")), { allow: ["Net(10.0.0.5:443)"] }, /^allow 10\.0\.0\.5$/],
  ["a pattern that names the address", to("10.0.0.5"), { allow: ["connect(10.0.0.5, 443)"] }, /^allow 10\.0\.0\.5$/],
  ["a pattern of addresses", to("10.0.0.5"), { allow: ["connect(10.**, _)"] }, /^ask 10\.0\.0\.5 private/],
  ["an answer", to("10.0.0.5"), {}, /^allow 10\.0\.0\.5$/, "10.0.0.5"],
  ["readonly is not softened", to("10.0.0.5"), { settings: { preset: "readonly" } }, /^deny 10\.0\.0\.5/],
  ["NAT64 of a private address", to("64:ff9b::10.0.0.5"), { allow: ["Net(*)"] }, /^ask 10\.0\.0\.5 private/],
  ["6to4 of a private address", to("2002:c0a8:101::1"), { allow: ["Net(*)"] }, /^ask 192\.168\.1\.1 private/],
  ["unique local", to("fd12::1"), { allow: ["Net(*)"] }, /^ask \[fd12::1\] private/],
  ["link-local", to("fe80::1"), { allow: ["Net(*)"] }, /^ask \[fe80::1\] link-local/],
  ["multicast", to("224.0.0.251"), { allow: ["Net(*)"] }, /^ask 224\.0\.0\.251 many/],
  ["metadata is not even asked", to("169.254.169.254"), {}, /^deny 169\.254\.169\.254 metadata/],
  [
    "metadata by its name",
    to("169.254.169.254", named("metadata.google.internal")),
    { allow: ["Net(*.internal)"] },
    /^deny metadata\.google\.internal metadata/,
  ],
  ["metadata, mapped", to("::ffff:169.254.169.254"), { allow: ["Net(*)"] }, /^deny 169\.254\.169\.254 metadata/],
  ["metadata, granted", to("169.254.169.254"), { allow: ["Net(169.254.169.254:443)"] }, /^allow/],
];

const HERE: readonly Row[] = [
  ["a listener of the run", to("127.0.0.1", { listener: "own" }), {}, /^allow localhost own-listener/],
  ["a written deny holds", to("127.0.0.1", { listener: "own" }), { deny: ["Net(localhost)"] }, /^deny localhost/],
  ["a listener of a run that may do no more", to("127.0.0.1", { listener: "equal", run: "r" }), {}, /^allow localhost own-listener/],
  ["a written deny holds there", to("127.0.0.1", { listener: "equal", run: "r" }), { deny: ["Net(localhost)"] }, /^deny localhost/],
  ["and a written ask", to("127.0.0.1", { listener: "equal", run: "r" }), { ask: ["Net(localhost)"] }, /^ask localhost/],
  ["a listener of another run", to("127.0.0.1", { listener: "other", run: "r" }), {}, /^ask localhost loopback/],
  ["nobody there", to("::1", { listener: "none" }), {}, /^allow localhost no-listener/],
  ["somebody else's", to("127.0.0.1", { listener: "other" }), {}, /^ask localhost loopback/],
  ["somebody else's, all allowed", to("127.0.0.1", { listener: "other" }), { allow: ["Net(*)"] }, /^ask localhost loopback/],
  ["granted by name", to("127.0.0.1", { listener: "other", port: 5432 }), { allow: ["Net(localhost:5432)"] }, /^allow localhost$/],
  ["granted by address", to("127.0.0.1", { listener: "other", port: 5432 }), { allow: ["Net(127.0.0.1:5432)"] }, /^allow 127\.0\.0\.1$/],
  ["another port", to("127.0.0.1", { listener: "other", port: 5433 }), { allow: ["Net(localhost:5432)"] }, /^ask localhost loopback/],
  ["0.0.0.0 is 127.0.0.1", to("0.0.0.0", { listener: "other" }), { allow: ["Net(127.0.0.1)"] }, /^allow 127\.0\.0\.1$/],
  [":: too", to("::", { listener: "other" }), { deny: ["Net([::1])"] }, /^deny localhost/],
  [
    "a name of the world that leads here",
    to("127.0.0.1", { ...named("x.evil.com"), listener: "other" }),
    { allow: ["Net(*.evil.com)"] },
    /^ask x\.evil\.com loopback/,
  ],
  [
    "an own address of the outside",
    to("203.0.113.9", { local: true, listener: "other" }),
    { allow: ["Net(*)"] },
    /^ask localhost loopback/,
  ],
];

describe.each<readonly [string, readonly Row[]]>([
  ["the internet", PUBLIC],
  ["special addresses", SPECIAL],
  ["this machine", HERE],
])("connecting to %s", (_, rows) => {
  it.each(rows.map((row) => ({ row, what: row[0] })))("$what", ({ row: [, destination, written, expected, grant] }) => {
    expect(short(judgeConnect(destination, deps(written, grant)))).toMatch(expected);
  });
});

describe("listening", () => {
  it.each<[what: string, at: string, port: number, written: Written, expected: RegExp]>([
    ["loopback", "127.0.0.1", 3000, {}, /^allow 127\.0\.0\.1 loopback/],
    ["loopback, mapped", "::ffff:127.0.0.1", 3000, {}, /^allow 127\.0\.0\.1 loopback/],
    ["any port of loopback", "::1", 0, {}, /^allow \[::1\] loopback/],
    ["as a name server", "127.0.0.53", 53, {}, /^ask 127\.0\.0\.53/],
    ["everywhere", "0.0.0.0", 3000, {}, /^ask 0\.0\.0\.0/],
    ["everywhere, IPv6", "::", 0, {}, /^ask \[::\]/],
    ["everywhere, mapped", "::ffff:0.0.0.0", 3000, {}, /^ask 0\.0\.0\.0/],
    ["everywhere, granted", "0.0.0.0", 3000, { allow: ["Net(0.0.0.0:3000)"] }, /^allow 0\.0\.0\.0/],
    ["another port", "0.0.0.0", 3001, { allow: ["Net(0.0.0.0:3000)"] }, /^ask 0\.0\.0\.0/],
    ["one outside address", "192.0.2.7", 3000, {}, /^ask 192\.0\.2\.7/],
    ["a written deny", "127.0.0.1", 3000, { deny: ["Net(localhost:3000)"] }, /^deny/],
    ["everything denied", "127.0.0.1", 3000, { deny: ["Net(*)"] }, /^deny/],
  ])("%s", (_, at, port, written, expected) => {
    const address = addressOfBytes(parseAddress(at) ?? new Uint8Array());
    expect(short(judgeListen({ address, port, confines: false }, deps(written)))).toMatch(expected);
  });
});
