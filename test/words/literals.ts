import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { sourceFiles } from "../sources.ts";

/** A text of the source, with `X` for what is put in. */
export interface Literal {
  readonly place: string;
  readonly text: string;
}

const ROOT = join(import.meta.dirname, "../..");

/** Scripts, and words of other programs: nothing of them is told to anybody. */
const NOT_TOLD = new RegExp(
  "^(?:cli/(?:completion|wrap-launcher|demo-run)\\.ts|suggest/past\\.ts|" +
    "shell/languages/(?:library-names|perl|ruby)\\.ts|shell/programs/(?:sizes|analyse/text-tools)\\.ts|policy/tables/protected-paths\\.ts)",
);

/** `cat dd tee …`: a list of names. */
const isList = (text: string): boolean => /^[\s\w.:[\]-]{100,}$/.test(text) && !/\b(?:the|a|is|to|of)\b/.test(text);

/** What the team server asks its database. */
const isSql = (text: string): boolean => /^\s*(?:select|insert into|update \w+(?: \w+)? set|delete from|with \w+ as)\b/.test(text);

/** Every text of the source that reads like a sentence or a part of one. */
export function proseLiterals(): readonly Literal[] {
  const files = sourceFiles().filter(({ name }) => /\.tsx?$/.test(name) && !NOT_TOLD.test(name));
  return files.flatMap(({ path }) => {
    const text = readFileSync(path, "utf8");
    const lineAt = (at: number): number => text.slice(0, at).split("\n").length;
    return literalsOf(parseSync(path, text).program)
      .filter(({ value }) => /\p{L}{2,} [\p{L}X]/u.test(value) && !isList(value) && !isSql(value))
      .map(({ at, value }) => ({ place: `${relative(ROOT, path)}:${lineAt(at)}`, text: value }));
  });
}

interface Found {
  readonly at: number;
  readonly value: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function literalsOf(node: unknown): readonly Found[] {
  if (Array.isArray(node)) return node.flatMap(literalsOf);
  if (!isRecord(node)) return [];
  const { type, start } = node;
  if (type === "ImportDeclaration" || type === "TSLiteralType" || type === "TaggedTemplateExpression") return [];
  const at = typeof start === "number" ? start : 0;
  const inside = Object.values(node).flatMap(literalsOf);
  // What stands between the tags of the page, as one line.
  if (type === "JSXText" && typeof node["value"] === "string") return [{ at, value: node["value"].replace(/\s+/g, " ").trim() }];
  if (type === "Literal" && typeof node["value"] === "string") return [{ at, value: node["value"] }];
  if (type !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return inside;
  const parts = node["quasis"].map((part: unknown) =>
    isRecord(part) && isRecord(part["value"]) && typeof part["value"]["cooked"] === "string" ? part["value"]["cooked"] : "",
  );
  return [{ at, value: parts.join("X") }, ...inside];
}
