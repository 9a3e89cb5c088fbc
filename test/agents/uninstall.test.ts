import { describe, expect, test } from "vitest";
import { AGENT_IDS, agentNamed } from "@assent/hosts/agents";
import { withEntries, withoutEntries } from "../../packages/hosts/src/agents/install/entries.ts";
import { installPlace } from "../../packages/hosts/src/agents/install/place.ts";
import type { Registration } from "../../packages/hosts/src/agents/host/agent.ts";
import { thisMachine } from "@assent/guard/state";

/**
 * Installed, changed by hand, uninstalled: what is left is what the same change by hand would have made of the file as it
 * was. No line is joined with another, no comment goes, line ends stay. For every host that keeps hooks in a file of others.
 */

type Entries = Extract<Registration, { readonly is: "entries" }>;

const machine = { ...thisMachine(), home: "/home/you", env: {} };
const HOSTS = AGENT_IDS.flatMap((id): readonly (readonly [string, Entries])[] =>
  (agentNamed(id)?.setup?.registrations(installPlace(id, { node: "/n/node", folder: "/a/dist" }, machine, undefined)) ?? []).flatMap(
    (one) => (one.is === "entries" && one.format === "json" ? [[id, one]] : []),
  ),
);

/** What a person has there. `LIST` is the list in which Assent registers, with somebody else's entry. */
const LAYOUTS: Readonly<Record<string, (list: string) => string>> = {
  "usual layout": () => '{\n  "model": "x",\n  "z": 1\n}\n',
  comments: () => '{\n  // mine\n  "model": "x", // of choice\n  /* last */\n  "z": [1, 2]\n}\n',
  "one line": () => '{ "model": "x", "z": 1 }\n',
  "no blanks": () => '{"model":"x","z":1}',
  "tabs and a comma at the end": () => '{\n\t"model": "x",\n\t"z": 1,\n}\n',
  "nothing in it": () => "{}\n",
  "nothing in it, on two lines": () => "{\n}\n",
  "a comment alone": () => "{\n  // nothing yet\n}\n",
  "blank lines": () => '{\n\n  "model": "x",\n\n  "z": 1\n\n}\n\n',
  "somebody else's hooks": (list) => `{\n  "z": 1,\n  ${list}\n}\n`,
  "somebody else's hooks first": (list) => `{\n  ${list},\n  // about z\n  "z": 1\n}\n`,
};

/** By hand, afterwards. Each leaves a text of JSON5 as it was one. */
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  "a line in front": (text) => `// written by hand\n${text}`,
  "a line behind": (text) => `${text.replace(/\n*$/, "\n")}// the end\n`,
  "a key first": (text) => text.replace("{", '{\n  "byHand": true,'),
  "a key first, on the line": (text) => text.replace("{", '{ "byHand": true,'),
  "a comment first": (text) => text.replace("{", "{ // by hand\n"),
  "a comment before the end": (text) => text.replace(/\}(?=\s*$)/, "// by hand\n}"),
  "another value": (text) => text.replace('"z": 1', '"z": {\n    "deep": [1] // by hand\n  }'),
};

function listOf({ entries: [first] }: Entries): string {
  const path = first?.list ?? [];
  return path.reduceRight<string>((inner, key, at) => {
    const value = at === path.length - 1 ? '[\n    { "other": true } // theirs\n  ]' : `{ ${inner} }`;
    return `${JSON.stringify(key)}: ${value}`;
  }, "");
}

/** Of `{}` these make another text than of one that holds something. */
const OF_NOTHING: ReadonlySet<string> = new Set(["a key first", "a key first, on the line", "a comment before the end"]);

const CASES = HOSTS.flatMap(([id, registration]) =>
  Object.keys(LAYOUTS).flatMap((layout) =>
    Object.keys(EDITS)
      .filter((edit) => layout !== "nothing in it" || !OF_NOTHING.has(edit))
      .map((edit) => ({ id, layout, edit, registration })),
  ),
);

describe("only what is ours goes", () => {
  test.each(HOSTS.map(([id, registration]) => ({ id, registration })))("$id", ({ registration }) => {
    const wrong: string[] = [];
    for (const { layout, edit } of CASES.filter((one) => one.registration === registration))
      for (const end of ["\n", "\r\n"]) {
        // A key that the host needs stays for the entries of others: it is there from the start.
        const needed = (registration.keys ?? [])
          .map(({ path, value }) => ` ${JSON.stringify(path[0])}: ${JSON.stringify(value)},`)
          .join("");
        const before = (LAYOUTS[layout]?.(listOf(registration)) ?? "").replace("{", `{${needed}`).replaceAll("\n", end);
        const change = (text: string): string => (EDITS[edit]?.(text.replaceAll("\r\n", "\n")) ?? "").replaceAll("\n", end);
        const installed = withEntries(before, registration);
        if (installed.is !== "text") throw new Error(`${layout}: ${installed.why}`);
        const left = withoutEntries(change(installed.text), registration);
        const text = left.is === "text" ? left.text : left.why;
        const expected = change(before);
        if (!holdsLines(text, expected, end)) wrong.push(`${layout}, ${edit}, ${JSON.stringify(end)}:\n${text}\n--- expected\n${expected}`);
      }
    expect(wrong).toEqual([]);
  });
});

/** Every line is there, in its order, none joined with another; an object that is empty again may have lost its blanks. */
function holdsLines(text: string, expected: string, end: string): boolean {
  if (end === "\r\n" && /[^\r]\n|\r(?!\n)/.test(text)) return false;
  const lines = (of: string): readonly string[] =>
    of
      .replace(/\{\s*\}/g, "{}")
      .split(end)
      .map((line) => line.trim().replace(/,$/, ""))
      .filter((line) => line !== "");
  return JSON.stringify(lines(text)) === JSON.stringify(lines(expected));
}
