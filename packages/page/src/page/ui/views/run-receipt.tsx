import { useEffect, useRef, useState } from "preact/hooks";
import type { RunChange, RunDiff, RunPlan, RunReceipt, RunUndone } from "../../api/runs.ts";
import { get, messageOf, post } from "../client.ts";
import { useKeys } from "../keys.ts";
import { useApi } from "../load.ts";
import { announce } from "../parts/announce.tsx";
import { DiffLines } from "../parts/diff.tsx";
import { Facts } from "../parts/facts.tsx";
import type { ViewProps } from "./view.ts";
import { SidePane } from "../parts/side-pane.tsx";

interface ReceiptProps {
  readonly id: string;
  readonly close: () => void;
  /** Something was taken back. */
  readonly changed: () => void;
  readonly go: ViewProps["go"];
}

/** What a run changed, reached, started, asked and was refused, with the lines of every file, and the way back. */
export function Receipt({ id, close, changed, go }: ReceiptProps) {
  const { value, problem, again } = useApi<RunReceipt>("runs/receipt", { id });
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <SidePane title="Receipt" heading={title} close={close} problem={problem}>
      {value === undefined ? null : (
        <Whole
          receipt={value}
          go={go}
          changed={() => {
            again();
            changed();
          }}
        />
      )}
    </SidePane>
  );
}

function Whole({ receipt, changed, go }: { readonly receipt: RunReceipt; readonly changed: () => void; readonly go: ViewProps["go"] }) {
  const { row, facts, warnings, changes, sections, undoable } = receipt;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<RunUndone>();
  const end = (undone: RunUndone): void => {
    setDone(undone);
    setChosen(new Set());
    changed();
  };
  const toggle = (path: string): void => {
    const next = new Set(chosen);
    if (!next.delete(path)) next.add(path);
    setChosen(next);
  };
  return (
    <>
      <pre>{row.what}</pre>
      <Facts facts={facts} time="started" />
      {warnings.map((text) => (
        <p key={text} class="notice bad">
          {text}
        </p>
      ))}
      {changes.length === 0 ? <p class="empty">It changed nothing.</p> : null}
      {changes.map(({ verb, changes: all, more }) => (
        <section key={verb} aria-label={verb}>
          <h3>
            {verb} <span class="faint">({(all.length + more).toLocaleString("en-US")})</span>
          </h3>
          <ul class="tree">
            {all.map((change) => (
              <Change
                key={`${change.what} ${change.short}`}
                id={row.id}
                change={change}
                isChosen={chosen.has(change.path)}
                toggle={undoable ? toggle : undefined}
              />
            ))}
          </ul>
          {more === 0 ? null : <p class="faint">and {more.toLocaleString("en-US")} more</p>}
        </section>
      ))}
      {undoable ? <Undo id={row.id} paths={[...chosen]} ended={end} /> : null}
      {done === undefined ? null : <Outcome done={done} go={go} />}
      {sections.map(({ title, rows, more }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul class="tree">
            {rows.map(({ text, note }, at) => (
              <li key={at}>
                <code>{text}</code> {note === undefined ? null : <span class="faint">{note}</span>}
              </li>
            ))}
          </ul>
          {more === 0 ? null : <p class="faint">and {more.toLocaleString("en-US")} more</p>}
        </section>
      ))}
    </>
  );
}

interface ChangeProps {
  readonly id: string;
  readonly change: RunChange;
  readonly isChosen: boolean;
  readonly toggle: ((path: string) => void) | undefined;
}

/** A changed path; its lines are asked for when they are opened. */
function Change({ id, change, isChosen, toggle }: ChangeProps) {
  const [diff, setDiff] = useState<RunDiff | string>();
  const { path, short, named, isFolder, note } = change;
  const load = async (): Promise<void> => {
    try {
      setDiff(await get<RunDiff>("runs/diff", { id, path }));
    } catch (error) {
      setDiff(messageOf(error));
    }
  };
  const isFile = named && !isFolder && change.what !== "attributes";
  return (
    <li>
      {toggle === undefined || !named ? null : (
        <input type="checkbox" aria-label={`take back ${short}`} checked={isChosen} onChange={() => toggle(path)} />
      )}{" "}
      {isFile ? (
        <details class="run-diff" onToggle={({ currentTarget }) => currentTarget.open && diff === undefined && void load()}>
          <summary>
            <code>{short}</code>
          </summary>
          {diff === undefined ? (
            <p class="faint">…</p>
          ) : typeof diff === "string" ? (
            <p class="deny">{diff}</p>
          ) : (
            <Lines diff={diff} name={short} />
          )}
        </details>
      ) : (
        <>
          <code>
            {short}
            {isFolder ? "/" : ""}
          </code>{" "}
          {note === undefined ? null : <span class="faint">{note}</span>}
        </>
      )}
    </li>
  );
}

