import type { Hono } from "hono";
import { html } from "hono/html";
import {
  asking,
  formBody,
  formField,
  formFields,
  frame,
  type PersonPage,
  type Html,
  table,
  timeText,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";
import { addWebhook, allWebhooks, removeWebhook, type Webhook } from "./store.ts";

export interface WebhookRoutes extends RouteOptions {
  readonly allowPrivate: boolean;
}

interface WebhooksView extends PersonPage {
  readonly webhooks: readonly Webhook[];
  readonly secret?: string | undefined;
}

const webhooksPage = ({ webhooks, secret, ...page }: WebhooksView): Html =>
  frame(
    "Webhooks",
    page,
    html`${secret === undefined ? "" : html`<p class="note" role="status">Its posts are signed with this, which is shown once: <code>${secret}</code></p>`}
      <p>Each is told that a question waits, and of which machine; nothing of the question itself.</p>
      ${
        webhooks.length === 0
          ? html`<p class="empty">None yet.</p>`
          : table(
              ["Kind", "Address", "Added by", "Last", ""],
              webhooks.map((one) => [
                one.kind,
                { long: `${new URL(one.url).origin}/…` },
                one.by,
                one.lastTry === null ? "" : `${one.lastSaid ?? ""}, ${timeText(one.lastTry)}`,
                asking("Remove", "It is told of no question any more.", "Remove it", "/webhooks/remove", { id: one.id }),
              ]),
            )
      }
      <h2>Add one</h2>
      <form method="post" action="/webhooks/add">
        <label
          >Kind
          <select name="kind">
            <option>slack</option>
            <option>ntfy</option>
            <option>generic</option>
          </select></label
        >
        <label>Address <input name="url" type="url" required size="50" autocomplete="off" /></label>
        <button>Add</button>
      </form>`,
  );

/** Where administrators say who is told of questions. */
export function addWebhookRoutes(app: Hono<WebVariables>, { db, now, gates, allowPrivate }: WebhookRoutes): void {
  app.get("/webhooks", gates.adminLooking, async (context) =>
    context.html(webhooksPage({ person: context.var.person, webhooks: await allWebhooks(db) })),
  );
  app.post("/webhooks/add", formBody, gates.admin, async (context) => {
    const { person } = context.var;
    const field = await formFields(context);
    const added = await addWebhook(db, { kind: field("kind"), url: field("url").trim(), by: person.name }, allowPrivate, now());
    const webhooks = await allWebhooks(db);
    return "problem" in added
      ? context.html(webhooksPage({ person, webhooks, problem: added.problem }), 400)
      : context.html(webhooksPage({ person, webhooks, secret: added.secret }));
  });
  app.post("/webhooks/remove", formBody, gates.admin, async (context) => {
    await removeWebhook(db, await formField(context, "id"));
    return context.redirect("/webhooks", 303);
  });
}
