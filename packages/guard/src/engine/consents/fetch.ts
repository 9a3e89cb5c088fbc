import { reachOfHost } from "@assent/core/policy";
import { tokensIn } from "../../audit/index.ts";
import { type ConsentKind, optionsOf, readWords } from "./kind.ts";

/** curl(1): what changes neither the request nor where it goes, nor writes a file. */
const OPTIONS = optionsOf({
  switch:
    "-s --silent -S --show-error -sS -Ss -f --fail -sf -fs -fsS -sSf -i --include -si -I --head -sI -sSI -sSi -v --verbose " +
    "--compressed -4 --ipv4 -6 --ipv6 --http1.1 --http2",
  time: "-m --max-time --connect-timeout --retry --retry-delay",
  shown: "-w --write-out",
  method: "-X --request",
});
const VALUED = new Set(["time", "shown", "method"]);
const LONGEST_QUERY = 300;

export const fetchFrom: ConsentKind<"fetch"> = {
  name: "fetch",
  isAbout: ({ action, exec }) => action.kind === "net" && action.operation === "fetch" && exec.program === "curl",
  wants({ at, execAt, words, repository }) {
    const read = readWords(words, OPTIONS, VALUED);
    const [address = "", second] = read?.operands ?? [];
    const methods = read?.options.get("method") ?? [];
    if (read === undefined || second !== undefined || methods.some((one) => one !== "GET" && one !== "HEAD"))
      return { why: "only a plain GET goes ahead so: nothing sent along, no redirects, no login" };
    if ((read.options.get("shown") ?? []).some((one) => one.startsWith("@") || /%(?:output|header|\{header_json)/.test(one)))
      return { why: "it writes or reads a file" };
    if ((read.options.get("time") ?? []).some((one) => !/^\d{1,4}$/.test(one))) return { why: "it is not understood" };
    const url = addressOf(address);
    if (url === undefined) return { why: "the address is not a plain one" };
    if (url.search.length > LONGEST_QUERY || tokensIn(address).length > 0) return { why: "the address carries more than a question" };
    if (reachOfHost(url.hostname) === "loopback") return { why: "another program may listen on that port of this machine" };
    return {
      entry: { consent: "fetch", root: repository.root, origin: url.origin },
      covers: [at, execAt],
      whyNot: ({ origin }) => (origin === url.origin ? undefined : "it is another host"),
    };
  },
  sentence: ({ origin }) =>
    `fetch from ${origin.replace(/^https:\/\//, "")}? Only GET, without your login. The address asked for leaves this machine.`,
};

/** As curl reads it, and as WHATWG does: what the two could read in two ways is no address. */
function addressOf(text: string): URL | undefined {
  // No braces and brackets, of which curl makes several addresses; no user; no escapes in the host.
  if (!/^https?:\/\/[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?(?::\d{1,5})?(?:[/?][\w\-.~!$&'()*+,;=:@/?%]*)?$/.test(text)) return undefined;
  try {
    const url = new URL(text);
    return url.username === "" && url.password === "" && text.toLowerCase().startsWith(`${url.protocol}//${url.host}`) ? url : undefined;
  } catch {
    return undefined;
  }
}
