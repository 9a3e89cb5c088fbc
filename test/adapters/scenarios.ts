/** What the test agents of all SDKs are put through, and what has to come of it. */

export const SDKS = ["ai-sdk", "openai-agents", "claude-agent-sdk", "langchain", "mastra"] as const;
export type Sdk = (typeof SDKS)[number];

type CallOfTurn = readonly [tool: string, input: Readonly<Record<string, string>>];
type AnswerToCall = "yes" | { readonly no: string } | { readonly edit: Readonly<Record<string, string>> };

/** What an agent is told: agents/agent.mjs. */
export interface AgentRequest {
  readonly turns: readonly (readonly CallOfTurn[])[];
  /** For each pause the answers to its questions, in their order. Where they end the agent's state is kept, and its process ends. */
  readonly answers?: readonly (readonly AnswerToCall[])[];
  /** The guard's own `onAsk`: a yes, or an answer of its. */
  readonly onAsk?: unknown;
  readonly stream?: boolean;
  /** The calls are those of a sub-agent with a principal of its own. */
  readonly helper?: boolean;
  /** The agent hands off to the one that has the tools. */
  readonly handoff?: boolean;
  /** The guard confines, and commands are really run. */
  readonly confine?: boolean;
  /** The tools are guarded by `guard.tools`, where the SDK itself knows no changed call. */
  readonly wrapped?: boolean;
}

export interface Scenario {
  readonly id: string;
  readonly says: string;
  readonly request: AgentRequest;
  /** Goes on in another process, by a policy that may have become stricter. */
  readonly resumed?: Pick<AgentRequest, "answers"> & { readonly stricter?: unknown };
  readonly asked: readonly string[];
  readonly ran: readonly string[];
  /** What the model reads. */
  readonly told: readonly RegExp[];
  /** What an SDK keeps from the model. */
  readonly untold?: Readonly<Partial<Record<Sdk, RegExp>>>;
  /** Why an SDK cannot. */
  readonly not?: Readonly<Partial<Record<Sdk, string>>>;
  /** The request where an SDK has another way. */
  readonly way?: Readonly<Partial<Record<Sdk, Partial<AgentRequest>>>>;
}

const bash = (command: string): CallOfTurn => ["bash", { command }];
const NO_EDIT = "knows a yes and a no";
const SEVERAL = ["ls", "rm -rf a", "git push", "rm -rf b", "rm -rf c"].map(bash);

