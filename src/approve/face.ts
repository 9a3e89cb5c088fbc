import type { CheckRule } from "./prompt.ts";
import type { Answer, Question } from "./types.ts";

/** What a prompt is about at the moment. */
export interface Shown {
  readonly question: Question;
  /** Open questions of the same group, without the first. */
  readonly alike: readonly Question[];
  /** Open questions of other groups. */
  readonly waiting: number;
}

export interface FaceOptions {
  readonly home: string | undefined;
  readonly checkRule: CheckRule;
}

/** How a prompt looks: a block that is redrawn, or lines for terminals that cannot. */
export interface Face {
  /** A question that was not shown before. */
  begin(shown: Shown): void;
  /** Alike questions came or went. False: it was not shown. */
  update(shown: Shown): boolean;
  /** Keys, as the terminal sent them. The answer, once there is one. */
  input(text: string): Answer | undefined;
  /** Keys came that were typed before the question could be read, and were dropped. */
  early(): void;
  /** The terminal's size changed, or something else wrote on it. */
  resized(): void;
  /** Takes the question away and leaves `record`, one line, in its place. */
  end(record: string | undefined): void;
}
