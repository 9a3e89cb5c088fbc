import { readAwk } from "./awk.ts";
import { showsEnvironment } from "./environment.ts";
import type { CodeFinding, ProgramSurroundings } from "./finding.ts";
import { readJavascript } from "./javascript.ts";
import { readJq, readYq } from "./jq.ts";
import { readLibraryCalls } from "./library-calls.ts";
import type { ScriptLanguage } from "./library-tokens.ts";
import { readPerl } from "./perl.ts";
import { readPython } from "./python.ts";
import { readRuby } from "./ruby.ts";
import { readSed } from "./sed.ts";
import { readAnySql, readSql } from "./sql.ts";

export { fromBase64 } from "./base64.ts";
export type { CodeFinding, ProgramSurroundings } from "./finding.ts";

/**
 * Reads source text; an empty list is a proof that running it is harmless. With `surroundings` a reader may also rely on
 * what the working directory does not hold; without, whatever depends on it is a finding.
 */
export type LanguageReader = (source: string, surroundings?: ProgramSurroundings) => CodeFinding[];

/** Every language we read, by the name that knowledge uses for it. */
export const LANGUAGES: Readonly<Record<string, LanguageReader>> = {
  sed: (source) => readSed(source),
  awk: (source) => readAwk(source),
  jq: (source) => readJq(source),
  yq: (source) => readYq(source),
  sql: (source) => readAnySql(source),
  sqlite: (source) => readSql(source, "sqlite"),
  psql: (source) => readSql(source, "psql"),
  mysql: (source) => readSql(source, "mysql"),
  duckdb: (source) => readSql(source, "duckdb"),
  python: withCalls("python", readPython),
  javascript: withCalls("javascript", readJavascript),
  perl: withCalls("perl", (source) => readPerl(source)),
  // What -F splits lines at.
  "perl-pattern": (source) => (/^(?:[\w ,:;|=/-]|\\[tsd|][+*]?)+$/.test(source) ? [] : readPerl(source)),
  ruby: withCalls("ruby", (source) => readRuby(source)),
};

/**
 * A reader that understands all of a program says all that it does; of one that is not understood, what it does through
 * its standard library is said beside it.
 */
function withCalls(language: ScriptLanguage, read: LanguageReader): LanguageReader {
  return (source, surroundings) => {
    const findings = read(source, surroundings);
    const isOpen = findings.some(({ does }) => does === "code" || does === "unknown");
    if (!isOpen) return findings;
    const shows: readonly CodeFinding[] = showsEnvironment(source) ? [{ does: "environment" }] : [];
    return [...findings, ...readLibraryCalls(language, source), ...shows];
  };
}
