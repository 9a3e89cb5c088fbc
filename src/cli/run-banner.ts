import { visible } from "../action/index.ts";
import { ruleEntries } from "../policy-edit/index.ts";
import { readProfile, type Machine } from "../state/index.ts";
import { shorten } from "./place.ts";
import { styleFor } from "./style.ts";

interface Facts {
  readonly machine: Machine;
  readonly profile: string;
  readonly how: string;
  /** As it is called. */
  readonly program: string;
  readonly learns: boolean;
}

/** One line for the person at a terminal who starts a run: what runs, under which profile, who is asked. */
export function banner({ machine, profile, how, program, learns }: Facts): string {
  const style = styleFor({ isTTY: true }, machine.env);
  const stored = readProfile(machine, profile);
  const count = stored?.content.is === "text" ? ruleEntries(stored.content.text).length : 0;
  const rules = stored === undefined ? "new" : `${count} rule${count === 1 ? "" : "s"}`;
  const name = visible(shorten(profile, "/", machine.home));
  return style.dim(`assent: ${visible(program)} under profile ${name} (${rules}); ${learns ? "learns; " : ""}${how}`) + "\n";
}
