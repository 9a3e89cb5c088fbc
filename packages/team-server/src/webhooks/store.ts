import { createHmac, randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Database, Queryable } from "../database/index.ts";
import { postSafely, type PostResult, readWebhookUrl } from "./safe-post.ts";
import type { TellEvent } from "../web/index.ts";

const KINDS = ["slack", "ntfy", "generic"] as const;
export type WebhookKind = (typeof KINDS)[number];

export interface Webhook {
  readonly id: string;
  readonly kind: WebhookKind;
  readonly url: string;
  readonly by: string;
  readonly lastTry: Date | null;
  readonly lastSaid: string | null;
}

const WebhookRow = v.object({
  id: v.string(),
  kind: v.picklist(KINDS),
  url: v.string(),
  by: v.string(),
  lastTry: v.nullable(v.date()),
  lastSaid: v.nullable(v.string()),
});

const LONGEST_URL = 2000;
const MOST = 20;

export const allWebhooks = (db: Queryable): Promise<readonly Webhook[]> =>
  db.rows(
    WebhookRow,
    `select id, kind, url, made_by as by, last_try as "lastTry", last_said as "lastSaid" from webhooks order by made limit ${MOST}`,
  );

/** Adds one, and gives the secret that its posts are signed with; a problem: why not. */
export async function addWebhook(
  db: Database,
  { kind, url, by }: { readonly kind: string; readonly url: string; readonly by: string },
  allowPrivate: boolean,
  now: Date,
): Promise<{ readonly secret: string } | { readonly problem: string }> {
  const known = KINDS.find((one) => one === kind);
  const read = readWebhookUrl(url, allowPrivate);
  if (known === undefined) return { problem: "that is not a kind of webhook" };
  if (typeof read === "string" || read.href.length > LONGEST_URL)
    return { problem: `that is not an address to post to${typeof read === "string" ? `: ${read}` : ""}` };
  const secret = randomBytes(32).toString("base64url");
  const added = await db.run(
    `insert into webhooks (id, kind, url, secret, made, made_by)
     select $1, $2, $3, $4, $5::timestamptz, $6 where (select count(*) from webhooks) < ${MOST}`,
    [randomBytes(16).toString("base64url"), known, read.href, secret, now, by],
  );
  return added === 0 ? { problem: `there are ${MOST} already` } : { secret };
}

export const removeWebhook = (db: Database, id: string): Promise<number> => db.run("delete from webhooks where id = $1", [id]);

/** A question of this machine waits: every webhook is told, in the transaction that keeps the question. */
export const queuePosts = (within: Queryable, machine: string, agent: string | undefined, now: Date): Promise<number> =>
  within.run(
    "insert into webhook_posts (webhook, machine, agent, made, next_try) select id, $1, $2, $3::timestamptz, $3::timestamptz from webhooks",
    [machine, agent ?? null, now],
  );

const DueRow = v.object({
  id: v.number(),
  webhook: v.string(),
  kind: v.picklist(KINDS),
  url: v.string(),
  secret: v.string(),
  machine: v.string(),
  agent: v.nullable(v.string()),
  attempts: v.number(),
});
type DuePost = v.InferOutput<typeof DueRow>;

export interface PostingOptions {
  readonly now: () => Date;
  /** The server's own, for the link. */
  readonly origin: () => string;
  readonly allowPrivate: boolean;
  readonly tell: TellEvent;
  readonly post?: typeof postSafely;
}

const AT_ONCE = 10;
const ATTEMPTS = 6;
const FIRST_MS = 5000;

/** Posts what is due. Of several processes each takes others; one that is killed in between leaves its own to be tried again. */
export async function postDue(db: Database, { now, origin, allowPrivate, tell, post = postSafely }: PostingOptions): Promise<number> {
  const due = await db.rows(
    DueRow,
    `with due as (
       select id from webhook_posts where next_try <= $1::timestamptz order by next_try limit ${AT_ONCE} for update skip locked
     )
     update webhook_posts p set attempts = p.attempts + 1,
            next_try = $1::timestamptz + make_interval(secs => ${FIRST_MS / 1000} * power(4, p.attempts))
     from due, webhooks w where p.id = due.id and w.id = p.webhook
     returning p.id, p.webhook, w.kind, w.url, w.secret, p.machine, p.agent, p.attempts`,
    [now()],
  );
  await Promise.all(
    due.map(async (one) => {
      const result = await post({ url: one.url, allowPrivate, ...messageOf(one, `${origin()}/questions`, now()) });
      await settle(db, one, result, now());
      if (result.is === "failed") tell("webhook failed", { kind: one.kind, why: result.why, attempt: one.attempts });
    }),
  );
  return due.length;
}

async function settle(db: Database, { id, webhook, attempts }: DuePost, result: PostResult, now: Date): Promise<void> {
  if (result.is === "sent" || attempts >= ATTEMPTS) await db.run("delete from webhook_posts where id = $1", [id]);
  await db.run("update webhooks set last_try = $2, last_said = $3 where id = $1", [
    webhook,
    now,
    result.is === "sent" ? "sent" : result.why.slice(0, 200),
  ]);
}

interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Nothing of the question leaves the server: who wants to read it signs in. */
export function messageOf(
  { id, kind, secret, machine, agent }: Omit<DuePost, "webhook" | "url" | "attempts">,
  page: string,
  now: Date,
): WebhookMessage {
  const text = `A question of ${machine}${agent === null ? "" : ` (${agent})`} waits for an answer`;
  if (kind === "slack") {
    const plain = text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;" })[sign] ?? "&gt;");
    return { headers: { "content-type": "application/json" }, body: JSON.stringify({ text: `${plain}: <${page}>`, mrkdwn: false }) };
  }
  if (kind === "ntfy") return { headers: { "content-type": "text/plain; charset=utf-8", title: "Assent", click: page }, body: text };
  const body = JSON.stringify({ v: 1, event: "question", id, time: now.toISOString(), machine, agent, url: page });
  const seconds = Math.floor(now.getTime() / 1000);
  const signature = createHmac("sha256", Buffer.from(secret, "base64url")).update(`${seconds}.${body}`).digest("hex");
  return { headers: { "content-type": "application/json", "x-assent-signature": `t=${seconds},sha256=${signature}` }, body };
}
