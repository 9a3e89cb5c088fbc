import { statSync } from "node:fs";
import {
  AUDIT_FILE,
  decidedBy,
  lineAt,
  logExtent,
  type LogFilter,
  type LogPlace,
  pageBefore,
  type PlacedRecord,
  readRecord,
  recordsBetween,
} from "@assent/guard/audit";
import { isObject } from "@assent/core/data";
import { judgePast, ruleReader, sayDecision, SOURCES } from "../../preview/index.ts";
import { isConfined, type Verdict } from "@assent/core/policy";
import { type Machine, stateFolder } from "@assent/guard/state";
import { changesFor, isWholeRequest } from "@assent/guard/suggest";
import { adviceForPerson, sayAction } from "@assent/core/action";
import { shown } from "../text.ts";
import { type Endpoint, json, type NewsSource, type PageRequest, refused } from "./endpoint.ts";

/** A decision in a list. */
export interface TimelineRow {
  readonly seq: number;
  /** `SEGMENT:BYTE`. */
  readonly place: string;
  /** ISO 8601. */
  readonly time: string;
  /** `confined` where it went ahead so. */
  readonly verdict: string;
  /** What the host was told, where that is something else. */
  readonly answer?: string;
  readonly agent: string;
  readonly session: string;
  readonly tool: string;
  readonly subject: string;
  readonly reason: string;
  readonly point: string;
  readonly count: number;
}

/** How many records there are; each has a number between these. */
export interface TimelineExtent {
  readonly first: number;
  readonly last: number;
}

/** What was found so far, the newest first. */
export interface TimelineFound {
  readonly rows: readonly TimelineRow[];
  /** Where to look on, `SEGMENT:BYTE`; absent: everything was looked at. */
  readonly next?: string;
  /** The newest record of all when this was begun. */
  readonly last: number;
}

/** One part of a request, or what is not known of it. */
export interface TimelinePart {
  readonly verdict: string;
  readonly what: string;
  /** Where it comes from: a rule with its place, the name of the built-in knowledge. */
  readonly from: string;
  /** Why, where it is known. */
  readonly reason?: string;
  /** It belongs to the one above. */
  readonly inner?: boolean;
}

/** What the policy would say now. */
export interface TimelineNow {
  readonly verdict: string;
  readonly reason: string;
  readonly help?: string;
  readonly parts: readonly TimelinePart[];
  /** Allow rules that would let it go ahead, all of them needed. */
  readonly changes: readonly string[];
  /** Why there are none. */
  readonly noChange?: string;
}

/** All that is known of a decision. */
export interface TimelineRecord {
  readonly row: TimelineRow;
  /** Name and text, as the log keeps them: secrets taken out. */
  readonly input: readonly (readonly [string, string])[];
  readonly facts: readonly (readonly [string, string])[];
  readonly rule?: { readonly text: string; readonly file: string; readonly line: number };
  readonly from: string;
  /** Then. */
  readonly parts: readonly TimelinePart[];
  readonly now?: TimelineNow;
  /** Why it cannot be judged again. */
  readonly notNow?: string;
}

const MOST_ROWS = 300;
/** Bytes of the log that are looked through between two turns of the event loop, and for one answer. */
const STEP_BYTES = 8 << 20;
const MOST_BYTES = 256 << 20;
const SUBJECT = 300;
const NAME = 80;

const toRow = ({ seq, place, entry }: PlacedRecord): TimelineRow => ({
  seq,
  place: `${place.segment}:${place.at}`,
  time: shown(entry.time, 32),
  verdict: entry.confined === "yes" ? "confined" : shown(entry.verdict, NAME),
  ...(entry.answer === entry.verdict || entry.answer === "" ? {} : { answer: shown(entry.answer, NAME) }),
  agent: shown(entry.subagent === "" ? entry.agent : `${entry.agent}/${entry.subagent}`, NAME),
  session: shown(entry.session, NAME),
  tool: shown(entry.tool, NAME),
  subject: shown(entry.subject, SUBJECT),
  reason: shown([decidedBy(entry), entry.reason].filter((text) => text !== undefined).join("; "), SUBJECT),
  point: shown(entry.point, NAME),
  count: entry.count,
});

const numberIn = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
};

function placeIn(query: URLSearchParams, name: string): LogPlace | undefined {
  const [, segment, at] = /^(\d{1,9}):(\d{1,12})$/.exec(query.get(name) ?? "") ?? [];
  return segment === undefined || at === undefined ? undefined : { segment: Number(segment), at: Number(at) };
}

