import type { Hono } from "hono";
import { html } from "hono/html";
import { parseObject } from "@assent/core/data";
import type { FoundTeamRecord, FoundTeamRecords } from "@assent/team/team/protocol";
import type { TeamPerson } from "../enrol/index.ts";
import {
  type Cell,
  formBody,
  formFields,
  frame,
  type PersonPage,
  type Html,
  shown,
  table,
  timeText,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";
import { CannotErase, eraseRecords } from "./erase.ts";
import { searchRecords } from "./search.ts";

const DAY_MS = 86_400_000;
/** What can be looked for, each with what stands before its field. */
const FIELDS = [
  ["machine", "Machine"],
  ["group", "Group"],
  ["verdict", "Verdict"],
  ["agent", "Agent"],
  ["text", "Text"],
  ["since", "Since"],
  ["until", "Until"],
] as const;
type Wanted = Readonly<Record<(typeof FIELDS)[number][0] | "after", string>>;

interface RecordsView extends PersonPage {
  readonly wanted: Wanted;
  readonly found: FoundTeamRecords;
}

/** Where administrators look for records of all machines, and erase them. */
export function addRecordRoutes(app: Hono<WebVariables>, { db, now, gates, tell }: RouteOptions): void {
  const view = async (person: TeamPerson, wanted: Wanted, more: Pick<RecordsView, "note" | "problem"> = {}): Promise<Html> => {
    const [since, until] = [timeOf(wanted.since), timeOf(wanted.until)];
    const given = (text: string): string | undefined => (text === "" ? undefined : text);
    const found = await searchRecords(db, {
      machine: given(wanted.machine),
      group: given(wanted.group),
      verdict: given(wanted.verdict),
      agent: given(wanted.agent),
      text: given(wanted.text),
      // Without a time it looks at a week: to look through everything for a text takes long.
      since: since ?? now().getTime() - 7 * DAY_MS,
      until,
      after: given(wanted.after),
    });
    return recordsPage({ person, wanted, found, ...more });
  };
  app.get("/records", gates.adminLooking, async (context) => {
    const { person } = context.var;
    const asked = (name: string): string =>
      (context.req.query(name) ?? "")
        .replace(/\0|\p{Surrogate}/gu, "")
        .trim()
        .slice(0, 500);
    return context.html(await view(person, wantedOf(asked)));
  });
  app.post("/records/erase", formBody, gates.admin, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const nothing = wantedOf(() => "");
    const [machine, matching, before] = [field("machine").trim(), field("matching"), field("before").trim()];
    if (machine === "" || (before !== "" && timeOf(before) === undefined))
      return context.html(await view(person, nothing, { problem: "Not done: name a machine, and a date as 2026-11-01 or none." }), 400);
    try {
      const erasure = { machine, before: timeOf(before), ...(matching === "" ? {} : { matching }) };
      const { records, forks, questions, machine: id } = await eraseRecords(db, erasure, person.name, now());
      tell("erased", { by: person.name, machine: id, records, forks, questions });
      return context.html(
        await view(person, nothing, { note: `Erased: ${records} records, ${forks} that contradict others, ${questions} questions.` }),
      );
    } catch (error) {
      if (!(error instanceof CannotErase)) throw error;
      return context.html(await view(person, nothing, { problem: `Not done: ${error.message}.` }), 409);
    }
  });
}

const wantedOf = (asked: (name: string) => string): Wanted => ({
  machine: asked("machine"),
  group: asked("group"),
  verdict: asked("verdict"),
  agent: asked("agent"),
  text: asked("text"),
  since: asked("since"),
  until: asked("until"),
  after: asked("after"),
});

/** Milliseconds; undefined: it is no time that a record can have. */
function timeOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return time >= 0 ? time : undefined;
}

/** What most look for, of a record. All of it stands below. */
function told(body: string): string {
  const { tool, input, reason } = parseObject(body) ?? {};
  const parts = [tool, typeof input === "object" ? JSON.stringify(input) : input, reason];
  return parts
    .filter((one) => typeof one === "string")
    .join(": ")
    .slice(0, 300);
}

const row = (one: FoundTeamRecord): readonly Cell[] => [
  one.received.slice(0, 19).replace("T", " "),
  { long: shown(one.name) },
  shown(one.verdict ?? ""),
  shown(one.agent ?? ""),
  {
    long: html`<details>
      <summary>${shown(told(one.body)) || `record ${one.seq}`}</summary>
      <pre>${shown(one.body)}</pre>
    </details>`,
  },
];

const recordsPage = ({ wanted, found, ...page }: RecordsView): Html => {
  const next = new URLSearchParams({ ...wanted, after: found.next ?? "" }).toString();
  return frame(
    "Records",
    page,
    html`<form class="fields" method="get" action="/records">
        ${FIELDS.map(([name, label]) => html`<label>${label} <input name="${name}" value="${wanted[name]}" size="12" autocomplete="off" /></label> `)}
        <button>Search</button>
      </form>
      <p>Times are UTC, as <time>2026-11-01</time> or <time>2026-11-01T12:00Z</time>. Without a time the last seven days are looked at.</p>
      ${
        found.records.length === 0
          ? html`<p>Nothing was found${found.back === undefined ? "" : html` of what came since ${timeText(new Date(found.back))}`}.</p>`
          : table(["Came", "Machine", "Verdict", "Agent", "Record"], found.records.map(row))
      }
      ${
        found.next === undefined
          ? ""
          : html`<p>
              ${found.back === undefined ? "" : html`What came before ${timeText(new Date(found.back))} was not looked at yet.`}
              <a href="/records?${next}">${found.back === undefined ? "Older ones" : "Look further back"}</a>
            </p>`
      }
      <h2>Erase</h2>
      <p>Takes the text out of records of a machine, for good. That they were there, and in which order, stays. Who erased is kept.</p>
      <form method="post" action="/records/erase">
        <label>Machine <input name="machine" required autocomplete="off" /></label>
        <label>that came before <input name="before" placeholder="now" size="12" autocomplete="off" /></label>
        <label>and hold <input name="matching" placeholder="anything" autocomplete="off" /></label>
        <label class="beside"><input type="checkbox" required /> It cannot be taken back</label>
        <button class="no">Erase</button>
      </form>`,
  );
};
