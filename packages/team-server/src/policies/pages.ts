import type { Hono } from "hono";
import { html } from "hono/html";
import { isPublicKey, isSignedPolicy, keyIdOf } from "@assent/guard/signature";
import { GROUP_OF_ALL, MESSAGE_LIMITS, type PolicyGroup, type PreviewPolicies, type PreviewChange } from "@assent/team/team/protocol";
import type { TeamPerson } from "../enrol/index.ts";
import {
  type Cell,
  formFields,
  frame,
  type PersonPage,
  type Html,
  limitedBody,
  shown,
  table,
  timeText,
  type WebContext,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";
import { PolicyPreviews, type ShownPreview } from "./preview.ts";
import {
  addFirstKey,
  type MachinePolicy,
  machinePolicies,
  policyGroups,
  policyKeys,
  PolicyRefused,
  policyVersion,
  pushPolicy,
  releasePolicy,
} from "./store.ts";

interface PolicyView extends PersonPage {
  readonly keys: readonly string[];
  readonly groups: readonly PolicyGroup[];
  readonly machines: readonly MachinePolicy[];
  readonly text?: { readonly group: string; readonly version: number; readonly policy: string };
  /** What the version that is open would change. */
  readonly preview?: ShownPreview | undefined;
}

/** What administrators see of policies, and may do: say which key is the team's, hand in what was signed, release it. */
export function addPolicyPage(
  app: Hono<WebVariables>,
  { db, now, gates, tell, judge }: RouteOptions & { readonly judge?: PreviewPolicies | undefined },
): void {
  const previews = judge === undefined ? undefined : new PolicyPreviews(db, { now, judge, tell });
  // A form spells each sign of a policy with up to three.
  const form = limitedBody(MESSAGE_LIMITS.messageBytes * 3);
  const page = async (person: TeamPerson, more: Pick<PolicyView, "note" | "problem" | "text" | "preview"> = {}): Promise<Html> =>
    policyPage({
      person,
      keys: (await policyKeys(db)).map(({ id }) => id),
      groups: await policyGroups(db),
      machines: await machinePolicies(db),
      ...more,
    });
  const act = async (context: WebContext, work: (field: (name: string) => string, by: string) => Promise<string>): Promise<Response> => {
    const { person } = context.var;
    try {
      const note = await work(await formFields(context), person.name);
      tell("policy", { by: person.name, note });
      return context.html(await page(person, { note }));
    } catch (error) {
      if (!(error instanceof PolicyRefused)) throw error;
      return context.html(await page(person, { problem: `Not done: ${error.message}.` }), 409);
    }
  };
  app.get("/policy", gates.adminLooking, async (context) => {
    const { person } = context.var;
    const group = context.req.query("group");
    const version = Number(context.req.query("version"));
    const isNamed = group !== undefined && Number.isInteger(version) && version > 0 && version <= 1_000_000;
    const signed = isNamed ? await policyVersion(db, group.replace(/\0|\p{Surrogate}/gu, ""), version) : undefined;
    if (signed === undefined) return context.html(await page(person));
    return context.html(await page(person, { text: signed.statement, preview: await previews?.of(signed.statement) }));
  });
  app.post("/policy/key", form, gates.admin, (context) =>
    act(context, async (field, by) => {
      const key = field("key").trim();
      if (!isPublicKey(key)) throw new PolicyRefused("this is not a public key: it is one line that `assent team policy key` prints");
      await addFirstKey(db, key, by, now());
      return `The team's key is ${keyIdOf(key)}.`;
    }),
  );
  app.post("/policy/push", form, gates.admin, (context) =>
    act(context, async (field) => {
      let signed: unknown;
      try {
        signed = JSON.parse(field("signed"));
      } catch {
        // Said below.
      }
      if (!isSignedPolicy(signed)) throw new PolicyRefused("this is not what `assent team policy sign` writes");
      await pushPolicy(db, signed, now());
      return `Version ${signed.statement.version} of ${signed.statement.group} is here. Nobody has it before it is released.`;
    }),
  );
  app.post("/policy/release", form, gates.admin, (context) =>
    act(context, async (field, by) => {
      const [group, version, percent] = [field("group"), wholeOf(field("version"), 1_000_000), wholeOf(field("percent"), 100)];
      if (percent === undefined || version === undefined) throw new PolicyRefused("a part is a whole number from 0 to 100");
      await releasePolicy(db, { group, version, percent }, by, now());
      return `Version ${version} of ${group} goes to ${percent === 100 ? "all its machines" : `${percent} of 100 of its machines`}.`;
    }),
  );
}

function wholeOf(text: string, most: number): number | undefined {
  return /^\d{1,7}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

const policyPage = ({ keys, groups, machines, text, preview, ...page }: PolicyView): Html =>
  frame(
    "Policies",
    page,
    html`${
        keys.length === 0
          ? html`<h2>The team's key</h2>
              <p>
                Policies are signed by a key that this server never sees. <code>assent team policy key</code> makes it and prints its public
                half. Whoever has the key decides what agents may do on every machine.
              </p>
              <form method="post" action="/policy/key">
                <label>Public key <input name="key" required autocomplete="off" spellcheck="false" size="46" /></label>
                <button>This is the team's key</button>
              </form>`
          : html`<p>
                Signed by ${keys.at(-1)}${keys.length > 1 ? html`, before by ${keys.slice(0, -1).join(", ")}` : ""}. Compare it with what
                <code>assent team policy key</code> printed.
              </p>
              <h2>Hand in a signed version</h2>
              <form method="post" action="/policy/push">
                <label
                  ><span>What <code>assent team policy sign</code> wrote</span
                  ><textarea name="signed" rows="4" cols="70" required spellcheck="false"></textarea>
                </label>
                <button>Hand in</button>
              </form>`
      }
      ${whatWaits(keys, groups, machines)} ${groups.map(groupPart)}
      ${
        text === undefined
          ? ""
          : html`<h2 id="text">Version ${text.version} of ${text.group}</h2>
              ${preview === undefined ? "" : previewPart(preview)}
              <pre>${text.policy}</pre>`
      }
      <h2>Machines</h2>
      ${
        machines.length === 0
          ? html`<p>None yet.</p>`
          : table(
              ["Name", "Group", "Has", "Asked last", "Waits for"],
              machines.map((one) => [
                { long: html`${shown(one.name)} <code class="id">${one.id}</code>` },
                one.group,
                one.version ?? "none",
                one.asked === null ? "never" : timeText(one.asked),
                waitsFor(one, groups),
              ]),
            )
      }`,
  );

/** What has to be done next, and by which command: for who has the key, and for who sits at a machine. */
function whatWaits(keys: readonly string[], groups: readonly PolicyGroup[], machines: readonly MachinePolicy[]): Html | "" {
  if (keys.length === 0) return "";
  const steps: Html[] = [];
  for (const { group, versions, all } of groups) {
    const [newest] = versions;
    const at = group === GROUP_OF_ALL ? "" : ` --group ${group}`;
    if (newest === undefined)
      steps.push(html`${group} has no policy: <code>assent team policy sign FILE${at} --out p.json</code>, then hand it in here.`);
    else if (newest.version > (all ?? 0))
      steps.push(
        html`version ${newest.version} of ${group} is out to ${newest.percent === null ? "nobody" : `${newest.percent} of 100`}: release it
          below, or <code>assent team policy release ${newest.version}${at}</code>`,
      );
    const behind = machines.filter((one) => one.group === group && isBehind(one, groups));
    if (behind.length > 0)
      steps.push(
        html`${behind.length === 1 ? "1 machine" : `${behind.length} machines`} of ${group} ${behind.length === 1 ? "has" : "have"} not
          fetched version ${all}. On each: <code>assent team send</code>, or <code>assent daemon on</code>, so that it fetches by itself.`,
      );
  }
  return html`<section class="card" aria-labelledby="waits">
    <h2 id="waits">What waits</h2>
    ${
      steps.length === 0
        ? html`<p class="empty">Nothing: every machine has the version that is out.</p>`
        : html`<ul>
            ${steps.map((step) => html`<li>${step}</li>`)}
          </ul>`
    }
  </section>`;
}

function isBehind({ group, version }: MachinePolicy, groups: readonly PolicyGroup[]): boolean {
  const all = groups.find((one) => one.group === group)?.all ?? null;
  return all !== null && (version === null || version < all);
}

/** What a machine waits for, and what its person types. */
function waitsFor(machine: MachinePolicy, groups: readonly PolicyGroup[]): Cell {
  const { group, problem } = machine;
  if (problem !== null) return { long: html`<span class="wrong">${shown(problem)}</span>` };
  if (!isBehind(machine, groups)) return "";
  const all = groups.find((one) => one.group === group)?.all ?? null;
  return { long: html`<span class="wrong">version ${all}, which is out</span><br /><code>assent team send</code>` };
}

const haveText = ({ version, machines }: PolicyGroup["machines"][number]): string =>
  ` ${machines} ${machines === 1 ? "machine has" : "machines have"} ${version === null ? "none" : `version ${version}`}.`;

const groupPart = ({ group, versions, all, some, machines }: PolicyGroup): Html =>
  html`<h2>${group}</h2>
    <p>
      ${all === null ? "No version is out to all." : html`Version ${all} is out to all.`}
      ${some === null ? "" : html` Version ${some.version} is out to ${some.percent} of 100.`} ${machines.map(haveText)}
    </p>
    ${
      versions.length === 0
        ? ""
        : table(
            ["Version", "Signed", "By", "Out to", ""],
            versions.map((one) => [
              html`<a href="/policy?group=${group}&amp;version=${one.version}#text">${one.version}</a>`,
              timeText(new Date(one.made)),
              { long: one.key },
              one.percent === null ? "nobody" : `${one.percent} of 100`,
              all !== null && one.version <= all
                ? ""
                : html`<form class="inline" method="post" action="/policy/release">
                    <input type="hidden" name="group" value="${group}" /><input type="hidden" name="version" value="${one.version}" />
                    <label class="beside"
                      >to <input name="percent" value="${one.percent ?? 10}" size="3" inputmode="numeric" /> of 100</label
                    >
                    <button>Release</button>
                  </form>`,
            ]),
          )
    }`;

const decisions = (count: number): string => `${count} ${count === 1 ? "decision" : "decisions"}`;

/** What a version would change, the counts first. */
function previewPart(given: ShownPreview): Html {
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
