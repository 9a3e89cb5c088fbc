import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { AnswerResult } from "../../api/questions.ts";
import { ApiError, post } from "../client.ts";
import { areKeysOn } from "../keys.ts";
import { announce } from "../parts/announce.tsx";
import { Words } from "../parts/words.tsx";
import { noteEnd, type ShapeInPlace } from "../questions-store.ts";
import { Problem } from "../parts/problem.tsx";

/** What was pressed before a question could be read answers nothing. Milliseconds. */
const UNREAD_MS = 400;

type Step = "choose" | "time" | "allow" | "deny" | "word";

/** Answers that let nothing go ahead. */
const NOES = new Set(["n", "w", "N", "q"]);

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(" …", "…");

/** One question, with its answers; once it has ended, how. */
export function QuestionCard({ shown }: { readonly shown: ShapeInPlace }) {
  const { question, how, since } = shown;
  const { id, who, what, reason, help, about, alike, others, details, choices, until, difference } = question;
  const [step, setStep] = useState<Step>("choose");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const more = useRef<HTMLDetailsElement>(null);
  const card = useRef<HTMLElement>(null);
  const title = useId();
  /** How many alike could be read when the person began to answer. */
  const seen = useRef(alike);
  if (step === "choose" && !busy) seen.current = alike;
  const isOpen = how === undefined;

  // What has the focus and goes away leaves the focus nowhere: it goes to the card, never to the next question.
  useEffect(() => {
    if (!isOpen && card.current?.contains(document.activeElement) === true) card.current.focus();
  }, [isOpen]);

  const send = async (answer: object): Promise<void> => {
    if (busy || performance.now() - since < UNREAD_MS) return;
    setBusy(true);
    card.current?.focus();
    try {
      const result = await post<AnswerResult>("questions/answer", { id, answer, seen: seen.current });
      noteEnd(id, result.is === "taken" ? `${result.said} (answered here)` : result.said);
      announce(result.said);
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
      setBusy(false);
    }
  };
  const choose = (key: string): boolean => {
    if (performance.now() - since < UNREAD_MS) return true;
    switch (key) {
      case "y":
        void send({ answer: "allow", scope: "once" });
        return true;
      case "r":
        void send({ answer: "allow", scope: "session" });
        return true;
      case "t":
        void send({ answer: "allow", scope: "tree" });
        return true;
      case "n":
        void send({ answer: "deny", scope: "once" });
        return true;
      case "q":
        void send({ answer: "quit" });
        return true;
      case "m":
        setStep("time");
        return true;
      case "p":
        setStep("allow");
        return true;
      case "N":
        setStep("deny");
        return true;
      case "w":
        setStep("word");
        return true;
      default:
        return false;
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (!isOpen || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
    if (event.key === "Escape" && step !== "choose") {
      setStep("choose");
      card.current?.focus();
      event.preventDefault();
      return;
    }
    if (step !== "choose" || !areKeysOn()) return;
    if (event.key === "o" && more.current !== null) more.current.open = !more.current.open;
    else if (!choices.some(({ key }) => key === event.key) || !choose(event.key)) return;
    event.preventDefault();
  };

  return (
    <article class="card question" data-open={isOpen} ref={card} tabIndex={0} aria-labelledby={title} onKeyDown={press}>
      <h2 id={title}>
        <span class="mono">{who}</span> wants to <span class="mono">{what}</span>
      </h2>
      <p class="faint about">
        {about}
        {isOpen && until !== undefined ? <Left until={until} /> : null}
      </p>
      {isOpen ? (
        <>
          <p>
            asked because: <Words text={reason} />
            {help === undefined ? null : (
              <span class="faint">
                {" "}
                (<Words text={help} />)
              </span>
            )}
          </p>
          {difference === undefined ? null : <pre aria-label="What would change">{difference.join("\n")}</pre>}
          {alike > 1 ? <Others alike={alike} others={others} /> : null}
          <details ref={more}>
            <summary>
              Details <kbd aria-hidden="true">o</kbd>
            </summary>
            <dl class="facts">
              {details.map(({ label, text }, at) => (
                <div key={at}>
                  <dt>{label}</dt>
                  <dd class="mono">{text}</dd>
                </div>
              ))}
            </dl>
          </details>
          {step === "choose" ? (
            <Answers choices={choices} busy={busy} choose={choose} />
          ) : step === "time" ? (
            <TimeForm busy={busy} send={send} back={() => setStep("choose")} />
          ) : step === "word" ? (
            <WordForm busy={busy} send={send} back={() => setStep("choose")} />
          ) : (
            <RuleForm key={step} effect={step} question={question} busy={busy} send={send} back={() => setStep("choose")} />
          )}
          <Problem text={problem} />
        </>
      ) : (
        <p class="how">{how}</p>
      )}
    </article>
  );
}

interface AnswersProps {
  readonly choices: ShapeInPlace["question"]["choices"];
  readonly busy: boolean;
  readonly choose: (key: string) => boolean;
}

/** Three answers that most want: yes to this, yes to what is like it for a while, no. The others are one press away; their keys work anyway. */
function Answers({ choices, busy, choose }: AnswersProps) {
  const [isMore, setMore] = useState(false);
  const rest = useId();
  const longer = choices.find(({ key }) => key === "r") ?? choices.find(({ key }) => key === "m");
  const main = choices.filter((one) => one.key === "y" || one.key === "n" || one === longer);
  const others = choices.filter((one) => !main.includes(one));
  const button = ({ key, does }: AnswersProps["choices"][number]) => (
    <button key={key} type="button" class={NOES.has(key) ? "no" : "yes"} disabled={busy} onClick={() => choose(key)}>
      {sentence(does)} <kbd aria-hidden="true">{key}</kbd>
    </button>
  );
  return (
    <div role="group" aria-label="Answers">
      <div class="answers main">
        {main.map(button)}
        <button type="button" class="quiet" aria-expanded={isMore} aria-controls={rest} onClick={() => setMore(!isMore)}>
          {isMore ? "Fewer answers" : "More answers"}
        </button>
      </div>
      <div class="answers" id={rest} hidden={!isMore}>
        {others.map(button)}
      </div>
    </div>
  );
}

function Others({ alike, others }: { readonly alike: number; readonly others: readonly string[] }) {
  return (
    <details>
      <summary>and {alike - 1} more like this: one answer serves all of them</summary>
      <ul>
        {others.map((other, at) => (
          <li key={at} class="mono">
            {other}
          </li>
        ))}
        {alike - 1 > others.length ? <li>and {alike - 1 - others.length} more</li> : null}
      </ul>
    </details>
  );
}

/** How long the asker still waits. */
function Left({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span>; waits {Math.max(0, Math.round((until - now) / 1000))} s more</span>;
}

interface FormProps {
  readonly busy: boolean;
  readonly send: (answer: object) => Promise<void>;
  readonly back: () => void;
}

/** What a person goes on to write has the focus. */
const takeFocus = (field: HTMLElement | null): void => field?.focus();

const LENGTHS: readonly (readonly [minutes: number, said: string])[] = [
  [10, "10 minutes"],
  [60, "1 hour"],
  [240, "4 hours"],
  [1440, "1 day"],
  [10_080, "7 days"],
];

function TimeForm({ busy, send, back }: FormProps) {
  const [minutes, setMinutes] = useState(60);
  const submit = (event: Event): void => {
    event.preventDefault();
    void send({ answer: "allow", scope: "time", minutes });
  };
  return (
    <form class="row" onSubmit={submit}>
      <label>
        Yes, and what is like it, for{" "}
        <select
          ref={takeFocus}
          value={minutes}
          onChange={(event) => setMinutes(Number(event.currentTarget.value))}
          onKeyDown={submitByEnter}
        >
          {LENGTHS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Buttons busy={busy} back={back} does="Yes" />
    </form>
  );
}

/** A list takes Enter for itself, where a text field sends its form. */
function submitByEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || !(event.currentTarget instanceof HTMLSelectElement)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

function WordForm({ busy, send, back }: FormProps) {
  const [note, setNote] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    void send({ answer: "deny", scope: "once", note });
  };
  return (
    <form class="row" onSubmit={submit}>
      <label class="row grow">
        No, and tell the agent:
        <input
          ref={takeFocus}
          class="grow"
          type="text"
          maxLength={500}
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </label>
      <Buttons busy={busy} back={back} does="No" />
    </form>
  );
}

interface RuleFormProps extends FormProps {
  readonly effect: "allow" | "deny";
  readonly question: ShapeInPlace["question"];
}

/** A rule is never written unseen: it can be chosen, and changed, first. */
function RuleForm({ effect, question, busy, send, back }: RuleFormProps) {
  const { proposals, keptIn } = question;
  const [rule, setRule] = useState(proposals[0]?.rule ?? "");
  const [note, setNote] = useState("");
  const list = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    void send({ answer: effect, scope: "always", rule, ...(note === "" ? {} : { note }) });
  };
  return (
    <form onSubmit={submit}>
      <fieldset>
        <legend>{effect === "allow" ? "Always yes" : "Never"}, by this rule</legend>
        {proposals.map((one) => (
          <label key={one.rule} class="block">
            <input type="radio" name={list} checked={rule === one.rule} onChange={() => setRule(one.rule)} /> <code>{one.said}</code>{" "}
            <span class="faint">{one.covers}</span>
          </label>
        ))}
        <label class="row">
          Rule
          <input
            ref={takeFocus}
            class="mono grow"
            type="text"
            value={rule}
            onInput={(event) => setRule(event.currentTarget.value)}
            spellcheck={false}
            autocapitalize="off"
            required
          />
        </label>
        {effect === "deny" ? (
          <label class="row">
            A word to the agent
            <input class="grow" type="text" maxLength={500} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
          </label>
        ) : null}
        <p class="faint">It is kept in {keptIn}.</p>
        <div class="row">
          <Buttons busy={busy} back={back} does={effect === "allow" ? "Write the rule, and yes" : "Write the rule, and no"} />
        </div>
      </fieldset>
    </form>
  );
}

function Buttons({ busy, back, does }: { readonly busy: boolean; readonly back: () => void; readonly does: string }) {
  return (
    <>
      <button type="submit" class="main" disabled={busy}>
        {does}
      </button>
      <button type="button" onClick={back}>
        Back <kbd aria-hidden="true">Esc</kbd>
      </button>
    </>
  );
}
