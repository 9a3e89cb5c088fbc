import type { FileAction } from "../action/index.ts";
import { type Verdict, verdictOf } from "./match/verdict.ts";

/** What `assent install` leaves for the day on which Assent cannot start (cli/rescue.ts), also named by a pattern or from its own folder. */
const RESCUE = /(?:^|[/=])\.local\/share\/assent\/+(?:\S*\/)?(?:rescue$|[\w-]*[*?[{])/;

export const isRescue = (text: string): boolean => RESCUE.test(text);

export const onlyForPeople = (): Verdict =>
  verdictOf("deny", "floor.command", { reason: "it would take Assent out of every agent, which is for a person, in a terminal" });

/** Who reads it could run it. */
export const judgeRescueFile = ({ target }: FileAction): Verdict | undefined =>
  target.kind === "path" && isRescue(target.path) ? onlyForPeople() : undefined;
