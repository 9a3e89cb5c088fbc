import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyEffect } from "../effects.ts";
import { applyKind } from "../kinds.ts";
import { dropPrefix } from "../options.ts";
import { prefixOf, textOf, type Value } from "../value.ts";

/** gh-api(1): GET unless told otherwise, POST as soon as a field or a body is given; GraphQL is read by its query. */
export function ghApi(inv: Invocation): void {
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
  if (/^\/?graphql$/.test(where))
    applyEffect(inv, { is: "remote", operation: bodies.length === 0 && fields.every(isQuery) ? "read" : "change", service: "github" });
  else if (method === "GET" || method === "HEAD") applyEffect(inv, { is: "remote", operation: "read", service: "github" });
  else if (method === "DELETE") {
    applyEffect(inv, { is: "remote", operation: "destroy", service: "github" });
    inv.cx.addDanger(inv.exec, "remote-destroy");
  } else applyEffect(inv, { is: "remote", operation: "change", service: "github" });
}

function methodOf(inv: Invocation, given: Value | undefined, hasBody: boolean): string | undefined {
  if (given === undefined) return hasBody ? "POST" : "GET";
  const text = textOf(given);
  if (text === undefined) refuse(inv, `the HTTP method is only known at run time: ${describe(given)}`, "write it out");
  return text?.toUpperCase();
}

/** A variable, or a query without a mutation: comments and strings may hide one, so the word alone counts. */
function isQuery(field: Value): boolean {
  const text = textOf(field);
  if (text === undefined) return !prefixOf(field).startsWith("query") && prefixOf(field).includes("=");
  return !text.startsWith("query=") || !/mutation|subscription|^query=@/i.test(text);
}
