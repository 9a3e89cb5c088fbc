import { randomNumbers } from "./random.ts";

/** One line of a session, with its verdict under each policy: decision, what it rests on and the reason, parted by tabs. */
export interface Played {
  readonly session: string;
  readonly kind: string;
  readonly command: string;
  readonly verdicts: Readonly<Record<string, string>>;
}

const RESAMPLES = 1000;

const interrupts = (played: Played, policy: string): boolean => played.verdicts[policy]?.startsWith("allow") !== true;
const mechanism = (played: Played, policy: string): string => played.verdicts[policy]?.split("\t")[1] ?? "";
const percent = (part: number, whole: number): string => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(2)} %`);
const share = (part: number, whole: number): string => `${percent(part, whole)} (${part} of ${whole})`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** How often lines interrupt, by policy, by kind of session and by what the question rests on, in Markdown. */
export function frictionTables(lines: readonly Played[], policies: readonly string[]): string {
  const sessions = groupBy(lines, ({ session }) => session);
  const distinct = firstOfEach(lines);
  const byPolicy = policies.map((policy) => {
    const asked = (some: readonly Played[]): number => some.filter((one) => interrupts(one, policy)).length;
    return [
      policy,
      `${share(asked(distinct), distinct.length)}, ${interval(
        groupBy(distinct, ({ session }) => session),
        [...sessions.keys()],
        asked,
      )}`,
      `${share(asked(lines), lines.length)}, ${interval(sessions, [...sessions.keys()], asked)}`,
      share([...sessions.values()].filter((some) => asked(some) > 0).length, sessions.size),
    ];
  });
  const byKind = [...groupBy(distinct, ({ kind }) => kind)].map(([kind, some]) => [
    kind,
    String(some.length),
    ...policies.map((policy) => share(some.filter((one) => interrupts(one, policy)).length, some.length)),
  ]);
  const mechanisms = policies.map((policy) => {
    const asked = lines.filter((one) => interrupts(one, policy));
    const rows = [...groupBy(asked, (one) => mechanism(one, policy))]
      .map(([reason, some]) => ({ reason, distinct: firstOfEach(some).length, sessions: new Set(some.map(({ session }) => session)).size }))
      .toSorted((a, b) => b.distinct - a.distinct || (a.reason < b.reason ? -1 : 1));
    return [
      `What it rests on, ${policy}:`,
      "",
      table(
        ["reason", "distinct lines", "sessions"],
        rows.map((row) => [`\`${row.reason}\``, String(row.distinct), String(row.sessions)]),
      ),
    ].join("\n");
  });
  return [
    table(["policy", "distinct lines that interrupt", "all lines", "sessions"], byPolicy),
    table(["kind of session", "distinct lines", ...policies], byKind),
    ...mechanisms,
  ].join("\n\n");
}

/** The middle 95 % of the shares that one gets by drawing as many sessions again and again, with the same seed. */
function interval(
  sessions: ReadonlyMap<string, readonly Played[]>,
  names: readonly string[],
  count: (some: readonly Played[]) => number,
): string {
  const random = randomNumbers(1);
  const parts = names.map((name) => ({ part: count(sessions.get(name) ?? []), whole: sessions.get(name)?.length ?? 0 }));
  const shares = Array.from({ length: RESAMPLES }, () => {
    let [part, whole] = [0, 0];
    for (let i = 0; i < parts.length; i++) {
      const drawn = parts[Math.floor(random() * parts.length)];
      part += drawn?.part ?? 0;
      whole += drawn?.whole ?? 0;
    }
    return whole === 0 ? 0 : (100 * part) / whole;
  }).toSorted((a, b) => a - b);
  const at = (quantile: number): string => (shares[Math.floor(quantile * (RESAMPLES - 1))] ?? 0).toFixed(1);
  return `${at(0.025)} to ${at(0.975)}`;
}

/** Of lines that are the same, the first. */
function firstOfEach(lines: readonly Played[]): readonly Played[] {
  return [...new Map(lines.toReversed().map((line) => [line.command, line])).values()].toReversed();
}

export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
