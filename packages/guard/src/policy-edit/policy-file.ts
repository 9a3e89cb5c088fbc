import { edit, type Edit } from "@assent/core/edit";
import { type Json, member, type Path, placeFinder, readJson5, toValue } from "@assent/core/edit/json5";
import { lowerExample, POLICY_NAME, repositoryOf, Resolver } from "../engine/index.ts";
import { isWithin, joinPath } from "@assent/core/path";
import { type Effect, EFFECTS, type Matcher, parseRule, type PolicyFile, type Problem, type RuleWhen } from "@assent/core/policy";
import { packFile, packsBy, type PackText } from "../engine/reader/index.ts";
import { readPolicy, type ReadResult } from "@assent/core/policy/read";
import { type Machine, readEditable, readRegular, replaceFile } from "../state/index.ts";

/** A policy file that a person edits. */
export interface PolicyPlace {
  readonly layer: "user" | "project" | "profile";
  /** As it is named to people. It may be a link; what it leads to is changed. */
  readonly file: string;
  /** Folder of a project's file. */
  readonly root?: string;
}

/** The user's file, or the one of the repository that `cwd` lies in; undefined outside git. */
export function policyPlace(
  which: "global" | "local",
  machine: Machine,
  cwd: string,
): (PolicyPlace & { readonly layer: "user" | "project" }) | undefined {
  if (which === "global") return { layer: "user", file: joinPath(machine.home, POLICY_NAME) };
  const root = repositoryOf(new Resolver(cwd).canonical(cwd), machine);
  return root === undefined ? undefined : { layer: "project", file: joinPath(root, POLICY_NAME), root };
}

const MAX_BYTES = 1 << 20;
const MAX_PACK = 64 << 10;
/** Others may change the file meanwhile; who changes it this often is no person. */
const MAX_TRIES = 50;

export type PolicyText =
  | { readonly is: "text"; readonly text: string; readonly read: ReadResult }
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly why: string };

const canonical = (file: string): string => new Resolver("/").canonical(file);

/** What a write would change. A repository may be a stranger's: its file makes none elsewhere. */
function targetOf({ file, root }: PolicyPlace): { readonly target: string } | { readonly why: string } {
  const target = canonical(file);
  if (root === undefined || isWithin(target, root) || readEditable(target, MAX_BYTES).is !== "missing") return { target };
  return { why: `is a link out of the project to a file that does not exist: ${target}` };
}

/** The packs that a file names as they lie there now: what is written is checked, and nobody is judged by it. */
export const packsNow =
  (place: PolicyPlace): PackText =>
  (name) => {
    const found = packFile(name, place);
    if ("why" in found) return found;
    const real = canonical(found.file);
    if (place.root !== undefined && !isWithin(real, canonical(place.root)))
      return { why: `\`${name}\` is a link out of the project`, help: "copy it into the project" };
    const read = readRegular(real, MAX_PACK);
    if (read.is === "text") return { ...found, text: read.text };
    return { why: `\`${name}\` ${read.is === "missing" ? "does not exist" : read.why}` };
  };

/** What a file at that place would say. */
export function readPolicyText(place: PolicyPlace, text: string, packs = packsNow(place)): ReadResult {
  const { file, layer, root } = place;
  return readPolicy(text, { file, layer, packs: packsBy(packs), ...(root === undefined ? {} : { root }), examples: lowerExample });
}

/** The file as it is, read and checked. */
export function readPlace(place: PolicyPlace, packs = packsNow(place)): PolicyText {
  const found = readEditable(canonical(place.file), MAX_BYTES);
  if (found.is === "missing") return found;
  if (found.is === "broken") return { is: "unreadable", why: found.why };
  return { is: "text", text: found.text, read: readPolicyText(place, found.text, packs) };
}

export type EditOutcome<Stopped> =
  /** `policy` is what the file says now. */
  | { readonly is: "done"; readonly created: boolean; readonly text: string; readonly policy: PolicyFile }
  /** The edit found that there is nothing to do. Nothing is written. */
  | { readonly is: "stopped"; readonly with: Stopped }
  /** The file has mistakes, and is left as it is. */
  | { readonly is: "broken"; readonly problems: readonly Problem[] }
  | { readonly is: "failed"; readonly why: string };

/**
 * Changes a policy file in one step: all edits or none, in a file that was flawless before and is flawless afterwards.
 * Comments, layout, mode, owner and links stay. When the file changes meanwhile, `plan` is asked again.
 */
