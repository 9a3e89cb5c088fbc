import { visible } from "@assent/core/action";
import { readRecord } from "@assent/guard/audit";
import { NOWHERE, type PolicySource } from "@assent/guard/engine";
import { normalise } from "@assent/core/path";
import { type Machine, ProcessMemory } from "@assent/guard/state";
import { allOf, type History, historyOf, type Past } from "@assent/guard/suggest";
import type { PolicyPreview, PreviewAsk, PreviewChange, PreviewVersion } from "@assent/team/team/protocol";
import type { PastOptions } from "./past.ts";
import { type ChangedRequest, type Replayed, replayHistory, type ToldWord } from "./replay.ts";

const MOST_CHANGES = 100;
const MOST_SUBJECT = 500;
const MOST_REASON = 500;

/** Where a host decides for itself it may still ask: less strict than a question, stricter than a yes. */
const STRICTNESS: Readonly<Record<ToldWord, number>> = { allow: 0, confined: 1, none: 2, ask: 3, deny: 4 };

/** A home, and the system that has homes there. */
const HOMES = [
  [/^\/home\/[^/]+/, "linux"],
  [/^\/Users\/[^/]+/, "darwin"],
] as const;

/**
 * The machine of whoever sent a record. A record does not say whose home it was and on which system; the folder it was asked in does,
 * and containers are root's.
 */
function machineOf({ cwd }: Past): Machine {
  const [home, platform] = HOMES.flatMap(([pattern, system]) => {
    const found = pattern.exec(normalise(cwd))?.[0];
    return found === undefined ? [] : [[found, system] as const];
  })[0] ?? ["/root", "linux"];
  return {
    home,
    env: { HOME: home },
    platform,
    uid: undefined,
    temp: ["/tmp", "/var/tmp"],
    managedPolicy: "/etc/assent/policy.jsonc",
    memory: new ProcessMemory(),
    alone: true,
    remote: true,
  };
}

/** As it, for the core: nobody here knows its files, and what lies under their names on this machine is nobody's business. */
const elsewhere: NonNullable<PastOptions["world"]> = ({ home, platform, temp }, cwd, root) => {
  const folder = normalise(cwd);
  const variables: Readonly<Record<string, string>> = { HOME: home, PWD: folder };
  return {
    ...NOWHERE,
    cwd: folder,
    home,
    projectRoot: normalise(root ?? cwd),
    temp,
    foldsCase: platform === "darwin",
    platform: platform === "darwin" ? "darwin" : "linux",
    env: (name) => variables[name],
    canonical: normalise,
    tracked: () => undefined,
  };
};

/**
 * What machines asked, judged by two versions of their policy: by these alone, and by no file of any machine. Undefined before: none was
 * out. Yields how many have been judged.
 */
export function replayVersions(history: History, before: PreviewVersion | undefined, after: PreviewVersion): Generator<number, Replayed> {
  const by = (one: PreviewVersion | undefined): PastOptions => ({
    files: "none",
    select: () => (one === undefined ? [] : [versionSource(one)]),
    world: elsewhere,
  });
  return replayHistory(history, machineOf, by(after), by(before));
}

/** The text of a version, as the managed layer of a machine that has it. */
const versionSource = ({ version, group, policy }: PreviewVersion): PolicySource => ({
  layer: "managed",
  file: `version ${version} of ${group}`,
  mayGrant: true,
  content: { is: "text", text: policy },
});

/** What the page shows of it. */
export function previewPolicies({ before, after, bodies }: PreviewAsk): PolicyPreview {
  const history = historyOf(bodies.flatMap((body) => readRecord(body) ?? []));
  const { changes, ...counts } = allOf(replayVersions(history, before, after));
  const judged = [...counts.after.values()].reduce((sum, count) => sum + count, 0);
  const told = changes.map(changeOf);
  const sum = (is: PreviewChange["is"]): number => told.reduce((all, one) => all + (one.is === is ? one.count : 0), 0);
  const [stricter, looser] = [sum("stricter"), sum("looser")];
  return {
    records: history.records,
    unreadable: history.unreadable,
    stricter,
    looser,
    same: judged - stricter - looser,
    changed: told.length,
    // What is allowed more comes first: that is what nobody may overlook.
    changes: told.toSorted((a, b) => Number(b.is === "looser") - Number(a.is === "looser") || b.count - a.count).slice(0, MOST_CHANGES),
  };
}

const changeOf = ({ past, before, after, reason }: ChangedRequest): PreviewChange => ({
  subject: cut(past.subject === "" ? past.tool : past.subject, MOST_SUBJECT),
  count: past.count,
  before,
  after,
  is: STRICTNESS[after] > STRICTNESS[before] ? "stricter" : "looser",
  reason: cut(visible(reason), MOST_REASON),
});

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
