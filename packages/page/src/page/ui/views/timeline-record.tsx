import type { TimelineNow, TimelinePart, TimelineRecord } from "../../api/timeline.ts";
import { useApi } from "../load.ts";
import { Facts } from "../parts/facts.tsx";
import type { Filter } from "./timeline-filters.tsx";

interface DecisionProps {
  readonly place: string;
  readonly close: () => void;
  /** Shows only those of which this is true. */
  readonly only: (filter: Filter) => void;
}

/** All that is known of one decision: what it was about, which rule decided, and what would change it. */
export function Decision({ place, close, only }: DecisionProps) {
  const { value, problem } = useApi<TimelineRecord>("log/record", { place });
  return (
    <aside class="card timeline-record" aria-labelledby="record-title">
      <div class="row spread">
        <h2 id="record-title" tabIndex={-1}>
          Decision
        </h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {problem === undefined ? null : <p class="deny">{problem}</p>}
      {value === undefined ? null : <Whole record={value} only={only} />}
    </aside>
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