export function editPolicy<Stopped>(
  place: PolicyPlace,
  starter: string,
  plan: (text: string, policy: PolicyFile) => { readonly edits: readonly Edit[] } | { readonly stop: Stopped },
): EditOutcome<Stopped> {
  const where = targetOf(place);
  if ("why" in where) return { is: "failed", why: where.why };
  const { target } = where;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = readEditable(target, MAX_BYTES);
    if (found.is === "broken") return { is: "failed", why: found.why };
    const before = found.is === "missing" ? starter : found.text;
    const read = readPolicyText(place, before);
    if (!read.ok) return { is: "broken", problems: read.problems };
    const planned = plan(before, read.policy);
    if ("stop" in planned) return { is: "stopped", with: planned.stop };
    let text = before;
    for (const change of planned.edits) {
      const edited = edit(text, change);
      if (!edited.ok) return { is: "failed", why: `cannot be changed safely: ${edited.message}` };
      ({ text } = edited);
    }
    const after = readPolicyText(place, text);
    if (!after.ok) return { is: "failed", why: `would be broken afterwards: ${after.problems[0]?.message ?? "unknown"}` };
    const outcome = replaceFile(target, found.is === "missing" ? undefined : before, text, modeOf(place));
    if (outcome.is === "done") return { is: "done", created: found.is === "missing", text, policy: after.policy };
    if (outcome.is === "failed") return { is: "failed", why: outcome.why };
  }
  return { is: "failed", why: "keeps changing" };
}

export type SaveOutcome =
  | { readonly is: "done"; readonly created: boolean }
  /** The file no longer says what was edited. */
  | { readonly is: "changed" }
  | { readonly is: "broken"; readonly problems: readonly Problem[] }
  | { readonly is: "failed"; readonly why: string };

/** Gives a policy file a text as a whole, if it still says `was` (undefined: if it is not there yet) and the text is flawless. */
export function savePolicy(place: PolicyPlace, was: string | undefined, text: string): SaveOutcome {
  const where = targetOf(place);
  if ("why" in where) return { is: "failed", why: where.why };
  const read = readPolicyText(place, text);
  if (!read.ok) return { is: "broken", problems: read.problems };
  const outcome = replaceFile(where.target, was, text, modeOf(place));
  return outcome.is === "done" ? { is: "done", created: was === undefined } : outcome;
}

/** Writes a new policy file. Never touches one that is there. */
export function startPolicy(place: PolicyPlace, starter: string): "done" | "exists" | { readonly why: string } {
  const where = targetOf(place);
  if ("why" in where) return where;
  const outcome = replaceFile(where.target, undefined, starter, modeOf(place));
  return outcome.is === "done" ? "done" : outcome.is === "changed" ? "exists" : { why: outcome.why };
}

/** A project's file is for everyone who works on it. */
function modeOf({ layer }: PolicyPlace): number {
  return layer === "project" ? 0o644 : 0o600;
}

/** A rule where it stands in a file. */
export interface WrittenRule {
  readonly effect: Effect;
  readonly matcher: Matcher;
  readonly text: string;
  readonly reason?: string;
  readonly when?: RuleWhen;
  readonly path: Path;
  readonly line: number;
  readonly column: number;
}

/** The rules of `permissions` in a flawless policy text, in its order. */
export function ruleEntries(text: string): readonly WrittenRule[] {
  const { root } = readJson5(text);
  const lists = member(root, "permissions")?.value;
  const placeOf = placeFinder(text);
  return EFFECTS.flatMap((effect) => {
    const list = member(lists, effect)?.value;
    return (list?.kind === "array" ? list.items : []).flatMap((item, index): readonly WrittenRule[] => {
      const parsed = parseRule(toValue(item));
      if (!parsed.ok) return [];
      const { matcher, text: written, reason, when } = parsed;
      const path: Path = ["permissions", effect, index];
      const more = { ...(reason === undefined ? {} : { reason }), ...(when === undefined ? {} : { when }) };
      return [{ effect, matcher, text: written, ...more, path, ...placeOf(item.start) }];
    });
  });
}

/** Adds a rule at the end of its list, which is made when it is missing. */
export function addRule(text: string, effect: Effect, entry: Json): Edit {
  const { root } = readJson5(text);
  const list: Path = ["permissions", effect];
  const there = member(member(root, "permissions")?.value, effect)?.value.kind === "array";
  return there ? { do: "insert", list, place: "end", value: entry } : { do: "set", path: list, value: [entry] };
}

/** A policy that changes nothing, and says how to change something. Every line of it is read by a test. */
export function starterPolicy(layer: "user" | "project", schema: string | undefined): string {
  const intro =
    layer === "user"
      ? ["What an AI agent may do, in every project of yours.", "`assent rules` lists what is in force, `assent lint` looks for mistakes."]
      : [
          "What an AI agent may do in this project, for everyone who works on it.",
          "Until a person says `assent trust`, only the ask and deny rules of this file count.",
        ];
  return `{
${schema === undefined ? "" : `  "$schema": ${JSON.stringify(schema)},\n`}  "version": 1,

  // ${intro.join("\n  // ")}

  // What holds where no rule speaks: default, permissive, readonly, strict or none.
  // "preset": "default",

  // The strictest rule wins: deny, then ask, then allow. Order does not matter.
  "permissions": {
    // Goes ahead: "Bash(npm test:*)", "Edit(src/**)", "WebFetch(domain:nodejs.org)"
    "allow": [],

    // You confirm: "Shell(git push ...)"
    "ask": [],

    // Is refused: { "rule": "Read(**/*.pem)", "reason": "certificates are none of your business" }
    "deny": []
  }
}
`;
}
