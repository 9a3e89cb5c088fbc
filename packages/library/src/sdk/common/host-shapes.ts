import type { AskQuestion, ToolAnswer } from "./ask.ts";
import type { PermissionChange } from "./host-permissions.ts";

// Forms of @anthropic-ai/claude-agent-sdk 0.3, as far as they are used: nothing of it is imported.

/** A question about a call, with what the host adds to it. */
export interface ClaudeQuestion extends AskQuestion {
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseID: string;
  /** The sub-agent that asks: `Explore:a1`; undefined for the main agent. */
  readonly subagent: string | undefined;
  /** What the host would remember if it were told to. Broader than the call: rules of the host's, modes, folders. */
  readonly suggestions: readonly PermissionChange[];
  /** Ends when the call is given up. */
  readonly signal: AbortSignal;
}

/** An answer that says more than yes or no. */
export interface ClaudeAnswer {
  readonly allow: boolean;
  /** Remember the yes for this very tool and input, until the process ends. Denies hold. */
  readonly remember?: boolean;
  /** The call is made with this input instead. It is judged once more: what is denied stays denied. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the host to remember, such as `question.suggestions`. What Assent asks about is asked all the same. */
  readonly updatedPermissions?: readonly PermissionChange[];
  /** What the model reads with a no. */
  readonly message?: string;
  /** End the turn with the no. */
  readonly interrupt?: boolean;
}

/** Answers a question. Only `true` and `{ allow: true }` are a yes. */
export type OnClaudeAsk = (question: ClaudeQuestion) => ClaudeReply | Promise<ClaudeReply>;
type ClaudeReply = ToolAnswer | ClaudeAnswer;

/** What the host tells `canUseTool` of a call. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly agentID?: string;
  readonly suggestions?: readonly PermissionChange[];
}

/** What `canUseTool` answers. */
export type PermissionAnswer =
  | { behavior: "allow"; updatedInput: Record<string, unknown>; updatedPermissions?: PermissionChange[] }
  | { behavior: "deny"; message: string; interrupt?: boolean };

/** What a hook answers; without members the host goes on as if there were none. */
export interface HookAnswer {
  hookSpecificOutput?: {
    hookEventName: "PreToolUse";
    permissionDecision?: "allow" | "deny" | "ask" | "defer";
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
  systemMessage?: string;
}

/** Hooks as `query({ options: { hooks } })` takes them. */
export interface PermissionHooks {
  PreToolUse: { hooks: ((input: object) => Promise<HookAnswer>)[]; onFailure: "block" }[];
}
