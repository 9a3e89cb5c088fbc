import { useEffect, useRef, useState } from "preact/hooks";
import type { ReplayLine, ReplayShape } from "../../api/policy.ts";
import type { PolicyFileShape } from "../../policy-places.ts";
import { lines, messageOf, post } from "../client.ts";
import { TextDiff } from "../parts/diff.tsx";
import { Problem } from "../parts/problem.tsx";

interface SavePolicyProps {
  readonly folder: string;
  readonly file: PolicyFileShape;
  readonly was: string | null;
  readonly text: string;
  readonly close: (saved: boolean) => void;
}

/** Before a file is saved: what changes in it, and what the requests of the last days would have been told. */
export function SavePolicy({ folder, file, was, text, close }: SavePolicyProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [days, setDays] = useState(7);
  const [trust, setTrust] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await post("policy/save", { folder, file: file.file, was, text, trust });
      dialog.current?.close();
      close(true);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="save-title" onClose={() => close(false)}>
      <h2 id="save-title">
        Save <code>{file.short}</code>?
      </h2>
      <TextDiff before={was ?? ""} after={text} label="What changes in the file" />
      <h3>What this would change</h3>
      <p class="row">
        <label for="save-days">The requests of the last</label>
        <select id="save-days" value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {[1, 7, 30, 90].map((one) => (
            <option key={one} value={one}>
              {one === 1 ? "day" : `${one} days`}
            </option>
          ))}
        </select>
        <span>, judged again:</span>
      </p>
      <Replay key={days} folder={folder} file={file.file} text={text} days={days} />
      {file.layer === "project" ? (
        <label class="block">
          <input type="checkbox" checked={trust} onChange={(event) => setTrust(event.currentTarget.checked)} /> Trust this text: its allow
          rules count. Without that, only its ask and deny rules do, and the figures above are for that.
        </label>
      ) : null}
      <Problem text={problem} />
      <p class="row">
        <button type="button" class="main" disabled={busy} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Back
        </button>
      </p>
    </dialog>
  );
}

interface ReplayProps {
  readonly folder: string;
  readonly file: string;
  readonly text: string;
  readonly days: number;
}

function Replay({ folder, file, text, days }: ReplayProps) {
  const [line, setLine] = useState<ReplayLine>({ is: "reading", done: 0 });
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    const read = async (): Promise<void> => {
      for await (const next of lines<ReplayLine>("policy/replay", {}, { folder, file, text, days }, gone.signal)) setLine(next);
    };
    read().catch((error: unknown) => {
      if (!gone.signal.aborted) setProblem(messageOf(error));
    });
    return () => gone.abort();
  }, []);
  if (problem !== undefined) return <p class="deny">{problem}</p>;
  switch (line.is) {
    case "reading":
      return <p role="status">Reading the log: {line.done.toLocaleString("en-US")} records</p>;
    case "judging":
      return (
        <p role="status">
          Judging: {line.done.toLocaleString("en-US")} of {line.all.toLocaleString("en-US")} requests
        </p>
      );
    case "result":
      return <ReplayResult result={line.result} />;
  }
}

const TOLD = ["allow", "confined", "ask", "deny", "none"] as const;
const SAID: Readonly<Record<(typeof TOLD)[number], string>> = {
  allow: "go ahead",
  confined: "go ahead sandboxed",
  ask: "are asked about",
  deny: "are refused",
  none: "are left to the agent",
};

function ReplayResult({ result }: { readonly result: ReplayShape }) {
  const { records, unreadable, before, after, changed, changes } = result;
  return (
    <div class="replay">
      <p role="status">
        {records === 0
          ? "The log has no requests of that time."
          : changed === 0
            ? `Nothing: all ${records.toLocaleString("en-US")} requests would be told the same.`
            : changed === 1
              ? "1 request would be told something else."
              : `${changed.toLocaleString("en-US")} different requests would be told something else.`}
        {unreadable === 0 ? "" : ` ${unreadable.toLocaleString("en-US")} could not be judged again: the log does not hold them whole.`}
      </p>
      {records === 0 ? null : (
        <table>
          <caption class="unseen">Requests before and after</caption>
          <thead>
            <tr>
              <th scope="col">Requests that</th>
              <th scope="col">now</th>
              <th scope="col">then</th>
            </tr>
          </thead>
          <tbody>
            {TOLD.filter((told) => (before[told] ?? 0) + (after[told] ?? 0) > 0).map((told) => (
              <tr key={told}>
                <th scope="row" class={told}>
                  {SAID[told]}
                </th>
                <td>{(before[told] ?? 0).toLocaleString("en-US")}</td>
                <td>{(after[told] ?? 0).toLocaleString("en-US")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changes.length === 0 ? null : (
        <ul class="changes" tabIndex={0} aria-label="Requests that would be told something else">
          {changes.map(({ tool, subject, cwd, count, before: was, after: is, reason }, at) => (
            <li key={at}>
              <strong class={was}>{was}</strong> → <strong class={is}>{is}</strong> {count} × <code>{subject === "" ? tool : subject}</code>
              <div class="faint">
                {reason} · <span class="mono">{cwd}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {changed > changes.length ? <p class="faint">and {(changed - changes.length).toLocaleString("en-US")} more</p> : null}
    </div>
  );
}