function Lines({ diff: { hunks, note }, name }: { readonly diff: RunDiff; readonly name: string }) {
  return (
    <>
      {hunks.length === 0 ? null : (
        <div class="diff" role="group" aria-label={`lines of ${name}`} tabIndex={0}>
          {hunks.map(({ start, lines }, at) => (
            <DiffLines key={at} lines={lines} start={start} />
          ))}
        </div>
      )}
      {note === undefined ? null : <p class="faint">{note}</p>}
    </>
  );
}

interface UndoProps {
  readonly id: string;
  /** Of what is chosen; none: everything. */
  readonly paths: readonly string[];
  readonly ended: (done: RunUndone) => void;
}

/** Shows what taking it back would do, and does that and nothing else when a person says so. */
function Undo({ id, paths, ended }: UndoProps) {
  const [plan, setPlan] = useState<RunPlan>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => confirm.current?.focus(), [plan, isBusy]);
  // What was shown was about other files.
  const key = paths.join("\n");
  const wanted = useRef(key);
  wanted.current = key;
  useEffect(() => {
    setPlan(undefined);
    setProblem(undefined);
  }, [key]);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setPlan(undefined);
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const show = (): Promise<void> =>
    attempt(async () => {
      const found = await post<RunPlan>("runs/plan", { id, paths });
      if (wanted.current === key) setPlan(found);
    });
  const carryOut = (): Promise<void> =>
    attempt(async () => {
      const undone = await post<RunUndone>("runs/undo", { id, paths, digest: plan?.digest });
      setPlan(undefined);
      announce(undone.undo === undefined ? "Nothing was taken back" : "It is taken back");
      ended(undone);
    });
  useKeys({ u: () => (plan === undefined && !isBusy ? void show() : false) });
  return (
    <div class="row">
      {plan === undefined ? (
        <button type="button" disabled={isBusy} onClick={() => void show()}>
          {paths.length === 0 ? "Take it back…" : `Take back ${paths.length} of them…`}
        </button>
      ) : (
        <div class="notice" role="group" aria-label="What would be done">
          {plan.warnings.map((text) => (
            <p key={text} class="deny">
              {text}
            </p>
          ))}
          {plan.steps.length === 0 ? <p>There is nothing to take back: everything is as it was.</p> : null}
          <ul class="tree">
            {plan.steps.map((text) => (
              <li key={text}>
                <span class="mono">{text}</span>
              </li>
            ))}
          </ul>
          {plan.more === 0 ? null : <p class="faint">and {plan.more.toLocaleString("en-US")} more</p>}
          {plan.refused.map((text) => (
            <p key={text}>
              left alone: <span class="mono">{text}</span>
            </p>
          ))}
          <div class="row">
            {plan.steps.length === 0 ? null : (
              <button ref={confirm} type="button" class="main" disabled={isBusy} onClick={() => void carryOut()}>
                Do this
              </button>
            )}
            <button type="button" onClick={() => setPlan(undefined)}>
              Leave it
            </button>
          </div>
        </div>
      )}
      {problem === undefined ? null : (
        <p class="deny" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Outcome({ done: { undo, failed, notes, refused }, go }: { readonly done: RunUndone; readonly go: ViewProps["go"] }) {
  return (
    <div class="notice" role="status">
      <p>
        {undo === undefined
          ? "Nothing was taken back."
          : failed.length + refused.length === 0
            ? "It is taken back."
            : "It is taken back, but for:"}
      </p>
      {[...failed, ...refused, ...notes].map((text) => (
        <p key={text} class="mono">
          {text}
        </p>
      ))}
      {undo === undefined ? null : (
        <button type="button" onClick={() => go("runs", { run: undo })}>
          Show it, to have it back
        </button>
      )}
    </div>
  );
}
