import type { Invocation } from "../invocation.ts";
import { noteLinks } from "../links.ts";
import { has } from "./given.ts";

/** ln(1): what later commands of the line do through the link is told when all of them are known. */
export function symbolicLinks(inv: Invocation): void {
  noteLinks(inv, { symbolic: has(inv, "-s", "--symbolic"), relative: has(inv, "-r", "--relative") });
}