const VERDICTS: ReadonlySet<string> = new Set(["allow", "ask", "deny", "none"]);

/** What a page looks for; undefined: one of its words is none. */
export function filterOf(query: URLSearchParams): LogFilter | undefined {
  const wanted = query.get("verdict") ?? "";
  const isVerdict = wanted === "" || wanted === "confined" || VERDICTS.has(wanted);
  const times = (["since", "until"] as const).flatMap((name) => (query.has(name) ? [[name, numberIn(query, name)] as const] : []));
  if (!isVerdict || times.some(([, time]) => time === undefined)) return undefined;
  const texts = (["agent", "session", "point", "text"] as const).flatMap((name) => {
    const text = query.get(name) ?? "";
    return text === "" ? [] : [[name, text] as const];
  });
  return {
    ...(wanted === "confined" ? { confined: true } : wanted === "" ? {} : { verdicts: [wanted] }),
    ...Object.fromEntries(texts),
    ...Object.fromEntries(times),
  };
}

/** Looks back through the log for as many rows as fit on some screens, in steps. */
async function find({ query, signal }: PageRequest, machine: Machine): Promise<TimelineFound | undefined> {
  const filter = filterOf(query);
  if (filter === undefined || (query.has("before") && placeIn(query, "before") === undefined)) return undefined;
  const folder = stateFolder(machine);
  const { last } = logExtent(folder);
  const after = numberIn(query, "after") ?? -1;
  const rows: TimelineRow[] = [];
  let next = placeIn(query, "before");
  for (let read = 0; ;) {
    const page = pageBefore(folder, next, filter, { most: MOST_ROWS - rows.length, bytes: STEP_BYTES, after });
    rows.push(...page.records.map(toRow));
    next = page.next;
    read += page.read;
    if (next === undefined || rows.length >= MOST_ROWS || read >= MOST_BYTES || signal.aborted) break;
    await new Promise(setImmediate);
  }
  return { rows, last, ...(next === undefined ? {} : { next: `${next.segment}:${next.at}` }) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

function detail(line: string, place: LogPlace, machine: Machine): TimelineRecord | undefined {
  const entry = readRecord(line);
  const record: unknown = JSON.parse(line);
  if (entry === undefined || !isObject(record)) return undefined;
  const { seq, process, rule } = record;
  const input = Object.entries(entry.input).map(([name, value]) => [shown(name, NAME), shown(textOf(value))] as const);
  const named: readonly (readonly [string, unknown])[] = [
    ["time", entry.time],
    ["agent", entry.subagent === "" ? entry.agent : `${entry.agent}, for ${entry.subagent}`],
    ["session", entry.session],
    ["where", entry.cwd],
    ["judged by", entry.point],
    ["event", record["event"]],
    ["mode", record["mode"]],
    ["told", decidedBy(entry) ?? entry.answer],
    ["answered", record["answered"]],
    ["skipped by", record["bypass"]],
    ["times", entry.count === 1 ? "" : String(entry.count)],
    ["program", isObject(process) ? [process["program"], ...listOf(process["parents"])].map(textOf).join(" ← ") : ""],
    ["took", typeof record["ms"] === "number" ? `${record["ms"]} ms` : ""],
  ];
  const ruleFields = isObject(rule) && typeof rule["line"] === "number" ? rule : undefined;
  return {
    row: toRow({ seq: typeof seq === "number" ? seq : 0, place, entry }),
    input,
    facts: named.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, shown(textOf(value), SUBJECT)] as const])),
    ...(ruleFields === undefined
      ? {}
      : {
          rule: {
            text: shown(textOf(ruleFields["text"]), SUBJECT),
            file: shown(textOf(ruleFields["file"]), SUBJECT),
            line: Number(ruleFields["line"]),
          },
        }),
    from: sourceOf(entry.basis, record["builtin"]),
    parts: [
      ...listOf(record["actions"]).map(partThen),
      ...listOf(record["unknowns"]).map((why) => ({ verdict: "ask", what: `not clear: ${shown(textOf(why), SUBJECT)}`, from: "" })),
    ],
    ...now(line, machine),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isBasis = (text: string): text is keyof typeof SOURCES => Object.hasOwn(SOURCES, text);

function sourceOf(basis: string, builtin: unknown): string {
  const source = isBasis(basis) ? SOURCES[basis] : shown(basis, NAME);
  return typeof builtin === "string" ? `${source} [${shown(builtin, NAME)}]` : source;
}