export const SCENARIOS: readonly Scenario[] = [
  {
    id: "allowed",
    says: "allowed, by the preset and by a rule with `when`",
    request: { turns: [[bash("ls")], [["save", { path: "src/a.ts", text: "x" }]], [bash("npm test")]] },
    asked: [],
    ran: ["ls", "save src/a.ts", "npm test"],
    told: [/ran npm test/],
  },
  {
    id: "denied",
    says: "denied: by the preset, by a rule, by the tool's name",
    request: { turns: [[bash("rm -rf ~")], [bash("git push")], [["drop_table", {}]], [["save", { path: ".env", text: "x" }]]] },
    asked: [],
    ran: [],
    told: [/home folder|delete recursively/, /git push/, /drop_table/, /secret/],
  },
  {
    id: "yes",
    says: "asked, yes",
    request: { turns: [[bash("rm -rf build")]], answers: [["yes"]] },
    asked: ["rm -rf build"],
    ran: ["rm -rf build"],
    told: [/ran rm -rf build/],
  },
  {
    id: "no",
    says: "asked, no, with a word for the model",
    request: { turns: [[bash("rm -rf build")]], answers: [[{ no: "keep it" }]] },
    asked: ["rm -rf build"],
    ran: [],
    told: [/keep it/],
  },
  {
    id: "edited",
    says: "asked, edited",
    request: { turns: [[bash("rm -rf build")]], answers: [[{ edit: { command: "ls src" } }]] },
    asked: ["rm -rf build"],
    ran: ["ls src"],
    told: [/ran ls src/],
    not: { "ai-sdk": NO_EDIT, "openai-agents": NO_EDIT, mastra: NO_EDIT },
  },
  {
    id: "edited-denied",
    says: "asked, edited to what is denied",
    request: { turns: [[bash("rm -rf build")]], answers: [[{ edit: { command: "rm -rf ~" } }]] },
    asked: ["rm -rf build"],
    ran: [],
    told: [/home folder|delete recursively/],
    not: { "ai-sdk": NO_EDIT, "openai-agents": NO_EDIT, mastra: NO_EDIT },
  },
  {
    id: "on-ask-yes",
    says: "the guard's own onAsk: yes",
    request: { turns: [[bash("rm -rf build")]], onAsk: "yes" },
    asked: [],
    ran: ["rm -rf build"],
    told: [/ran rm -rf build/],
  },
  {
    id: "on-ask-no",
    says: "the guard's own onAsk: no",
    request: { turns: [[bash("rm -rf build")]], onAsk: { no: "keep it" } },
    asked: [],
    ran: [],
    told: [/the user refused, and said: keep it/],
  },
  {
    id: "on-ask-edited",
    says: "the guard's own onAsk: edited",
    request: { turns: [[bash("rm -rf build")]], onAsk: { yes: "once", input: { command: "ls src" } } },
    asked: [],
    ran: ["ls src"],
    told: [/ran ls src/],
    way: { "ai-sdk": { wrapped: true }, "openai-agents": { wrapped: true } },
  },
  {
    id: "confined",
    says: "a guard that sandboxes: two scripts in one step run sandboxed, without a question, and get no secret",
    request: { turns: [[bash("sh x.sh"), bash("sh x.sh")]], confine: true, answers: [] },
    asked: [],
    ran: ["confined", "confined"],
    told: [/hello .*hello /, /^(?!.*KEY-OF-ANN)/],
    // It takes a yes or a no: the tools themselves are given what is started.
    way: { "ai-sdk": { wrapped: true } },
  },
  {
    id: "confined-asked",
    says: "the same guard: what cannot be taken back is asked about, as ever",
    request: { turns: [[bash("git push --force origin x")], [bash("npm publish")]], confine: true, answers: [[{ no: "not now" }]] },
    asked: ["npm publish"],
    ran: [],
    told: [/git push/, /not now/],
  },
  {
    id: "resumed-yes",
    says: "asked, answered yes in another process",
    request: { turns: [[bash("rm -rf build")]] },
    resumed: { answers: [["yes"]] },
    asked: ["rm -rf build"],
    ran: ["rm -rf build"],
    told: [/ran rm -rf build/],
  },
  {
    id: "resumed-no",
    says: "asked, answered no in another process",
    request: { turns: [[bash("rm -rf build")]] },
    resumed: { answers: [[{ no: "keep it" }]] },
    asked: ["rm -rf build"],
    ran: [],
    told: [/keep it/],
    // It says in its own words that the user does not want it.
    untold: { "claude-agent-sdk": /keep it/ },
  },
  {
    id: "resumed-denied",
    says: "asked, answered yes in another process, where it is denied by then",
    request: { turns: [[bash("rm -rf build")]] },
    resumed: { answers: [["yes"]], stricter: { permissions: { deny: ["Bash(rm:*)"] } } },
    asked: ["rm -rf build"],
    ran: [],
    told: [/Bash\(rm:\*\)/],
  },
  {
    id: "several",
    says: "five calls in one step, three of them asked about: yes, no, yes",
    request: { turns: [SEVERAL], answers: [["yes", { no: "not b" }, "yes"]] },
    asked: ["rm -rf a", "rm -rf b", "rm -rf c"],
    ran: ["ls", "rm -rf a", "rm -rf c"],
    told: [/ran rm -rf a/, /not b/, /ran rm -rf c/, /git push/],
    // It leaves out a declined call of several.
    untold: { mastra: /not b/ },
  },
  {
    id: "several-resumed",
    says: "the same, answered in another process",
    request: { turns: [SEVERAL] },
    resumed: { answers: [["yes", { no: "not b" }, "yes"]] },
    asked: ["rm -rf a", "rm -rf b", "rm -rf c"],
    ran: ["ls", "rm -rf a", "rm -rf c"],
    told: [/ran rm -rf a/, /not b/, /ran rm -rf c/, /git push/],
    // It leaves out a declined call of several.
    untold: { mastra: /not b/ },
    not: { "claude-agent-sdk": "defers only what stands alone in its step" },
  },
  {
    id: "unknown",
    says: "a tool of which nobody says what it does is asked about",
    request: { turns: [[["found_by_itself", {}]]], answers: [[{ no: "no" }]] },
    asked: ["found_by_itself"],
    ran: [],
    told: [/no/],
  },
  {
    id: "helper",
    says: "a sub-agent with a principal of its own: a rule is about it alone",
    request: { turns: [[bash("date")], [bash("ls")]], helper: true },
    asked: [],
    ran: ["ls"],
    told: [/ran ls/],
  },
  {
    id: "main",
    says: "the same calls of the main agent",
    request: { turns: [[bash("date")], [bash("ls")]] },
    asked: [],
    ran: ["date", "ls"],
    told: [/ran ls/],
  },
  {
    id: "stream",
    says: "streamed: allowed, denied, asked",
    request: { turns: [[bash("ls"), bash("git push")], [bash("rm -rf build")]], answers: [["yes"]], stream: true },
    asked: ["rm -rf build"],
    ran: ["ls", "rm -rf build"],
    told: [/ran rm -rf build/],
  },
  {
    id: "handoff",
    says: "handed off to another agent, in a session",
    request: {
      turns: [[["transfer_to_coder", {}]], [bash("ls"), bash("git push"), bash("rm -rf build")]],
      answers: [["yes"]],
      handoff: true,
    },
    asked: ["rm -rf build"],
    ran: ["ls", "rm -rf build"],
    told: [/ran rm -rf build/],
    not: Object.fromEntries((["ai-sdk", "claude-agent-sdk", "langchain", "mastra"] as const).map((sdk) => [sdk, "has no handoffs"])),
  },
];
