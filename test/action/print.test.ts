import { expect, test } from "vitest";
import { type Action, printAction } from "@assent/core/action";
import { errorCode, messageOf } from "@assent/guard/state";

const origin = { by: "tool" } as const;

/** Every part that may be empty. */
const EMPTY: readonly (readonly [action: Action, printed: string])[] = [
  [{ kind: "process", operation: "signal", target: "", origin }, "signal a process"],
  [{ kind: "process", operation: "signal", target: "-1", origin }, "signal process -1"],
  [{ kind: "privilege", detail: "", origin }, "privilege"],
  [{ kind: "system", area: "", origin }, "system"],
  [{ kind: "tool", name: "", fields: [], origin }, "tool"],
  [{ kind: "remote", service: "", operation: "read", origin }, "read on a service"],
  [{ kind: "net", operation: "connect", host: "", port: 443, origin }, "connect (unknown host):443"],
  [{ kind: "net", operation: "connect", host: undefined, port: undefined, why: "", origin }, "connect (unknown host)"],
  [{ kind: "net", operation: "fetch", host: "a.example", port: 443, url: "", origin }, "fetch a.example:443"],
  [{ kind: "code", language: "", source: "inline", origin }, "code of any language (inline)"],
  [{ kind: "code", language: "python", source: "inline", detail: "", origin }, "code python (inline)"],
  [{ kind: "file", operation: "write", target: { kind: "unknown", why: "" }, origin }, "write (a path only known at run time)"],
  [{ kind: "exec", program: "", argv: [], env: [], trusted: true, origin }, "exec"],
];

test.each(EMPTY)("%j leaves no blank where a part is empty", (action, printed) => {
  expect(printAction(action)).toBe(printed);
  // As a reason of a run has it.
  expect(`${printAction(action)}: asked`).not.toMatch(/ :|\s\s/);
});

test.each<[error: unknown, code: string, message: string]>([
  [new AggregateError([]), "AggregateError", "AggregateError"],
  [new TypeError(""), "TypeError", "TypeError"],
  [Object.assign(new Error("x"), { code: "" }), "Error", "x"],
  [Object.assign(new Error("x"), { code: "ENOENT" }), "ENOENT", "x"],
  ["", "", "for no reason that is known"],
])("an error that says nothing: %s", (error, code, message) => {
  expect([errorCode(error), messageOf(error)]).toEqual([code, message]);
});
