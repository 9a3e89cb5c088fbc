import { useEffect, useRef } from "preact/hooks";
import type { OverviewShape } from "../../api/overview.ts";
import type { HereRow } from "../../status.ts";
import { onNews } from "../client.ts";
import { useApi } from "../load.ts";
import { localTime } from "../parts/time.ts";
import { Words } from "../parts/words.tsx";
import { type ShapeInPlace, useQuestions } from "../questions-store.ts";
import type { PageView, ViewProps } from "./view.ts";
import { Problem } from "../parts/problem.tsx";

/** While agents work, the log has news many times a second. Milliseconds. */
const AGAIN_MS = 3000;
const MOST_WAITING = 5;

const TITLES = { yes: "Protected", partly: "Partly protected", no: "Not protected" } as const;
const COLOURS = { yes: "allow", partly: "ask", no: "deny" } as const;

function Overview({ folder }: ViewProps) {
  const { value, problem, again } = useApi<OverviewShape>("overview", { folder });
  const { shown } = useQuestions();
  const soon = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    const stop = onNews("log", () => {
      soon.current ??= setTimeout(() => {
        soon.current = undefined;
        again();
      }, AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(soon.current);
      soon.current = undefined;
    };
  }, [again]);
  const open = shown.filter(({ how }) => how === undefined);
  return (
    <>
      <Problem text={problem} />
      {value === undefined ? <p class="empty">Looking…</p> : <Protection value={value} />}
      <Waiting open={open} />
      {value === undefined ? null : (
        <div class="overview-two">
          <Refused refused={value.refused} />
          <WhatIsOn rows={value.rows} />
        </div>
      )}
    </>
  );
}

/** The sentence without its first word, which stands above it. */
const because = (text: string): string => text.replace(/^(?:yes|partly|no): /, "").replace(/^./, (first) => first.toUpperCase());

function Protection({ value }: { readonly value: OverviewShape }) {
  const { is, text } = value.protected;
  const { checked, sandboxed, asked, refused } = value.today;
  const numbers = [
    ["checked", checked],
    ["sandboxed", sandboxed],
    ["asked", asked],
    ["refused", refused],
  ] as const;
  return (
    <div class="card protection" data-is={is}>
      <div>
        <h2 class={COLOURS[is]}>{TITLES[is]}</h2>
        <p>
          <Words text={because(text)} />.
        </p>
        <p class="faint">
          in <span class="mono">{value.folder}</span>
        </p>
      </div>
      <div class="today">
        <h3>Today</h3>
        <dl class="numbers">
          {numbers.map(([what, number]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{number.toLocaleString("en-US")}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

function Waiting({ open }: { readonly open: readonly ShapeInPlace[] }) {
  return (
    <section class="card waiting" data-open={open.length > 0} aria-labelledby="overview-waiting">
      <h2 id="overview-waiting">{open.length === 0 ? "Nothing waits for you" : `${open.length} waiting for you`}</h2>
      {open.length === 0 ? (
        <p class="faint">Questions of agents and runs appear here by themselves.</p>
      ) : (
        <>
          <ul class="plain">
            {open.slice(0, MOST_WAITING).map(({ question: { id, who, what, about } }) => (
              <li key={id}>
                <span class="asked">
                  <span class="mono">{who}</span> wants to <span class="mono">{what}</span>
                </span>
                <span class="faint below">{about}</span>
              </li>
            ))}
          </ul>
          <p>
            <a class="button main" href="#/questions">
              {open.length === 1 ? "Answer it" : "Answer them"}
            </a>
            {open.length > MOST_WAITING ? <span class="faint"> and {open.length - MOST_WAITING} more</span> : null}
          </p>
        </>
      )}
    </section>
  );
}

function Refused({ refused }: { readonly refused: OverviewShape["refused"] }) {
  return (
    <section class="card" aria-labelledby="overview-refused">
      <h2 id="overview-refused">Refused last</h2>
      {refused.length === 0 ? (
        <p class="faint">Nothing was refused yet.</p>
      ) : (
        <>
          <ul class="plain">
            {refused.map(({ time, agent, what, why }, at) => (
              <li key={at}>
                <code>{what}</code>
                <span class="below">
                  <Words text={why} />
                </span>
                <span class="faint below">
                  {localTime(time)} {agent}
                </span>
              </li>
            ))}
          </ul>
          <p>
            <a href="#/timeline?verdict=deny">All refusals</a>
          </p>
        </>
      )}
    </section>
  );
}

const MARKS = { ask: "check", deny: "fix" } as const;

function WhatIsOn({ rows }: { readonly rows: readonly HereRow[] }) {
  return (
    <section class="card" aria-labelledby="overview-on">
      <h2 id="overview-on">What is on</h2>
      <dl class="facts">
        {rows.map(({ title, lines }) => (
          <div key={title}>
            <dt>{title}</dt>
            {lines.map(({ text, mark, command }, at) => (
              <dd key={at}>
                {mark === undefined ? null : <b class={`tag ${mark}`}>{MARKS[mark]}</b>}
                <Words text={text} />
                {command === undefined ? null : (
                  <>
                    : <code>{command}</code>
                  </>
                )}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}

export const OVERVIEW: PageView = { id: "overview", title: "Overview", keys: [], View: Overview };
