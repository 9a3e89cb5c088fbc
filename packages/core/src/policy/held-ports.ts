import { HOLDERS } from "#knowledge/traits";
import type { Action, Argument } from "../action/index.ts";

const LISTED = /^(?:[46]?(?:tcp|udp)?)?:(\d{1,5}(?:,\d{1,5})*)$/i;

/** The ports of which a line looks for the holders, and of nothing else; undefined: something else, too, or only known at run time. */
export function soughtPorts(actions: readonly Action[]): readonly number[] | undefined {
  const found: number[] = [];
  for (const action of actions) {
    if (action.kind !== "exec" || !HOLDERS.has(action.program)) continue;
    const [, ...words] = action.argv;
    const ports = action.program === "lsof" ? portsOfLsof(words) : [];
    if (ports.length === 0) return undefined;
    found.push(...ports);
  }
  return found.length === 0 || found.some((port) => port === 0 || port > 65_535) ? undefined : found;
}

/** lsof(8): `-ti:3000`, `-t -i tcp:3000`, `-iTCP:3000 -sTCP:LISTEN`. Any other word chooses more. */
function portsOfLsof(words: readonly Argument[]): readonly number[] {
  const ports: number[] = [];
  let isAddress = false;
  for (const word of words) {
    if (!word.known) return [];
    const [, address] = /^-[tnPQw]*i(.*)$/.exec(word.text) ?? [];
    const text = address ?? (isAddress ? word.text : "");
    const [, list] = LISTED.exec(text) ?? [];
    if (list !== undefined) ports.push(...list.split(",").map(Number));
    else if (address !== "" && !/^-(?:[tnPQw]+|s(?:TCP|UDP):LISTEN)$/i.test(word.text)) return [];
    isAddress = address === "";
  }
  return isAddress ? [] : ports;
}
