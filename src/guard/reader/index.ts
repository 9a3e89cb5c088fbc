import { createHash } from "node:crypto";
import type { Action } from "../../action/index.ts";
import { joinLayers, type LayerInput, type Policy, type Problem } from "../../policy/index.ts";
import { readPolicy, type ReadResult } from "../../policy/read/index.ts";
import { isTrusted, type Trust } from "../../state/index.ts";
import type { PolicySource } from "../policy-files.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const printed = ({ file, line, column, message, help }: Problem): string =>
  `${file}:${line}:${column}: ${message}${help === undefined ? "" : ` (${help})`}`;

/** One policy file that was found, and what it says. */
export interface SourceRead {
  readonly source: PolicySource;
  /** Its allow rules and settings count. */
  readonly trusted: boolean;
  readonly result: ReadResult;
}

type ExampleLowering = (command: string) => readonly Action[];

/** Reads each of the files found by itself. */
export function readEach(sources: readonly PolicySource[], trust: Trust, examples: ExampleLowering): readonly SourceRead[] {
  return sources.map((source): SourceRead => {
    const { layer, file, root, mayGrant, content } = source;
    const trusted = layer !== "project" || (mayGrant && content.is === "text" && isTrusted(trust, file, content.text, sha256));
    if (content.is === "broken") {
      const problem: Problem = { severity: "error", file, line: 1, column: 1, key: "", message: content.why };
      return { source, trusted, result: { ok: false, problems: [problem], examples: [] } };
    }
    const place = { file, layer, ...(root === undefined ? {} : { root }), ...(trusted ? {} : { untrusted: true }) };
    return { source, trusted, result: readPolicy(content.text, { ...place, examples }) };
  });
}

/** What a file brings when the layers are joined. */
export function layerOf({ source, trusted, result }: SourceRead): LayerInput {
  const { layer, file, root, content } = source;
  if (result.ok) return { ok: true, policy: result.policy, trusted, ...(root === undefined ? {} : { root }) };
  const why = content.is === "broken" ? `${file} ${content.why}` : result.problems.map(printed).join("; ");
  return { ok: false, file, layer, why, trusted };
}

/** Makes one policy of the files found. Bundled on its own: the hook loads it only when a file has changed. */
export function read(sources: readonly PolicySource[], trust: Trust, examples: ExampleLowering): Policy {
  const files = readEach(sources, trust, examples);
  const warnings = files.flatMap(({ result }) => (result.ok ? result.warnings.map(printed) : []));
  const policy = joinLayers(files.map(layerOf));
  return { ...policy, warnings: [...warnings, ...policy.warnings] };
}
