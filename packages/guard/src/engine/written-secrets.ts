// Keys and tokens on their way into a repository: by the shapes that are taken out of the log.
import type { Action, Lowered, World } from "@assent/core/action";
import { tokensIn } from "../audit/index.ts";
import { isObject } from "@assent/core/data";
import { isBelow, relativePath } from "@assent/core/path";
import { isIgnored } from "@assent/core/policy";
import type { Request } from "@assent/core/request";

/** Longer texts are no source of anybody's. */
const MOST_LOOKED_AT = 1 << 20;
const MOST_NODES = 2000;

/** Marks each change of a file that git keeps, by a call in which a secret stands that is not in the file already. */
export function noteWrittenSecrets(request: Request, lowered: Lowered, world: World): Lowered {
  if (!lowered.actions.some((action) => pathKept(action, world) !== undefined)) return lowered;
  const secrets = newTexts(request.input).flatMap((text) => tokensIn(text).filter(isLikely));
  if (secrets.length === 0) return lowered;
  const actions = lowered.actions.map((action): Action => {
    const path = pathKept(action, world);
    const before = path === undefined ? "" : (world.text?.(path) ?? "");
    if (path === undefined || !secrets.some((secret) => !before.includes(secret))) return action;
    return { ...action, dangers: [...(action.dangers ?? []), "written-secret"] };
  });
  return { ...lowered, actions };
}

/** The file of the project that is changed, if git tracks it, or does not leave it out. */
function pathKept(action: Action, world: World): string | undefined {
  if (action.kind !== "file" || action.upkeep === true || action.target.kind !== "path") return undefined;
  if (action.operation !== "write" && action.operation !== "edit") return undefined;
  const path = world.canonical(action.target.path);
  const root = world.projectRoot;
  if (!isBelow(path, root) || path === root || FOR_TESTS.test(`/${relativePath(root, path)}`)) return undefined;
  if (world.kind(`${root}/.git`) === "missing" || isBelow(path, `${root}/.git`)) return undefined;
  return world.tracked(path) === true || !isIgnored(path, world) ? path : undefined;
}

/** Where made-up keys stand: tests, what they are fed with, examples. */
const FOR_TESTS = new RegExp(
  String.raw`/(?:[\w-]*tests?|__[a-z]+__|specs?|e2e|cypress|fixtures?|testdata|mocks?|stubs?|examples?|samples?)/` +
    String.raw`|[._-](?:tests?|specs?|mock|stub|fixtures?|examples?|sample|template)\.[\w.]+$|\.(?:example|sample|template|snap|dist)$` +
    String.raw`|/(?:test_|conftest)[^/]*$`,
  "i",
);

/** The texts of a call, but for what an edit takes away. */
function newTexts(input: Request["input"]): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [input];
  for (let nodes = 0; open.length > 0 && nodes < MOST_NODES; nodes += 1) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value.slice(0, MOST_LOOKED_AT));
    else if (Array.isArray(value)) for (const inner of value.slice(0, MOST_NODES)) open.push(inner);
    else if (isObject(value)) open.push(...Object.entries(value).flatMap(([field, inner]) => (/^old/i.test(field) ? [] : [inner])));
  }
  return texts;
}

/** Letters and digits without an order, which no name and no placeholder has; a key with its text, and not its first line alone. */
export function isLikely(secret: string): boolean {
  if (secret.startsWith("-----")) return /[\w+/=]{48,}/.test(secret);
  if (/example|sample|dummy|fake|placeholder|your|changeme|redacted|(.)\1{4,}|1234567|abcdef/i.test(secret)) return false;
  const runs = secret.match(/[A-Za-z0-9]{12,}/g) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run) && new Set(run).size >= 8);
}
