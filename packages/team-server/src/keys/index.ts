import type { Hono } from "hono";
import { html } from "hono/html";
import type { CiRule, FleetKey } from "@assent/team/team/protocol";
import { ciRules, fleetKeys, removeCiRule, revokeFleetKey, type TeamPerson } from "../enrol/index.ts";
import {
  asking,
  type Cell,
  formBody,
  formFields,
  frame,
  type PersonPage,
  type Html,
  shown,
  table,
  timeText,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";

interface KeysView extends PersonPage {
  readonly keys: readonly FleetKey[];
  readonly rules: readonly CiRule[];
  readonly now: Date;
}

function keyState({ revoked, expires, used, uses }: FleetKey, now: Date): string {
  if (revoked !== null) return `revoked, ${timeText(new Date(revoked))}`;
  if (new Date(expires) <= now) return `over since ${timeText(new Date(expires))}`;
  return used >= uses ? "used up" : `until ${timeText(new Date(expires))}`;
}

const keyRow = (key: FleetKey, now: Date): readonly Cell[] => [
  { long: shown(key.name) },
  shown(key.group),
  `${key.used} of ${key.uses}; ${key.machines} there`,
  `${shown(key.by)}, ${timeText(new Date(key.made))}`,
  keyState(key, now),
  html`${
    key.revoked === null
      ? asking("Revoke", "The key lets nobody in any more. Machines that it let in stay.", "Revoke it", "/keys/revoke", { id: key.id })
      : ""
  }
  ${
    key.machines === 0
      ? ""
      : asking(
          "Revoke, with its machines",
          `The key lets nobody in any more, and ${key.machines} ${key.machines === 1 ? "machine is" : "machines are"} sent away.`,
          "Revoke it, and send them away",
          "/keys/revoke",
          { id: key.id, machines: "yes" },
        )
  }`,
];

const ruleRow = (rule: CiRule): readonly Cell[] => [
  { long: shown(rule.name) },
  { long: shown(rule.issuer) },
  { long: html`${Object.entries(rule.claims).map(([name, value]) => html`${shown(`${name}=${value}`)}<br />`)}` },
  `${shown(rule.group)}, ${rule.minutes} minutes`,
  `${rule.let} let in; ${rule.machines} there`,
  asking(
    "Remove, with its machines",
    "No job comes in by it any more, and those that are in are sent away.",
    "Remove it",
    "/keys/remove-rule",
    {
      id: rule.id,
    },
  ),
];

const keysPage = ({ keys, rules, now, ...page }: KeysView): Html =>
  frame(
    "Keys",
    page,
    html`<p>By these machines let themselves in. They are made on the server's shell; to end one takes somebody who has just signed in.</p>
      <h2>Keys of fleets</h2>
      ${
        keys.length === 0
          ? html`<p>No key was made yet: <code>assent team fleet key</code>.</p>`
          : table(
              ["Name", "Group", "Machines", "Made by", "Lets in", ""],
              keys.map((key) => keyRow(key, now)),
            )
      }
      <h2>Rules for jobs of a CI</h2>
      ${
        rules.length === 0
          ? html`<p>No rule holds: <code>assent team ci add</code>.</p>`
          : table(["Name", "Issuer", "Claims", "Group", "Jobs", ""], rules.map(ruleRow))
      }`,
  );

/** Where administrators see by what machines let themselves in, and end it. */
export function addKeyRoutes(app: Hono<WebVariables>, { db, now, gates, tell }: RouteOptions): void {
  const view = async (person: TeamPerson, more: Pick<KeysView, "note" | "problem"> = {}): Promise<Html> =>
    keysPage({ person, keys: await fleetKeys(db), rules: await ciRules(db), now: now(), ...more });
  const sent = (gone: number): string => `${gone} machine${gone === 1 ? "" : "s"} sent away.`;
  app.get("/keys", gates.adminLooking, async (context) => context.html(await view(context.var.person)));
  app.post("/keys/revoke", formBody, gates.freshAdmin, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const gone = await revokeFleetKey(db, field("id"), field("machines") === "yes", person.name, now());
    if (gone === undefined) return context.html(await view(person, { problem: "This key was not found." }), 404);
    tell("key revoked", { by: person.name, machines: gone });
    return context.html(await view(person, { note: `The key lets nobody in any more; ${sent(gone)}` }));
  });
  app.post("/keys/remove-rule", formBody, gates.freshAdmin, async (context) => {
    const { person } = context.var;
    const gone = await removeCiRule(db, (await formFields(context))("id"), person.name, now());
    if (gone === undefined) return context.html(await view(person, { problem: "This rule was not found." }), 404);
    tell("rule removed", { by: person.name, machines: gone });
    return context.html(await view(person, { note: `The rule lets nobody in any more; ${sent(gone)}` }));
  });
}
