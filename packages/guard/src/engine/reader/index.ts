import { type Action, OutOfBudget, withBudget } from "@assent/core/action";
import { expandBraces } from "@assent/core/pattern";
import { joinLayers, type LayerInput, type Policy, type PolicyFile, type Problem } from "@assent/core/policy";
import { readPolicy, type ReadOptions, type ReadResult } from "@assent/core/policy/read";
import { type PolicySpan, readSealed } from "../../signature/index.ts";
import { effortClock, isTrusted, type Trust, readText, hexDigest } from "../../state/index.ts";
import type { PolicySource } from "../policy-files.ts";
import { packsAgreed, packsBy } from "./packs.ts";

export { OUR_PACKS, packFile, packsBy, type PackText } from "./packs.ts";

const printed = ({ file, line, column, message, help }: Problem): string =>
  `${file}:${line}:${column}: ${message}${help === undefined ? "" : ` (${help})`}`;

/** One policy file that was found, and what it says. */
export interface SourceRead {
  readonly source: PolicySource;
  /** Its allow rules and settings count. */
  readonly trusted: boolean;
  /** A text that a person agreed to before the file changed: it forbids and asks until they have looked. */
  readonly agreed?: true;
  readonly result: ReadResult;
  /** Between which times a team's policy holds as it is. */
  readonly span?: PolicySpan | undefined;
}

type ExampleLowering = (command: string) => readonly Action[];

/** What a file may cost that nobody has trusted: anyone may have written it, and every hook in its project reads it. */
const STRANGERS = { bytes: 64 << 10, rules: 1000, patterns: 4_000_000, steps: 50_000 };
/** Of all such files for one request. */
const STRANGERS_BYTES = 512 << 10;
/** For the examples of a trusted file. */
const EXAMPLES = { steps: 2_000_000, milliseconds: 600, clock: effortClock };

/** Reads each of the files found by itself. `agreed`: a person has agreed to their texts, which only forbid and ask all the same. */
export function readEach(
  sources: readonly PolicySource[],
  trust: Trust,
  examples: ExampleLowering,
  hook = false,
  agreed = false,
): readonly SourceRead[] {
  let strangers = 0;
  return sources.map((source): SourceRead => {
    const { layer, file, root, mayGrant, content } = source;
    const trusted = layer !== "project" || (mayGrant && content.is === "text" && isTrusted(trust, file, content.text, hexDigest));
    const broken = (message: string, help?: string): SourceRead => {
      const problem: Problem = { severity: "error", file, line: 1, column: 1, key: "", message, ...(help === undefined ? {} : { help }) };
      return { source, trusted, result: { ok: false, problems: [problem], examples: [] } };
    };
    if (content.is === "broken") return broken(content.why);
    const { text } = content;
    const sealed = layer === "managed" && file.endsWith(TEAM_POLICY) ? readSealed(text, pinBeside(file)) : { span: undefined };
    if ("why" in sealed) return broken(sealed.why);
    const packs = packsBy(packsAgreed(source, trust), hook);
    const place = { file, layer, packs, ...(root === undefined ? {} : { root }), ...(trusted ? {} : { untrusted: true }) };
    if (trusted) {
      const { span } = sealed;
      return { source, trusted, span, result: hook ? readInTime(text, place, examples) : readPolicy(text, { ...place, examples }) };
    }
    if (agreed) return { source, trusted, agreed, result: withoutAllows(readPolicy(text, place)) };
    strangers += text.length;
    if (text.length > STRANGERS.bytes || strangers > STRANGERS_BYTES) return broken("is too large for a file that nobody trusts", TRUST_IT);
    // Examples tell their writer something, not those who use the file.
    const result = hook ? readCheaply(text, place) : readPolicy(text, { ...place, examples });
    if (result === undefined) return broken("has too many patterns for a file that nobody trusts", TRUST_IT);
    return result.ok && isCostly(result.policy)
      ? broken("has too many rules for a file that nobody trusts", TRUST_IT)
      : { source, trusted, result };
  });
}

const withoutAllows = (result: ReadResult): ReadResult =>
  result.ok ? { ...result, policy: { ...result.policy, rules: result.policy.rules.filter(({ effect }) => effect !== "allow") } } : result;

/** Where `assent team` leaves the policy of a team; what it is held against lies beside it. */
const TEAM_POLICY = "/team-member/policy.jsonc";

