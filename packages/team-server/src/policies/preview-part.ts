import { html } from "hono/html";
import type { PreviewChange } from "@assent/team/team/protocol";
import { type Html, shown, table } from "../web/index.ts";
import type { ShownPreview } from "./preview.ts";

const decisions = (count: number): string => `${count} ${count === 1 ? "decision" : "decisions"}`;

/** What a version would change, the counts first. */
export function previewPart(given: ShownPreview): Html {
  const title = html`<h3>What it would change</h3>`;
  if (given.is === "busy")
    return html`${title}
      <p>Another version is being looked at. Load this page again in a moment.</p>`;
  if (given.is === "failed")
    return html`${title}
      <p class="wrong">
        The server could not work this out. Who has the team's key can:
        <code>assent team policy preview ${given.version} --group ${given.group}</code>
      </p>`;
  const { preview, from, group, days, machines, isCut } = given;
  const { records, unreadable, stricter, looser, same, changed, changes } = preview;
  const against = from === null ? "no policy of the team" : `version ${from}, which is out to all`;
  const about = `${decisions(records)} of the last ${days} days on ${machines} ${machines === 1 ? "machine" : "machines"} of ${group}`;
  if (records === 0)
    return html`${title}
      <p>The machines of ${group} have sent no decisions in the last ${days} days, so nobody can say what it would change.</p>`;
  return html`${title}
    <p><strong>${stricter} stricter, ${looser} looser, ${same} the same</strong>, against ${against}.</p>
    <p>
      From
      ${about}${isCut ? ", the oldest ones only" : ""}.${unreadable === 0 ? "" : ` ${unreadable} cannot be judged again: their records do not hold them whole.`}
      Only the two versions count. The files of the machines are not known here.
    </p>
    ${changes.length === 0 ? "" : changesTable(changes)}
    ${
      changed > changes.length
        ? html`<p>And ${changed - changes.length} more; <code>assent team policy preview --json</code> prints all.</p>`
        : ""
    }`;
}

const changesTable = (changes: readonly PreviewChange[]): Html =>
  table(
    ["Times", "Change", "Now", "Then", "What", "Why"],
    changes.map((one) => [
      one.count,
      one.is,
      one.before,
      one.after,
      { long: html`<code>${shown(one.subject)}</code>` },
      { long: shown(one.reason) },
    ]),
  );
