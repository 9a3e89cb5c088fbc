import { inputTime } from "../parts/time.ts";

export type Filter = Readonly<Record<string, string>>;

const NAMES = ["text", "verdict", "agent", "session", "point", "since", "until"] as const;

/** What the address says that is looked for. */
export const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? ""] as const] : [])));

const VERDICTS: readonly (readonly [string, string])[] = [
  ["", "any"],
  ["deny", "refused"],
  ["ask", "asked"],
  ["confined", "sandboxed"],
  ["allow", "allowed"],
  ["none", "no opinion"],
];

const POINTS: readonly (readonly [string, string])[] = [
  ["", "anywhere"],
  ["hook", "an agent's tool call"],
  ["run", "a supervised run"],
  ["command", "a command of yours"],
  ["gateway", "an MCP server"],
  ["library", "the library"],
];

interface FiltersProps {
  readonly filter: Filter;
  readonly go: (filter: Filter) => void;
}

export function Filters({ filter, go }: FiltersProps) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const data = new FormData(event.currentTarget);
    const value = (name: string): string => {
      const written = data.get(name);
      return typeof written === "string" ? written.trim() : "";
    };
    const time = (name: string): string => {
      const at = new Date(value(name)).getTime();
      return Number.isNaN(at) || at < 0 ? "" : String(at);
    };
    const all = NAMES.map((name) => [name, name === "since" || name === "until" ? time(name) : value(name)] as const);
    go(Object.fromEntries(all.filter(([, text]) => text !== "")));
  };
  const isMore = NAMES.slice(2).some((name) => filter[name] !== undefined);
  return (
    <form key={JSON.stringify(filter)} class="timeline-filters" role="search" aria-label="Decisions" onSubmit={submit}>
      <div class="row">
        <label>
          Text <input id="timeline-text" name="text" type="search" maxLength={200} defaultValue={filter["text"] ?? ""} />
        </label>
        <label>
          Verdict{" "}
          <select
            name="verdict"
            defaultValue={filter["verdict"] ?? ""}
            onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
          >
            {VERDICTS.map(([value, says]) => (
              <option key={value} value={value} selected={value === (filter["verdict"] ?? "")}>
                {says}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="main">
          Look
        </button>
        {Object.keys(filter).length === 0 ? null : (
          <button type="button" onClick={() => go({})}>
            Show everything
          </button>
        )}
      </div>
      <details open={isMore}>
        <summary>Agent, session, time</summary>
        <div class="row">
          <label>
            Agent <input name="agent" type="text" maxLength={80} defaultValue={filter["agent"] ?? ""} />
          </label>
          <label>
            Session <input name="session" type="text" maxLength={200} defaultValue={filter["session"] ?? ""} />
          </label>
          <label>
            Judged for{" "}
            <select name="point">
              {POINTS.map(([value, says]) => (
                <option key={value} value={value} selected={value === (filter["point"] ?? "")}>
                  {says}
                </option>
              ))}
            </select>
          </label>
          <label>
            From <input name="since" type="datetime-local" defaultValue={inputTime(filter["since"])} />
          </label>
          <label>
            To <input name="until" type="datetime-local" defaultValue={inputTime(filter["until"])} />
          </label>
        </div>
      </details>
    </form>
  );
}
