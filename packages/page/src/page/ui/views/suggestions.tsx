import { useEffect, useState } from "preact/hooks";
import type { SuggestionLine, SuggestionShape, SuggestionsShape } from "../../api/suggestions.ts";
import { lines, messageOf, post } from "../client.ts";
import { moveFocus, useKeys } from "../keys.ts";
import { announce } from "../parts/announce.tsx";
import type { PageView, ViewProps } from "./view.ts";
import { Problem } from "../parts/problem.tsx";

const number = (value: number): string => value.toLocaleString("en-US");
const count = (value: number, of: string): string => `${number(value)} ${of}${value === 1 ? "" : "s"}`;

function Suggestions({ folder, query, go }: ViewProps) {
  const days = Number(query.get("days") ?? 7);
  const [line, setLine] = useState<SuggestionLine>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    setProblem(undefined);
    setLine(undefined);
    const read = async (): Promise<void> => {
      for await (const next of lines<SuggestionLine>("suggestions", {}, { folder, days }, gone.signal)) setLine(next);
    };
    read().catch((error: unknown) => {
      if (!gone.signal.aborted) setProblem(messageOf(error));
    });
    return () => gone.abort();
  }, [folder, days]);

  const move = (by: number): void => moveFocus("article.suggestion", by);
  useKeys({ j: () => move(1), k: () => move(-1) });

  return (
    <>
      <p>
        Rules that would have spared you questions of the last{" "}
        <select aria-label="How far back" value={days} onChange={(event) => go("suggestions", { days: event.currentTarget.value })}>
          {[7, 30, 90, 365].map((one) => (
            <option key={one} value={one}>
              {one} days
            </option>
          ))}
        </select>
      </p>
      <Problem text={problem} />
      <div aria-busy={line?.is !== "result"}>
        {line?.is === "result" ? <Found result={line.result} /> : problem === undefined ? <p role="status">{progress(line)}</p> : null}
      </div>
    </>
  );
}

function progress(line: Exclude<SuggestionLine, { readonly is: "result" }> | undefined): string {
  if (line === undefined) return "Reading the log…";
  return line.is === "reading"
    ? `Reading the log: ${count(line.done, "record")}`
    : `Looking for rules, and trying each on what was refused: ${number(line.done)} of ${count(line.all, "request")}`;
}

function Found({ result }: { readonly result: SuggestionsShape }) {
  const { records, unreadable, guarded, unsafe, proof, suggestions } = result;
  const asides = [
    `${count(records, "decision")} in the log`,
    ...(unreadable === 0 ? [] : [`${number(unreadable)} could not be judged again`]),
    ...(guarded === 0 ? [] : [`${count(guarded, "request")} are asked on purpose`]),
    ...(unsafe === 0 ? [] : [`${count(unsafe, "rule")} would have allowed too much, and are not shown`]),
  ];
  return (
    <>
      {suggestions.length === 0 ? (
        <p class="empty">No rule would have saved a question.</p>
      ) : (
        <p class="notice">
          Each was held against {count(proof.denials, "refused request")} of the log and {count(proof.never, "command")} that must never be
          allowed: none of them is allowed by any of these rules.
        </p>
      )}
      <p class="faint">{asides.join("; ")}.</p>
      {suggestions.map((one) => (
        <SuggestionCard key={one.id} one={one} />
      ))}
    </>
  );
}

function SuggestionCard({ one }: { readonly one: SuggestionShape }) {
  const { id, rules, prompts, requests, examples } = one;
  const [taken, setTaken] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const take = async (): Promise<void> => {
    setBusy(true);
    try {
      const { file } = await post<{ readonly file: string }>("suggestions/take", { id });
      setTaken(file);
      announce(`written to ${file}`);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <article class="card suggestion" tabIndex={0} aria-labelledby={`suggestion-${id}`}>
      <h2 id={`suggestion-${id}`}>
        <span class="allow">allow</span>{" "}
        {rules.map((rule) => (
          <code key={rule}>{rule} </code>
        ))}
      </h2>
      <p>
        would have saved {count(prompts, "question")}, about {count(requests, "different request")}:
      </p>
      <ul>
        {examples.map(({ subject, cwd, count: times }, at) => (
          <li key={at}>
            {number(times)} × <code>{subject}</code>{" "}
            <span class="faint">
              in <span class="mono">{cwd}</span>
            </span>
          </li>
        ))}
        {requests > examples.length ? <li class="faint">and {number(requests - examples.length)} more</li> : null}
      </ul>
      {taken === undefined ? (
        <button type="button" class="main" disabled={busy} onClick={() => void take()}>
          Add to my policy
        </button>
      ) : (
        <p>
          Written to <span class="mono">{taken}</span>. <a href="#/policy">Look at it</a>
        </p>
      )}
      <Problem text={problem} />
    </article>
  );
}

export const SUGGESTIONS: PageView = {
  id: "suggestions",
  title: "Suggestions",
  keys: [{ key: "j, k", does: "go to the next suggestion, or the one before" }],
  View: Suggestions,
};
