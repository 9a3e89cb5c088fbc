import { createHash } from "node:crypto";
import type { Action } from "../../action/index.ts";
import { joinLayers, type LayerInput, type Policy, type Problem } from "../../policy/index.ts";
import { readPolicy } from "../../policy/read/index.ts";
import { isTrusted, type Trust } from "../../state/index.ts";
import type { PolicySource } from "../policy-files.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const printed = ({ file, line, column, message, help }: Problem): string =>
  `${file}:${line}:${column}: ${message}${help === undefined ? "" : ` (${help})`}`;

/** Makes one policy of the files found. Bundled on its own: the hook loads it only when a file has changed. */
export function read(sources: readonly PolicySource[], trust: Trust, examples: (command: string) => readonly Action[]): Policy {
  const warnings: string[] = [];
  const policy = joinLayers(
    sources.map(({ layer, file, root, mayGrant, content }): LayerInput => {
      const trusted = layer !== "project" || (mayGrant && content.is === "text" && isTrusted(trust, file, content.text, sha256));
      if (content.is === "broken") return { ok: false, file, layer, why: `${file} ${content.why}`, trusted };
      const place = { file, layer, ...(root === undefined ? {} : { root }), ...(trusted ? {} : { untrusted: true }) };
      const result = readPolicy(content.text, { ...place, examples });
      if (!result.ok) return { ok: false, file, layer, why: result.problems.map(printed).join("; "), trusted };
      warnings.push(...result.warnings.map(printed));
      return { ok: true, policy: result.policy, trusted, ...(root === undefined ? {} : { root }) };
    }),
  );
  return { ...policy, warnings: [...warnings, ...policy.warnings] };
}
