import { createHash } from "node:crypto";
import type { Action } from "../../action/index.ts";
import { joinPolicies, type Policy, type PolicyFile, type Problem } from "../../policy/index.ts";
import { readPolicy } from "../../policy/read/index.ts";
import { isTrusted, type Trust } from "../../state/index.ts";
import type { PolicySource } from "../policy-files.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const printed = ({ file, line, column, message, help }: Problem): string =>
  `${file}:${line}:${column}: ${message}${help === undefined ? "" : ` (${help})`}`;

/**
 * Makes one policy of the files found. Bundled on its own: the hook loads it only when a file has changed.
 * A broken managed, user, explicit or trusted file breaks the policy; a broken project file nobody trusts is left out.
 */
export function read(sources: readonly PolicySource[], trust: Trust, examples: (command: string) => readonly Action[]): Policy {
  const files: PolicyFile[] = [];
  const broken: string[] = [];
  const warnings: string[] = [];
  for (const { layer, file, root, mayGrant, content } of sources) {
    const trusted = layer !== "project" || (mayGrant && content.is === "text" && isTrusted(trust, file, content.text, sha256));
    const fail = (why: string): void => {
      // An explicit, managed or user file was meant to hold; an unknown project's cannot be let break anything.
      if (trusted) broken.push(why);
      else warnings.push(`left out: ${why}`);
    };
    if (content.is === "broken") {
      fail(`${file} ${content.why}`);
      continue;
    }
    const result = readPolicy(content.text, {
      file,
      layer,
      ...(root === undefined ? {} : { root }),
      ...(trusted ? {} : { untrusted: true }),
      examples,
    });
    if (result.ok) {
      files.push(result.policy);
      warnings.push(...result.warnings.map(printed));
    } else fail(result.problems.map(printed).join("; "));
  }
  return joinPolicies(files, { warnings, ...(broken.length === 0 ? {} : { broken: broken.join("; ") }) });
}