function partThen(value: unknown): TimelinePart {
  const { action, verdict, basis, builtin, rule } = isObject(value) ? value : {};
  const from = typeof rule === "string" ? `rule  ${shown(rule, SUBJECT)}` : sourceOf(textOf(basis), builtin);
  return { verdict: shown(textOf(verdict), NAME), what: shown(textOf(action), SUBJECT), from };
}

function now(line: string, machine: Machine): Pick<TimelineRecord, "now" | "notNow"> {
  const entry = readRecord(line);
  if (entry === undefined) return {};
  if (entry.point === "run") return { notNow: "a program did this while it ran: its run's receipt has the rest" };
  if (!isWholeRequest(entry)) return { notNow: "the log does not hold the request whole: a secret was taken out, or it was cut" };
  const { agent, tool, input, cwd, subject, time } = entry;
  const outcome = judgePast({ agent, tool, input, cwd, subject, count: 1, prompts: 0, denials: 0, last: time }, machine);
  const { verdict } = outcome;
  const changes = verdict.decision === "allow" ? [] : changesFor(outcome, ruleReader);
  const noChange =
    changes.length > 0 || verdict.decision === "allow"
      ? undefined
      : verdict.rule !== undefined
        ? `no allow rule changes this: the rule at ${shown(verdict.rule.file, SUBJECT)}:${verdict.rule.line} decides`
        : verdict.basis === "floor"
          ? "no rule can allow this"
          : "one rule is not enough to allow this";
  return {
    now: {
      verdict: isConfined(verdict) ? "confined" : sayDecision(verdict.decision),
      reason: shown(verdict.reason, SUBJECT),
      ...(verdict.help === undefined ? {} : { help: shown(adviceForPerson(verdict.help), SUBJECT) }),
      parts: [
        ...verdict.actions.map(({ action, verdict: own }) => ({
          ...partNow(own),
          what: shown(sayAction(action), SUBJECT),
          ...("origin" in action && action.origin.by === "command" ? { inner: true } : {}),
        })),
        ...verdict.unknowns.map(({ unknown, verdict: own }) => ({ ...partNow(own), what: `not clear: ${shown(unknown.reason, SUBJECT)}` })),
      ],
      changes: changes.map((rule) => shown(rule, SUBJECT)),
      ...(noChange === undefined ? {} : { noChange }),
    },
  };
}

const partNow = ({ decision, rule, basis, builtin, reason }: Verdict): Omit<TimelinePart, "what"> => ({
  verdict: sayDecision(decision),
  from: rule === undefined ? sourceOf(basis, builtin) : `${shown(rule.text, SUBJECT)}  ${shown(rule.file, SUBJECT)}:${rule.line}`,
  reason: shown(reason, SUBJECT),
});

export const TIMELINE: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/log",
    answer: (_, { machine }) => {
      const { first, last } = logExtent(stateFolder(machine));
      return json({ first, last } satisfies TimelineExtent);
    },
  },
  {
    method: "GET",
    path: "/api/log/between",
    answer: ({ query }, { machine }) => {
      const [low, high] = [numberIn(query, "low"), numberIn(query, "high")];
      if (low === undefined || high === undefined || high - low >= MOST_ROWS) return refused("which records is not clear");
      return json({ rows: recordsBetween(stateFolder(machine), low, high).map(toRow), last: high } satisfies TimelineFound);
    },
  },
  {
    method: "GET",
    path: "/api/log/find",
    answer: async (request, { machine }) => {
      const found = await find(request, machine);
      return found === undefined ? refused("what to look for is not clear") : json(found);
    },
  },
  {
    method: "GET",
    path: "/api/log/record",
    answer: ({ query }, { machine }) => {
      const place = placeIn(query, "place");
      const line = place === undefined ? undefined : lineAt(stateFolder(machine), place);
      const found = place === undefined || line === undefined ? undefined : detail(line, place, machine);
      return found === undefined ? refused("this record does not exist, or is no longer kept", 404) : json(found);
    },
  },
];

const LOOK_MS = 500;

/** That the log has grown. */
export const LOG_NEWS: NewsSource = {
  name: "log",
  watch: ({ machine }, tell) => {
    const folder = stateFolder(machine);
    const look = (): string => {
      const stats = statSync(`${folder}/${AUDIT_FILE}`, { throwIfNoEntry: false });
      return stats === undefined ? "" : `${stats.ino} ${stats.size}`;
    };
    let before = look();
    const timer = setInterval(() => {
      const now = look();
      if (now === before) return;
      before = now;
      tell(undefined);
    }, LOOK_MS);
    return () => clearInterval(timer);
  },
};
