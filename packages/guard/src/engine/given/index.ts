import { isObject } from "@assent/core/data";
import { type Policy, type PolicyFile, policyFor, type Principal, tightenPolicy, type Who } from "@assent/core/policy";
import { type PackReader, readPolicy } from "@assent/core/policy/read";
import { lowerExample } from "@assent/core/request";
import type { PolicySource } from "../policy-files.ts";
import type { Situation } from "../situation.ts";

// The policy of a guard in a program: what it is made of, and how it is handed to a run, which goes by it and by nothing else.

/** As people find a policy in code again: there is no file. */
export const IN_CODE = "the guard's policy";

/** Which policy files of the machine hold as well: none, those of some layers, or these. */
export type GivenFiles = "none" | "user" | "project" | "all" | readonly string[];

/** What a guard judges a command by, as data. */
export interface GivenPolicies {
  readonly files: GivenFiles;
  /** Text of the first policy in code, a layer beside the files; absent: there is none. */
  readonly policy?: string;
  /** Texts of those behind it, which make it stricter. */
  readonly stricter: readonly string[];
  readonly who: Who;
  /** For the log. */
  readonly principal?: Principal;
  /** Whether decisions are appended to this machine's log. */
  readonly audit: boolean;
}

const LAYERS_OF: Readonly<Record<"user" | "project" | "all", ReadonlySet<string>>> = {
  user: new Set(["managed", "user"]),
  project: new Set(["managed", "project"]),
  all: new Set(["managed", "user", "project", "explicit", "profile"]),
};

/** The layers that a guard goes by: what is chosen of the files found, and its own text. */
export function selectionOf(files: GivenFiles, text: string | undefined): Required<Pick<Situation, "files" | "policyFiles" | "select">> {
  // A variable of the environment names further files: only with `all`.
  const isWanted = ({ layer, file }: PolicySource): boolean =>
    typeof files === "string" ? files !== "none" && LAYERS_OF[files].has(layer) : layer === "explicit" && files.includes(file);
  return {
    files: files === "none" ? "none" : "machine",
    policyFiles: typeof files === "string" ? [] : files,
    select: (found) => [...found.filter(isWanted), ...(text === undefined ? [] : [sourceOf(text)])],
  };
}

/** As one more layer beside the files. */
const sourceOf = (text: string): PolicySource => ({ layer: "explicit", file: IN_CODE, mayGrant: true, content: { is: "text", text } });

const MOST_KNOWN = 500;
const tightened = new WeakMap<Policy, Map<PolicyFile, Policy>>();

/** Made stricter by each of these, in turn. What has been made is found again. */
export function tightenedBy(policy: Policy, stricter: readonly PolicyFile[]): Policy {
  return stricter.reduce((so, file) => {
    let made = tightened.get(so);
    if (made === undefined) tightened.set(so, (made = new Map<PolicyFile, Policy>()));
    let next = made.get(file);
    if (next === undefined) {
      if (made.size >= MOST_KNOWN) made.clear();
      made.set(file, (next = tightenPolicy(so, file)));
    }
    return next;
  }, policy);
}

/** A guard's policies in the place of the machine's, as a run, and a hook inside it, go by them. */
export interface RunPolicies extends Required<Pick<Situation, "files" | "policyFiles" | "select" | "adapt">> {
  /** Texts and principal: who has the same may do the same. */
  readonly key: string;
  readonly principal: Principal | undefined;
  readonly audit: boolean;
}

/** Throws for a text that is no policy. */
export function runPolicies(given: GivenPolicies, packs: PackReader): RunPolicies {
  const { files, policy, stricter, who, principal, audit } = given;
  const layers = stricter.map((text) => readText(text, packs));
  if (policy !== undefined) readText(policy, packs);
  return {
    ...selectionOf(files, policy),
    adapt: (found) => {
      // INVARIANT: settled. Whoever asks inside, a hook or a guard, is for the same principal, whatever it says of itself.
      const { conditional: _, ...settled } = policyFor(tightenedBy(found, layers), () => who);
      return settled;
    },
    key: JSON.stringify(given),
    principal,
    audit,
  };
}

function readText(text: string, packs: PackReader): PolicyFile {
  const read = readPolicy(text, { file: IN_CODE, layer: "explicit", examples: lowerExample, packs });
  if (read.ok) return read.policy;
  throw new Error(`${IN_CODE} cannot be read: ${read.problems.map(({ message }) => message).join("; ")}`);
}

const FIELDS: ReadonlySet<string> = new Set(["files", "policy", "stricter", "who", "principal", "audit"]);
const NAMES: ReadonlySet<string> = new Set(["user", "tenant", "role", "roles", "agent", "agents", "session"]);

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isFiles = (value: unknown): value is GivenFiles =>
  isTexts(value) ? value.every((file) => file.startsWith("/")) : ["none", "user", "project", "all"].some((one) => one === value);
const isNamed = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([name, of]) => NAMES.has(name) && (isText(of) || isTexts(of)));

/** INVARIANT: what has a member that is not known is none: it could have made it stricter. */
export function isGiven(value: unknown): value is GivenPolicies {
  if (!isObject(value) || !Object.keys(value).every((name) => FIELDS.has(name))) return false;
  const { files, policy, stricter, who, principal, audit } = value;
  return (
    isFiles(files) &&
    (policy === undefined || isText(policy)) &&
    isTexts(stricter) &&
    isNamed(who) &&
    (principal === undefined || isNamed(principal)) &&
    typeof audit === "boolean"
  );
}
