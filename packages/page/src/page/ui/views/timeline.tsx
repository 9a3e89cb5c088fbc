import { useEffect, useRef, useState } from "preact/hooks";
import type { TimelineRow, TimelineNow, TimelinePart, TimelineRecord } from "../../api/timeline.ts";
import { announce } from "../parts/announce.tsx";
import { localTime } from "../parts/time.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useKeys } from "../keys.ts";
import { useApi } from "../load.ts";
import { Facts } from "../parts/facts.tsx";
import { Filters, filterIn, type Filter } from "./timeline-filters.tsx";
import { MOST_FOUND, type RowSource, useAllRows, useFoundRows } from "./timeline-rows.ts";
import type { PageView, ViewProps } from "./view.ts";
import { SidePane } from "../parts/side-pane.tsx";

const ROW_HEIGHT = 48;

const WORDS: Readonly<Record<string, string>> = { none: "no opinion", confined: "sandboxed" };
const sayVerdict = (verdict: string): string => WORDS[verdict] ?? verdict;

const STRICTNESS = ["deny", "ask", "none", "confined", "allow"];
const strictest = (rows: readonly TimelineRow[]): TimelineRow | undefined =>
  rows.toSorted((a, b) => STRICTNESS.indexOf(a.verdict) - STRICTNESS.indexOf(b.verdict))[0];

function Row({ rows }: { readonly rows: readonly TimelineRow[] | "wait" }) {
  const row = rows === "wait" ? undefined : strictest(rows);
  if (row === undefined) return <span class="faint">{rows === "wait" ? "…" : "a note of the log for itself"}</span>;
  const { verdict, answer, subject, tool, time, agent, reason, count } = row;
  const others = rows.length - 1;
  return (
    <>
      <span class="timeline-what">
        <b class={verdict}>
          {sayVerdict(verdict)}
          {answer === undefined ? "" : `→${answer === "none" ? "agent" : sayVerdict(answer)}`}
        </b>{" "}
        <code>{subject === "" ? tool : subject}</code>
        {count === 1 ? null : ` ×${count}`}
        {others === 0 ? null : ` and ${others} more at the same moment`}
      </span>
      <span class="timeline-why faint">
        {localTime(time)} {agent} {tool} · {reason}
      </span>
    </>
  );
}

interface ListProps extends ViewProps {
  readonly source: RowSource;
  readonly what: string;
}

function Rows({ source, query, go, what }: ListProps) {
  const { count, added, isLoading, isPartial, problem } = source;
  const [chosen, setChosen] = useState({ index: -1, added: 0 });
  const selected = chosen.index < 0 ? -1 : chosen.index + added - chosen.added;
  const open = (at: number): void => {
    const rows = source.at(at);
    const row = rows === "wait" ? undefined : strictest(rows);
    if (row !== undefined) go("timeline", { ...filterIn(query), record: row.place });
  };
  const summary = isLoading
    ? "Looking…"
    : `${count.toLocaleString("en-US")}${isPartial ? "+" : ""} ${what}${count >= MOST_FOUND && isPartial ? "; look for less to see more" : ""}`;
  useEffect(() => {
    if (!isLoading) announce(summary);
  }, [isLoading, isPartial]);
  return (
    <>
      <p class="faint timeline-count" data-count={isLoading ? undefined : count}>
        {problem === undefined ? summary : <span class="deny">{problem}</span>}
      </p>
      {count === 0 ? (
        isLoading ? null : (
          <p class="empty">{what === "decisions" ? "No decision has been made yet." : "No decision is like that."}</p>
        )
      ) : (
        <VirtualList
          label="Decisions, the newest first"
          count={count}
          rowHeight={ROW_HEIGHT}
          row={(at) => <Row rows={source.at(at)} />}
          keyOf={source.keyOf}
          classOf={(at) => {
            const rows = source.at(at);
            const row = rows === "wait" ? undefined : strictest(rows);
            return row !== undefined && row.place === query.get("record") ? "open" : "";
          }}
          selected={selected}
          onSelect={(index) => setChosen({ index, added })}
          onOpen={open}
          onRange={source.onRange}
          added={added}
        />
      )}
    </>
  );
}

function AllRows(props: ViewProps) {
  return <Rows {...props} source={useAllRows()} what="decisions" />;
}

function FoundRows(props: ViewProps) {
  return <Rows {...props} source={useFoundRows(filterIn(props.query))} what="found" />;
}

