/** What a run leaves behind, and who was to decide it. */
export interface Expectation {
  /** The files, any of which shows that the call was carried out. */
  readonly made: readonly string[];
  /** Files that must be there besides. */
  readonly beside?: readonly string[];
  /** Whether it is to be carried out; `either`: the host decides, and the cell says which. */
  readonly runs: boolean | "either";
  /** Words that the model must have been sent as the outcome of its call. */
  readonly told?: RegExp | undefined;
  /** The verdict that Assent's log must hold; undefined: there is no log. */
  readonly verdict?: "allow" | "ask" | "deny" | "none";
  /** The log must name the sub-agent, where the host tells. */
  readonly subagent?: boolean;
}
