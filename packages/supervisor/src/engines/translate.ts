import { isWithin, joinPath } from "@assent/core/path";
import type { FileOperation } from "@assent/core/action";
import type { Policy, Rule } from "@assent/core/policy";

/** A path is itself, whatever characters its names have; only a rule can be a pattern. */
export type PlannedPath = string | { readonly pattern: string };

/** A policy as a sandbox takes it that knows folders and nothing of calls. */
export interface SandboxPlan {
  readonly denyRead: readonly PlannedPath[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly PlannedPath[];
  /** Rules that it cannot hold: nothing is started under these. */
  readonly cannotHold: readonly string[];
  /** Allows that are left out, which makes it stricter. */
  readonly stricter: readonly string[];
}

export interface PlanGround {
  readonly home: string;
  readonly projectRoot: string;
  readonly cwd: string;
  /** The project's git folders, which may lie elsewhere. */
  readonly git?: readonly string[];
  readonly temp: readonly string[];
  /** It takes patterns, not only paths (Seatbelt does, mounts do not). */
  readonly patterns: boolean;
  /** Paths as the kernel names them. */
  readonly canonical: (path: string) => string;
  /** Secrets that are there. */
  readonly secrets: readonly string[];
  /** What runs code later, or controls agents, below the folders that may be written. */
  readonly closed: readonly string[];
}

const READS: readonly FileOperation[] = ["read"];
const CHANGES: readonly FileOperation[] = ["write", "edit", "delete", "rename", "metadata", "mkdir", "link"];

/**
 * The policy of a run for a sandbox that is told once, before it starts, which folders are open. Hosts are not in it: its proxy asks
 * for each, and the policy itself answers. An ask for a file becomes a no, for nobody can be asked in the middle.
 */
export function planSandbox(policy: Policy, ground: PlanGround): SandboxPlan {
  const { home, projectRoot, cwd, git = [], temp, canonical, secrets, closed } = ground;
  const denyRead: PlannedPath[] = [...secrets];
  const denyWrite: PlannedPath[] = [...secrets, ...closed];
  const allowWrite = [
    cwd,
    projectRoot,
    ...git,
    ...temp,
    ...policy.settings.writableRoots.map((root) => absoluteOf(root, projectRoot, home)),
  ];
  const cannotHold: string[] = [];
  const stricter: string[] = [];
  if (policy.broken !== undefined) cannotHold.push(policy.broken);
  if (policy.settings.preset !== "default" && policy.settings.preset !== "permissive")
    cannotHold.push(`the preset \`${policy.settings.preset}\``);
  if (isWithin(home, projectRoot)) cannotHold.push(`the project ${projectRoot} holds the home folder: all of it would be open`);
  for (const block of policy.operations) {
    if (block.default !== undefined && block.default !== "allow") cannotHold.push(`the default of \`operations.${block.operation}\``);
  }
  for (const rule of [...policy.rules, ...policy.operations.flatMap(({ rules }) => rules)]) {
    const { matcher, effect, source } = rule;
    switch (matcher.kind) {
      case "net":
      case "tool":
        // The proxy asks about each host; tools are no programs.
        break;
      case "path": {
        const where = placeOf(matcher.pattern, rule, ground);
        if (effect === "allow") {
          if (!matcher.operations.some((one) => CHANGES.includes(one))) {
            if (where.is === "path" && secrets.some((secret) => isWithin(secret, where.path) || isWithin(where.path, secret)))
              stricter.push(source.text);
          } else if (where.is === "path" && rule.untrusted !== true && isInside(where.path, rule)) allowWrite.push(where.path);
          else stricter.push(source.text);
          break;
        }
        const reads = matcher.operations.some((one) => READS.includes(one));
        const changes = matcher.operations.some((one) => CHANGES.includes(one));
        if (matcher.operations.includes("execute") && !reads) cannotHold.push(source.text);
        if (where.is === "nowhere" && (reads || changes)) cannotHold.push(source.text);
        if (where.is === "nowhere") break;
        const planned = where.is === "pattern" ? { pattern: where.pattern } : where.path;
        if (reads) denyRead.push(planned);
        if (changes) denyWrite.push(planned);
        break;
      }
      default:
        // It sees no start of a program and no call.
        if (effect !== "allow") cannotHold.push(source.text);
    }
  }
  const real = (paths: readonly string[]): readonly string[] => [...new Set(paths.flatMap((path) => [path, canonical(path)]))].toSorted();
  const planned = (all: readonly PlannedPath[]): readonly PlannedPath[] => [
    ...real(all.filter((one) => typeof one === "string")),
    ...all.filter((one) => typeof one !== "string"),
  ];
  const open = real(allowWrite).filter((path) => !isTooMuch(path, home));
  stricter.push(
    ...real(allowWrite)
      .filter((path) => isTooMuch(path, home))
      .map((path) => `writing in ${path}`),
  );
  return { denyRead: planned(denyRead), allowWrite: open, denyWrite: planned(denyWrite), cannotHold, stricter };
}

/** The root, home or a folder above it: what lies there could not all be named. */
const isTooMuch = (path: string, home: string): boolean => isWithin(home, path);

const isInside = (path: string, { root }: Rule): boolean => root === undefined || isWithin(path, root);

function absoluteOf(pattern: string, base: string, home: string): string {
  if (pattern === "~" || pattern.startsWith("~/")) return home + pattern.slice(1);
  if (pattern === ".") return base;
  return pattern.startsWith("/") ? pattern : joinPath(base, pattern.replace(/^\.\//, ""));
}

type Place =
  | { readonly is: "path"; readonly path: string }
  | { readonly is: "pattern"; readonly pattern: string }
  | { readonly is: "nowhere" };

/** `src/**` is a folder; other patterns are for a sandbox that takes them, and of these it takes `*` and `**` alone. */
function placeOf(pattern: string | undefined, { root }: Rule, { home, projectRoot, patterns }: PlanGround): Place {
  if (pattern === undefined || pattern === "**" || pattern === "/**") return { is: "nowhere" };
  const folder = pattern.replace(/\/\*\*$/, "");
  const base = root ?? projectRoot;
  if (!/[*?[\]{}\\!]/.test(folder)) return { is: "path", path: absoluteOf(folder, base, home) };
  if (!patterns || /[?[\]{}\\!]/.test(pattern)) return { is: "nowhere" };
  // Wherever it lies: `**/*.pem` speaks of every folder.
  if (pattern.startsWith("**/")) return { is: "pattern", pattern: `/${pattern}` };
  // What stands before it would be read as a pattern, too.
  if (/[*?[\]]/.test(pattern.startsWith("~") ? home : pattern.startsWith("/") ? "" : base)) return { is: "nowhere" };
  return { is: "pattern", pattern: absoluteOf(folder, base, home) };
}
