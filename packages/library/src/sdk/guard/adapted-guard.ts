import type { GuardDecision, GuardRequest } from "./open-guard.ts";

/** What an adapter asks. `replaces`: the tool runs with another command in that field, where the answer has one (`confined`). */
export type AdapterRequest = GuardRequest & { readonly replaces?: string };

/** A guard as adapters ask it. */
export interface AdaptedGuard {
  decide(request: AdapterRequest): GuardDecision;
  /** Resolves once it is known whether commands can run confined here: before that they are asked about. */
  ready?(): Promise<void>;
}
