// Forms of langchain 1, as far as they are used: its own declarations are needed by nobody who only imports `assent`.

/** One call that is asked about. */
export interface ReviewAction {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly description: string;
}

/** What may be answered about a call. */
export interface ReviewChoice {
  readonly actionName: string;
  readonly allowedDecisions: readonly ["approve", "edit", "reject"];
}

/**
 * What an interrupted run shows, in the form of LangChain's own human-in-the-loop middleware: the calls of one step that are asked about,
 * in the model's order. Texts are free of control characters.
 */
export interface ReviewRequest {
  readonly actionRequests: readonly ReviewAction[];
  readonly reviewConfigs: readonly ReviewChoice[];
}

/**
 * What a run is resumed with: one decision for each call, in the same order: `new Command({ resume: { decisions: [{ type: "approve" }] } })`.
 * Anything else is a no to all of them.
 */
export interface ReviewResponse {
  readonly decisions: readonly ReviewDecision[];
}

/** The answer about one call. An edited call is judged once more: what is denied stays denied. */
export type ReviewDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly editedAction: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } }
  | { readonly type: "reject"; readonly message?: string };

/** A call as a message of the model has it. */
export interface ModelCall {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string | undefined;
}

/** What a tool call is wrapped with. */
export interface WrappedCall {
  readonly toolCall: ModelCall;
  readonly runtime: object;
}

/** Middleware as `createAgent` takes it. */
export interface PermissionMiddleware {
  name: string;
  wrapModelCall<Asked, Given>(request: Asked, handler: (request: Asked) => Given | Promise<Given>): Promise<Given>;
  afterModel<State extends object>(state: State, runtime: object): Promise<Partial<State> | undefined>;
  wrapToolCall<Asked extends WrappedCall, Given>(request: Asked, handler: (request: Asked) => Given | Promise<Given>): Promise<Given>;
}
