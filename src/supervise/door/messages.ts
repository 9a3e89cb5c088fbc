import type { Answer, Question } from "../../guard/approve/index.ts";
import type { RunEvent } from "../types.ts";

/** What the door says to the main thread. */
export type FromDoor =
  | { readonly kind: "ready"; readonly notices: readonly string[] }
  | { readonly kind: "ask"; readonly question: Question }
  /** The question is void: the process is gone, or another answer settled it. */
  | { readonly kind: "void"; readonly seq: number }
  | { readonly kind: "events"; readonly events: readonly RunEvent[] }
  /** A program of the tree has a question for the supervisor: our end of its socket. */
  | { readonly kind: "inner"; readonly fd: number; readonly cwd: string }
  | { readonly kind: "notice"; readonly text: string }
  /** The program itself is not started. */
  | { readonly kind: "refused"; readonly why: string }
  /** The program itself has ended; others of its tree may go on. wait(2) status. */
  | { readonly kind: "ended"; readonly status: number }
  /** Nothing of the tree is left. */
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly message: string };

/** What the main thread says to the door. */
export type ToDoor =
  | { readonly kind: "program"; readonly pid: number }
  | { readonly kind: "answer"; readonly seq: number; readonly answer: Answer }
  /** A rule was written to the profile. */
  | { readonly kind: "reload" }
  /** Serve no longer: what calls from now on fails. */
  | { readonly kind: "stop" };
