import { applyEffect } from "../effects.ts";
import type { Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** Fields of a container or image that hold no variables, whatever is below them. */
const PLAIN =
  /^\.(?:State|Name|Names|Id|ID|Created|Image|NetworkSettings|Mounts|Platform|Driver|RestartCount|RepoTags|RepoDigests|Size|Architecture|Os|Config\.(?:Image|Labels|ExposedPorts|WorkingDir|Hostname|User|Tty|Volumes|Healthcheck))(?:\.|$)/;

/** docker-inspect(1) shows the variables of a container, unless a format picks other things. */
export function dockerInspect(inv: Invocation): void {
  const formats = valuesOf(inv, "--format").map(textOf);
  if (formats.length === 0 || !formats.every((format) => format !== undefined && isPlain(format))) applyEffect(inv, { is: "environment" });
}

/** docker compose config fills in variables, those of .env too, unless it only names what there is. */
export function composeConfig(inv: Invocation): void {
  if (!has(inv, "--services", "--volumes", "--profiles", "--quiet")) applyEffect(inv, { is: "environment" });
}

/** True when a Go template names nothing but plain fields. */
function isPlain(format: string): boolean {
  // Without one it is the word `json`: everything.
  if (!format.includes("{{")) return false;
  /** Whether `.` is something that was looked at before. */
  const inner: boolean[] = [false];
  for (const [, body = ""] of format.matchAll(/\{\{-?(.*?)-?\}\}/gs)) {
    const code = body.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '""').trim();
    const [word = ""] = code.split(/\s/, 1);
    if (/^(?:define|template|block)$/.test(word)) return false;
    if (word === "end") inner.pop();
    for (const token of code.match(/\$\w*(?:\.\w+)*|(?:\.\w+)+|\.(?!\w)/g) ?? []) {
      const seen = /^\$\w+/.test(token) || (inner.at(-1) === true && token.startsWith("."));
      if (!seen && !PLAIN.test(token.replace(/^\$(?=\.)/, ""))) return false;
    }
    if (word === "range" || word === "with") inner.push(true);
    if (word === "if") inner.push(inner.at(-1) === true);
  }
  return inner.length === 1;
}