const pinBeside = (file: string): string | undefined => readText(file.replace(/[^/]+$/, "pin.json"), 1 << 20);

const TRUST_IT = "`assent trust` agrees to it";

/** Undefined: its patterns stand for too many others. Not by the clock, so that a file says the same at each call. */
function readCheaply(text: string, place: Omit<ReadOptions, "examples">): ReadResult | undefined {
  try {
    return withBudget({ steps: STRANGERS.steps, milliseconds: Number.POSITIVE_INFINITY, clock: () => 0 }, () => readPolicy(text, place));
  } catch (error) {
    if (error instanceof OutOfBudget) return undefined;
    throw error;
  }
}

/** With its examples, where they can be held in the time of a hook. */
function readInTime(text: string, place: Omit<ReadOptions, "examples">, examples: ExampleLowering): ReadResult {
  try {
    return withBudget(EXAMPLES, () => readPolicy(text, { ...place, examples }));
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    const result = readPolicy(text, place);
    const { file } = place;
    const message = "the examples of its rules take too long to check in a hook";
    const late: Problem = { severity: "warning", file, line: 1, column: 1, key: "", message, help: "`assent lint` checks them" };
    return result.ok ? { ...result, warnings: [...result.warnings, late] } : result;
  }
}

/** Whether matching these rules would take too long: each pattern is held against each path and command. */
function isCostly({ rules, operations }: PolicyFile): boolean {
  if (rules.length + operations.length > STRANGERS.rules) return true;
  const cost = rules.reduce((sum, { source }) => {
    const braces = expandBraces(source.text);
    const alternatives = braces.ok ? braces.value.length : 256;
    return sum + source.text.length * source.text.split("*").length * alternatives;
  }, 0);
  return cost > STRANGERS.patterns;
}

/** What a file brings when the layers are joined. */
export function layerOf({ source, trusted: isTrustedNow, agreed, result }: SourceRead): LayerInput {
  const { layer, file, root, content } = source;
  const trusted = agreed === true ? "agreed" : isTrustedNow;
  if (result.ok) return { ok: true, policy: result.policy, trusted, ...(root === undefined ? {} : { root }) };
  const why = content.is === "broken" ? `${file} ${content.why}` : result.problems.map(printed).join("; ");
  return { ok: false, file, layer, why, trusted };
}

/** One more file, which can only tighten. */
const PAST_ITS_TIME: LayerInput = {
  ok: true,
  policy: { layer: "explicit", file: "", rules: [], operations: [], settings: { unknown: "ask" } },
};

/**
 * Until a person has looked at a changed file, what they agreed to before holds with it, as far as it forbids and asks: a branch with
 * an older text takes no rule away.
 */
function agreedBefore({ source, trusted }: SourceRead, trust: Trust): readonly PolicySource[] {
  const { layer, file, content } = source;
  const pin = layer === "project" && !trusted ? trust.pins.get(file) : undefined;
  if (pin === undefined || (content.is === "text" && hexDigest(content.text) === pin)) return [];
  const text = trust.agreed?.(pin, hexDigest);
  return text === undefined ? [] : [{ ...source, file: `${file} (as you agreed to it)`, mayGrant: false, content: { is: "text", text } }];
}

/** The files found, and what was agreed to before where one of them has changed or is gone. */
export function readInForce(
  sources: readonly PolicySource[],
  trust: Trust,
  examples: ExampleLowering,
  hook = false,
): readonly SourceRead[] {
  const found = readEach(sources, trust, examples, hook);
  const before = found.flatMap((one) => agreedBefore(one, trust));
  return before.length === 0 ? found : [...found, ...readEach(before, trust, examples, hook, true)];
}

/** Makes one policy of the files found. Bundled on its own: the hook loads it only when a file has changed. */
export function read(sources: readonly PolicySource[], trust: Trust, examples: ExampleLowering): Policy {
  const files = readInForce(sources, trust, examples, true);
  const warnings = files.flatMap(({ result }) => (result.ok ? result.warnings.map(printed) : []));
  const layers = files.map(layerOf);
  const policy = joinLayers(layers);
  const span = files.find((one) => one.span !== undefined)?.span;
  const late = span === undefined ? policy.settings : joinLayers([...layers, PAST_ITS_TIME]).settings;
  return {
    ...policy,
    warnings: [...warnings, ...policy.warnings],
    ...(span === undefined || late.unknown === policy.settings.unknown ? {} : { holds: { ...span, late } }),
  };
}
