import { type Action, visible } from "@assent/core/action";
import { type Answer, scopeText } from "@assent/guard/approve";
import type { RequestVerdict } from "@assent/core/policy";
import { messageOf } from "@assent/guard/state";
import type { EngineRequest, HostEvent } from "./contract.ts";

type Judged = Pick<RequestVerdict, "decision" | "reason" | "basis" | "rule" | "builtin">;

/** What a run's proxy asks about, and where it is written down. */
interface AskedHosts {
  readonly run: string;
  readonly judge: (action: Action) => Judged;
  readonly onEvent: (event: HostEvent) => void;
}

/** A host that the program wants to reach: the policy answers, else whoever is there. */
export class EngineHosts {
  readonly #request: EngineRequest;
  readonly #asked: AskedHosts;
  readonly #known = new Map<string, Promise<HostEvent>>();
  #seq = 0;

  constructor(request: EngineRequest, asked: AskedHosts) {
    this.#request = request;
    this.#asked = asked;
  }

  async ask(host: string, port: number | undefined): Promise<boolean> {
    const key = `${host}:${port ?? ""}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#answer(host, port).then((event) => {
        this.#asked.onEvent(event);
        return event;
      });
      this.#known.set(key, known);
    }
    return (await known).outcome === "allowed";
  }

  async #answer(host: string, port: number | undefined): Promise<HostEvent> {
    const event = (outcome: HostEvent["outcome"], why: string, more: Partial<HostEvent> = {}): HostEvent => ({
      host,
      port,
      outcome,
      why,
      ...more,
    });
    try {
      const { argv, cwd, approver } = this.#request;
      const action: Action = { kind: "net", operation: "connect", host, port: port ?? 443, origin: { by: "tool" } };
      const verdict = this.#asked.judge(action);
      const { decision, reason, basis, rule, builtin } = verdict;
      const more = { ...(rule === undefined ? {} : { rule }), ...(builtin === undefined ? {} : { builtin }) };
      const judged = { judged: { decision, reason, basis, ...more } };
      if (decision === "allow") return event("allowed", reason, judged);
      if (decision === "deny") return event("refused", reason, judged);
      if (approver === undefined || approver.isThere?.() === false) return event("refused", `${reason}; nobody could be asked`, judged);
      const answer = await approver.ask(
        {
          seq: ++this.#seq,
          run: this.#asked.run,
          profile: "",
          process: { pid: process.pid, name: argv[0].replace(/^.*\//, ""), argv },
          ancestry: [],
          cwd,
          command: argv,
          action,
          what: `connect to ${visible(host)}:${port ?? 443}`,
          reason,
          basis,
          proposals: [{ rule: `Net(${host}:${port ?? 443})`, covers: `connections to ${visible(host)}` }],
          group: `net ${host}`,
        },
        new AbortController().signal,
      );
      const said = { ...judged, answer: answerText(answer) };
      return answer.answer === "allow" ? event("allowed", "you said yes", said) : event("refused", "you said no, or nobody answered", said);
    } catch (error) {
      return event("refused", messageOf(error));
    }
  }
}

const answerText = (answer: Answer): string => (answer.answer === "quit" ? "quit" : `${answer.answer} (${scopeText(answer)})`);
