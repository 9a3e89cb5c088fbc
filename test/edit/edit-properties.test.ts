import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, edit, type Edit, type Edited } from "@assent/core/edit";
import { type Json, type Path, readJson5 } from "@assent/core/edit/json5";
import { findNode } from "../../packages/core/src/edit/edit.ts";
import { at, meaning, places, text, value } from "./random.ts";

const RUNS = Number(process.env["EDIT_RUNS"] ?? 1500);

const comments = (source: string): string[] => source.match(/c\d+;/g) ?? [];

function done(source: string, change: Edit): Edited {
  const edited = edit(source, change);
  if (!edited.ok) throw new Error(`${JSON.stringify(change)} of ${JSON.stringify(source)}: ${edited.code}: ${edited.message}`);
  return edited;
}

/** An edit that fits the document, and what the document shall say then, worked out by plain assignments. */
function chosen(root: Json, pick: number, kind: number, put: Json): readonly [Edit, Json] {
  const all = places(root);
  const path = all[pick % all.length] ?? [];
  const copy = structuredClone(root);
  const here = at(copy, path);
  const owner = at(copy, path.slice(0, -1)) as unknown;
  const step = path.at(-1);
  if (Array.isArray(here) && kind % 4 < 2) {
    const index = (pick * 7) % (here.length + 1);
    here.splice(index, 0, put);
    const last = index === here.length - 1;
    const place =
      last && (index === 0 || pick % 2 === 0) ? "end" : index > 0 && (last || kind % 2 === 0) ? { after: index - 1 } : { before: index };
    return [{ do: "insert", list: path, place, value: put }, copy];
  }
  if (typeof here === "object" && here !== null && !Array.isArray(here) && kind % 4 === 0) {
    let fresh = "new";
    while (Object.hasOwn(here, fresh)) fresh += "0";
    const keys = [fresh, "a", "k\u00e9", "w x"].slice(0, 1 + (pick % 3));
    const inner = keys.slice(1).reduceRight<Json>((held, key) => ({ [key]: held }), put);
    (here as Record<string, Json>)[fresh] = inner;
    return [{ do: "set", path: [...path, ...keys], value: put }, copy];
  }
  if (step !== undefined && kind % 2 === 1) {
    if (Array.isArray(owner)) owner.splice(Number(step), 1);
    else delete (owner as Record<string, Json>)[String(step)];
    return [{ do: "remove", path }, copy];
  }
  if (step === undefined) return [{ do: "replace", path, value: put }, put];
  (owner as Record<string | number, Json>)[step] = put;
  return [{ do: kind % 4 === 2 && typeof step === "string" ? "set" : "replace", path, value: put }, copy];
}

const choice = fc.tuple(fc.nat(1000), fc.nat(3), value);

describe("any edit of any document", () => {
  test("says exactly what was asked, to another reader too; undone, it is byte-identical", () => {
    fc.assert(
      fc.property(text, fc.array(choice, { minLength: 1, maxLength: 6 }), (source, choices) => {
        let now = source;
        const undos: { readonly patch: Edited["undo"]; readonly before: string }[] = [];
        for (const [pick, kind, put] of choices) {
          const root = meaning(now);
          if (typeof root !== "object" || root === null) break;
          const [change, expected] = chosen(root, pick, kind, put);
          const edited = done(now, change);
          expect(meaning(edited.text)).toEqual(expected);
          expect(edited.value).toEqual(expected);
          expect(Object.is(edited.text, applyPatch(now, edited.patch))).toBe(true);
          undos.push({ patch: edited.undo, before: now });
          now = edited.text;
        }
        for (const { patch, before } of undos.toReversed()) {
          now = applyPatch(now, patch) ?? "the undo does not fit";
          expect(now).toBe(before);
        }
        expect(now).toBe(source);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  test("every comment outside survives, in order; a removal takes only comments on its line or directly above", () => {
    fc.assert(
      fc.property(text, choice, (source, [pick, kind, put]) => {
        const [change] = chosen(meaning(source), pick, kind, put);
        const edited = done(source, change);
        const before = comments(source);
        const after = comments(edited.text);
        const lost = before.filter((comment) => !after.includes(comment));
        expect(after).toEqual(before.filter((comment) => !lost.includes(comment)));
        for (const comment of lost) expect([change, comment, mayGo(source, change, comment)]).toEqual([change, comment, true]);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);

  test("what is put in and taken out again takes no comment along, unless it stands alone on one line with it", () => {
    fc.assert(
      fc.property(text, choice, (source, [pick, , put]) => {
        // Behind a comma that stands apart from its value, or on the last line of another comment,
        // nobody can say what a comment speaks of.
        fc.pre(!/(?:\n|\*\/)[^\S\n]*,|\n c\d+; \*\/[^\S\n]*\S/.test(source));
        const root = meaning(source);
        const [change] = chosen(root, pick, 0, put);
        if (change.do !== "insert" && (change.do !== "set" || !String(change.path.at(-1)).startsWith("new"))) return;
        const edited = done(source, change);
        const path: Path =
          change.do === "set"
            ? change.path
            : [
                ...change.list,
                change.place === "end"
                  ? (at(root, change.list) as readonly Json[]).length
                  : "before" in change.place
                    ? change.place.before
                    : change.place.after + 1,
              ];
        const back = done(edited.text, { do: "remove", path });
        const lost = comments(source).filter((comment) => !comments(back.text).includes(comment));
        expect([lost, lost.length === 0 || /[[{][ \t\u00a0]*\/\*[^\n]*\*\/[ \t\u00a0]*[\]}]/.test(source)]).toEqual([lost, true]);
        expect(meaning(back.text)).toEqual(root);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});

/** The rule, said once more without the code that keeps it: inside the node, on its lines, or in the block right above. */
function mayGo(source: string, change: Edit, id: string): boolean {
  if (change.do === "insert") return false;
  const { root } = readJson5(source);
  const found = root === undefined ? undefined : findNode(root, change.path);
  if (found?.ok !== true || root === undefined) return false;
  const { node } = found;
  const owner = findNode(root, change.path.slice(0, -1));
  const key = owner.ok && owner.node.kind === "object" ? owner.node.members.find(({ value: own }) => own === node)?.keyStart : undefined;
  const start = change.do === "remove" ? (key ?? node.start) : node.start;
  const token = /\/\*[^]*?\*\/|\/\/[^\n\r]*|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'/g;
  const comment = [...source.matchAll(token)].find(([text]) => text.startsWith("/") && text.includes(id));
  if (comment === undefined) return false;
  const end = comment.index + comment[0].length;
  if (comment.index > start && end < node.end) return true;
  if (change.do !== "remove") return false;
  if (end <= start) {
    const between = source
      .slice(end, start)
      .replace(/\/\*[^]*?\*\/|\/\/[^\n\r]*/g, "x")
      .replaceAll("\r\n", "\n");
    return /^[\sx]*$/.test(between) && !/\n\s*\n/.test(between);
  }
  return /^[\t \u00a0,]*$/.test(source.slice(node.end, comment.index).replace(/\/\*.*?\*\//g, ""));
}
