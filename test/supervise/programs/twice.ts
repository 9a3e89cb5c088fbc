import { afterAll, describe, expect, it } from "vitest";
import { has, hasTurn, LONG, type Ran, remove, Suite, type User, USERS } from "./place.ts";
import { type Looking, tree } from "./tree.ts";

/** A script that must do the same under supervision as without. */
export interface Case extends Looking {
  readonly name: string;
  /** Programs without which there is nothing to test. */
  readonly needs?: readonly string[];
  /** Text for bash, started in the working folder; it ends at the first command that fails. */
  readonly script: string;
  /** In the working folder, before it starts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What of the output is left to chance, and what to read in its place. */
  readonly chance?: readonly (readonly [RegExp, string])[];
  /** Where the suite runs as root: not as another user, too, but for `npm run test:long`. */
  readonly rootOnly?: true;
  /** Takes too long for every day: `npm run test:long`. */
  readonly long?: true;
  /** Where the two are known to differ: what the supervised one prints. */
  readonly differs?: string;
}

/** Runs each case from identical folders, without supervision and with it, and compares what it left and what it said. */
export function twice(title: string, cases: readonly Case[]): void {
  const suite = new Suite();
  afterAll(() => suite.remove());
  for (const user of USERS)
    describe(`${title}, as ${user}`, { concurrent: true }, () => {
      for (const [row, one] of cases.entries()) {
        if (one.rootOnly === true && user === "nobody" && (!LONG || one.env?.["RUSTUP_HOME"] !== undefined)) continue;
        if (one.rootOnly !== true && !hasTurn(user, row)) continue;
        const missing = (one.needs ?? []).filter((program) => !has(program));
        // What is left out says why, in the list of tests too.
        const name = missing.length > 0 ? `${one.name} (left out: no ${missing.join(", ")})` : one.name;
        it.skipIf(missing.length > 0 || (one.long === true && !LONG))(name, async () => {
          const bare = await observed(suite, user, one, false);
          const supervised = await observed(suite, user, one, true);
          expect(bare.status, bare.output).toBe(0);
          expect(supervised.complaints).toEqual([]);
          expect({
            status: supervised.status,
            said: difference(one.differs?.split("\n") ?? bare.output.split("\n"), supervised.output.split("\n")),
            left: difference(bare.tree, supervised.tree),
          }).toEqual({ status: bare.status, said: [], left: [] });
        });
      }
    });
}

/** Lines that only one of the two has: `-` without supervision, `+` with it. Where only their order differs, the first that does. */
function difference(bare: readonly string[], supervised: readonly string[]): readonly string[] {
  const count = new Map<string, number>();
  for (const line of bare) count.set(line, (count.get(line) ?? 0) + 1);
  for (const line of supervised) count.set(line, (count.get(line) ?? 0) - 1);
  const lines = [...count].flatMap(([line, more]) => (more === 0 ? [] : [`${more > 0 ? "-" : "+"} ${line.slice(0, 300)}`]));
  const at = bare.findIndex((line, index) => line !== supervised[index]);
  return lines.length > 0 || at < 0 ? lines.slice(0, 60) : [`another order: ${bare[at] ?? ""}, ${supervised[at] ?? ""}`];
}

interface Observed {
  readonly status: Ran["status"];
  readonly output: string;
  readonly tree: readonly string[];
  /** What Assent itself had to say. */
  readonly complaints: readonly string[];
}

const places = new WeakMap<Case, Map<User, ReturnType<Suite["place"]>>>();

async function observed(suite: Suite, user: User, one: Case, supervise: boolean): Promise<Observed> {
  // The same place both times: programs write down where they are.
  const known = places.get(one) ?? new Map<User, ReturnType<Suite["place"]>>();
  places.set(one, known);
  const place = known.get(user) ?? suite.place();
  known.set(user, place);
  place.fresh(user, { ...one.files, "../script": `set -eo pipefail\n${one.script}` });
  const argv = ["sh", "-c", 'exec bash "$0" 2>&1', `${place.folder}/script`];
  const ran = await place.run({
    user,
    argv: supervise ? place.supervised(argv) : argv,
    ...(one.env === undefined ? {} : { env: one.env }),
  });
  const output = [[/\b0x[0-9a-f]+\b/g, "ADDRESS"] as const, ...(one.chance ?? [])].reduce(
    (text, [pattern, word]) => text.replace(pattern, word),
    ran.stdout,
  );
  const found = ran.status === 0 ? [...tree(place.cwd, one), ...tree(place.home, one)] : [];
  const complaints = supervise ? ran.stderr.split("\n").filter((line) => /refused|killed|fail|Error|without|cannot/.test(line)) : [];
  if (supervise) remove(place.folder);
  return { status: ran.status, output, tree: found, complaints };
}
