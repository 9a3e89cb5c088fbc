// Forges: what their own clients ask of them, and what any other client does.
import { resolvePath } from "../../../path/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { dropPrefix } from "../options.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";

/** What GitLab hands out without variables and tokens, as a project itself (`runners_token`) and its variables have them (docs.gitlab.com/api). */
const GITLAB_PLAIN = new RegExp(
  String.raw`^\/?(?:version|projects\/[\w:%.-]+\/(?:issues|merge_requests|pipelines|jobs|repository|releases|labels|milestones|members|` +
    String.raw`events|languages)(?:[/?][\w/?&=:,+-]*)?)$`,
);

/** gh-api(1), glab-api(1): GET unless told otherwise, POST as soon as a field or a body is given; GraphQL is read by its query. */
export function ghApi(inv: Invocation): void {
  const service = inv.name === "glab" ? "gitlab" : "github";
  const values = (...names: readonly string[]): readonly Value[] =>
    inv.args.options.flatMap((given) =>
      given.option?.names.some((name) => names.includes(name)) === true && given.value !== undefined ? [given.value] : [],
    );
  const fields = [...values("--field"), ...values("--raw-field")];
  const bodies = values("--input");
  for (const field of values("--field")) {
    const at = prefixOf(field).indexOf("=@");
    if (at >= 0) emitFile(inv, "read", dropPrefix(field, at + 2));
  }
  const [endpoint] = inv.args.operands;
  const where = endpoint === undefined ? "" : (textOf(endpoint) ?? "");
  if (/^https?:/i.test(where) && endpoint !== undefined) applyKind(inv, { is: "url" }, endpoint);
  const method = methodOf(inv, values("--method").at(-1), fields.length + bodies.length > 0);
  if (method === undefined) return;
  if (service === "gitlab" && (!GITLAB_PLAIN.test(where) || /variables|trigger|token|schedule/i.test(where)))
    applyEffect(inv, { is: "secrets" });
  if (/^\/?(?:api\/)?graphql$/.test(where)) {
    const isRead = bodies.length === 0 && fields.every(isQuery);
    const sent = [...sentTexts(inv, fields, /^query=@(.*)$/s), ...sentTexts(inv, bodies, /^(.*)$/s)];
    const destroys = !isRead && sent.some(isDestroying);
    applyEffect(inv, { is: "remote", operation: destroys ? "destroy" : isRead ? "read" : "change", service });
    if (destroys) inv.cx.addDanger(inv.exec, "remote-destroy");
  } else if (method === "GET" || method === "HEAD") applyEffect(inv, { is: "remote", operation: "read", service });
  else if (method === "DELETE") {
    applyEffect(inv, { is: "remote", operation: "destroy", service });
    inv.cx.addDanger(inv.exec, "remote-destroy");
  } else applyEffect(inv, { is: "remote", operation: "change", service });
}

function methodOf(inv: Invocation, given: Value | undefined, hasBody: boolean): string | undefined {
  if (given === undefined) return hasBody ? "POST" : "GET";
  const text = textOf(given);
  if (text === undefined) refuse(inv, `the HTTP method is only known at run time: ${describe(given)}`, "write it out");
  return text?.toUpperCase();
}

/** Fields of mutations of GitHub and GitLab that take something away, or give it to somebody else (docs.github.com/graphql, docs.gitlab.com/api). */
const DESTROYING = /delete|remove|destroy|archive|purge|transfer|revoke|prune|erase/i;

/** What is sent, where it is in the line, on the input, or in a small file. `file`: what of a value is the name of one. */
export function sentTexts(inv: Invocation, values: readonly Value[], file: RegExp | undefined): readonly string[] {
  return values.flatMap((value) => {
    const text = textOf(value) ?? prefixOf(value);
    const name = file?.exec(text)?.[1];
    if (name === undefined) return text;
    if (/^(?:-|\/dev\/stdin)$/.test(name)) return inv.stdin.is === "text" ? [textOf(inv.stdin.value) ?? ""] : [];
    return inv.places.flatMap((place) => (place.is === "at" ? (inv.cx.world.text?.(resolvePath(place.path, name)) ?? []) : []));
  });
}

/** As JSON and forms may write it. */
const unescaped = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unit?: string, byte?: string) =>
    String.fromCharCode(Number.parseInt(unit ?? byte ?? "", 16)),
  );

const isDestroying = (text: string): boolean => /mutation/i.test(unescaped(text)) && DESTROYING.test(unescaped(text));

/** The interfaces of GitHub and GitLab, with which their own clients are not alone. */
const GRAPHQL = /^(?:(?:https?:\/\/)?(?:[^/@]*@)?api\.github\.com\/graphql|https:\/\/[^/?#]+\/api\/graphql)\/?(?:[?#]|$)/i;
/** One record of a program that is developed here: what is less, leads up again (`..`, `%2e`) or stands for several may be a whole index. */
const OWN_RECORD = /^(?:https?:\/\/)?(?:localhost|127\.[\d.]+|\[::1\]|(?=:\d))(?::\d+)?(?:\/(?![_.])[^/?#*,%{}[\]\\]+){2,}\/?(?:[?#]|$)/i;

/** Any client may call a service: what takes something away for good there does so as `gh api` does. */
export function noteForgeCalls(inv: Invocation, addresses: readonly Value[], method: Value | undefined, sent: readonly string[]): void {
  const deletes = /^delete$/i.test(method === undefined ? "" : (textOf(method) ?? ""));
  const destroys = addresses.some((address) => {
    const whole = textOf(address) ?? `${prefixOf(address)}x`;
    const text = (textOf(address) ?? prefixOf(address)).replace(/[{}[\]]/g, "");
    return (deletes && !OWN_RECORD.test(whole)) || (GRAPHQL.test(text) && sent.some(isDestroying));
  });
  if (destroys) inv.cx.addDanger(inv.exec, "remote-destroy");
}

/** hurl, httpYac: files of requests, or the input. */
export function requestFiles(inv: Invocation): void {
  const files = inv.args.operands.filter((word) => !prefixOf(word).startsWith("-"));
  for (const text of sentTexts(inv, files.length === 0 ? [literal("-")] : files, /^(.*)$/s))
    for (const [, method = "", address = ""] of text.matchAll(/^([A-Z]+)[ \t]+(\S+)/gm))
      noteForgeCalls(inv, [literal(address)], literal(method), [text]);
}

/** A variable, or a query without a mutation: comments and strings may hide one, so the word alone counts. */
function isQuery(field: Value): boolean {
  const text = textOf(field);
  if (text === undefined) return !prefixOf(field).startsWith("query") && prefixOf(field).includes("=");
  return !text.startsWith("query=") || !/mutation|subscription|^query=@/i.test(text);
}
