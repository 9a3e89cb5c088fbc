import { useState } from "preact/hooks";
import type { RuleShape } from "../../api/policy.ts";
import { messageOf } from "../client.ts";
import { announce } from "../parts/announce.tsx";

type RuleChange =
  | { readonly do: "remove"; readonly path: RuleShape["path"] }
  | { readonly do: "add"; readonly effect: string; readonly rule: string; readonly reason: string };

interface PolicyRulesProps {
  readonly rules: readonly RuleShape[];
  readonly flawless: boolean;
  readonly change: (change: RuleChange) => Promise<void>;
  readonly goTo: (line: number) => void;
}

const EFFECTS = { deny: "is refused", ask: "is asked about", allow: "goes ahead" } as const;

/** The rules of the text as it is edited: added and taken out without touching a comment. */
export function PolicyRules({ rules, flawless, change, goTo }: PolicyRulesProps) {
  const [effect, setEffect] = useState("allow");
  const [rule, setRule] = useState("");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const make = async (wanted: RuleChange, done: string): Promise<boolean> => {
    try {
      await change(wanted);
      setProblem(undefined);
      announce(done);
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    }
  };
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!(await make({ do: "add", effect, rule, reason }, "the rule is in the text, not saved yet"))) return;
    setRule("");
    setReason("");
  };
  return (
    <>
      <h2>Rules</h2>
      {flawless ? null : <p class="faint">Correct the mistakes first.</p>}
      <form class="row" onSubmit={(event) => void add(event)}>
        <label for="rule-text">What fits</label>
        <input
          id="rule-text"
          class="mono grow"
          type="text"
          value={rule}
          placeholder="Bash(npm test:*)"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "rule-problem"}
          onInput={(event) => setRule(event.currentTarget.value)}
          spellcheck={false}
          autocapitalize="off"
          required
        />
        <select aria-label="What becomes of it" value={effect} onChange={(event) => setEffect(event.currentTarget.value)}>
          {Object.entries(EFFECTS).map(([word, said]) => (
            <option key={word} value={word}>
              {said}
            </option>
          ))}
        </select>
        <input
          class="grow"
          type="text"
          value={reason}
          placeholder="why (may be left out)"
          aria-label="Reason"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <button type="submit" disabled={!flawless}>
          Add the rule
        </button>
      </form>
      {problem === undefined ? null : (
        <p id="rule-problem" class="deny" role="alert">
          {problem}
        </p>
      )}
      <ul class="rules">
        {rules.map(({ effect: is, text, reason: why, line, path }) => (
          <li key={path.join("/")}>
            <strong class={is}>{is}</strong> <code>{text}</code>
            {why === undefined ? null : <span class="faint"> {why}</span>}{" "}
            <button type="button" class="link" onClick={() => goTo(line)}>
              line {line}
            </button>{" "}
            <button
              type="button"
              class="link"
              aria-label={`Take out ${is} ${text}`}
              onClick={() => void make({ do: "remove", path }, "the rule is out of the text, not saved yet")}
            >
              take out
            </button>
          </li>
        ))}
      </ul>
      {rules.length === 0 && flawless ? <p class="empty">No rules under permissions.</p> : null}
    </>
  );
}