function Timeline(props: ViewProps) {
  const { query, go } = props;
  const filter = filterIn(query);
  const place = query.get("record");
  const opened = useRef(false);
  const close = (): void => {
    go("timeline", filter);
    document.querySelector<HTMLElement>(".virtual")?.focus();
  };
  useEffect(() => {
    if (place !== null) document.querySelector<HTMLElement>(".timeline-record h2")?.focus({ preventScroll: opened.current });
    opened.current = place !== null;
  }, [place]);
  useKeys({
    "/": () => document.querySelector<HTMLElement>("#timeline-text")?.focus(),
    g: () => document.querySelector<HTMLElement>(".virtual")?.focus(),
    c: () => go("timeline"),
    Escape: () => (place === null ? false : close()),
  });
  return (
    <>
      <Filters filter={filter} go={(next) => go("timeline", next)} />
      <div class={place === null ? "timeline-panes" : "timeline-panes two"}>
        <div class="timeline-list">
          {Object.keys(filter).length === 0 ? <AllRows {...props} /> : <FoundRows key={JSON.stringify(filter)} {...props} />}
        </div>
        {place === null ? null : <Decision key={place} place={place} close={close} only={(part) => go("timeline", part)} />}
      </div>
    </>
  );
}

export const TIMELINE: PageView = {
  id: "timeline",
  title: "Timeline",
  keys: [
    { key: "/", does: "go to the search" },
    { key: "g", does: "go to the list" },
    { key: "j, k or the arrows", does: "the next or the previous decision in the list" },
    { key: "Enter", does: "show all of a decision" },
    { key: "Escape", does: "close it" },
    { key: "c", does: "show everything again" },
  ],
  View: Timeline,
};

interface DecisionProps {
  readonly place: string;
  readonly close: () => void;
  /** Shows only those of which this is true. */
  readonly only: (filter: Filter) => void;
}

/** All that is known of one decision: what it was about, which rule decided, and what would change it. */
function Decision({ place, close, only }: DecisionProps) {
  const { value, problem } = useApi<TimelineRecord>("log/record", { place });
  return (
    <SidePane title="Decision" close={close} problem={problem}>
      {value === undefined ? null : <Whole record={value} only={only} />}
    </SidePane>
  );
}

function Whole({ record, only }: { readonly record: TimelineRecord; readonly only: DecisionProps["only"] }) {
  const { row, input, facts, rule, from, parts, now, notNow } = record;
  return (
    <>
      <p>
        <b class={row.verdict}>{row.verdict}</b> {row.reason}
      </p>
      <p class="faint">
        {rule === undefined ? (
          from
        ) : (
          <>
            by the rule <code>{rule.text}</code> at{" "}
            <code>
              {rule.file}:{rule.line}
            </code>
          </>
        )}
      </p>
      {input.map(([name, text]) => (
        <div key={name}>
          <h3>{name}</h3>
          <pre>{text}</pre>
        </div>
      ))}
      {parts.length === 0 ? null : (
        <>
          <h3>What it would do</h3>
          <Parts parts={parts} />
        </>
      )}
      <h3>Under the policy as it is now</h3>
      {now === undefined ? <p class="faint">Not judged again: {notNow}.</p> : <Now now={now} />}
      <h3>Record</h3>
      <Facts facts={facts} time="time" />
      <p class="row">
        {row.session === "" ? null : (
          <button type="button" onClick={() => only({ session: row.session })}>
            Only this session
          </button>
        )}
        {row.agent === "" || row.agent.includes("/") ? null : (
          <button type="button" onClick={() => only({ agent: row.agent })}>
            Only this agent
          </button>
        )}
      </p>
    </>
  );
}

function Now({ now }: { readonly now: TimelineNow }) {
  return (
    <>
      <p>
        <b class={now.verdict}>{now.verdict}</b> {now.reason}
      </p>
      {now.help === undefined ? null : <p class="faint">{now.help}</p>}
      {now.parts.length === 0 ? null : <Parts parts={now.parts} />}
      {now.changes.length === 0 ? null : (
        <>
          <p>
            {now.changes.length === 1 ? "This rule would" : "These rules together would"} let it go ahead, in <code>permissions.allow</code>{" "}
            of your policy:
          </p>
          <ul>
            {now.changes.map((text) => (
              <li key={text}>
                <code>{text}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {now.noChange === undefined ? null : <p class="faint">What would change it: {now.noChange}.</p>}
    </>
  );
}

function Parts({ parts }: { readonly parts: readonly TimelinePart[] }) {
  return (
    <ul class="tree">
      {parts.map(({ verdict, what, from, reason, inner }, at) => (
        <li key={at} class={inner === true ? "inner" : ""}>
          <b class={verdict}>{verdict}</b> <code>{what}</code>
          <div class="faint">
            {from}
            {reason === undefined ? "" : ` — ${reason}`}
          </div>
        </li>
      ))}
    </ul>
  );
}
