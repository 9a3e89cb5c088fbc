import { type DangerId, DATABASE_FILE } from "../../action/index.ts";
import { HOME, type CodeFinding } from "../languages/finding.ts";
import { resolvePath } from "../../path/index.ts";
import { readForeignCalls } from "../languages/foreign-calls.ts";
import { LANGUAGES } from "../languages/index.ts";
import { applyEffect } from "./effects.ts";
import { describe, doubt, emitFile, refuse, type Invocation } from "./invocation.ts";
import { nameWords } from "./named-paths.ts";
import { surroundingsOf } from "./surroundings.ts";
import { holeOf, isHole, isNetwork, literal, patternAtoms, textOf, unknown, type Stream, type Value } from "../words/value.ts";
import { sharedInput } from "../words/input.ts";

/** Languages that only say what a program does to its input: what they hide is a doubt, not a program of its own. */
const SMALL: ReadonlySet<string> = new Set(["sed", "awk", "jq", "yq", "sql", "sqlite", "psql", "mysql", "duckdb"]);

/** Source given on the command line, in a language we read or not. */
export function inlineCode(inv: Invocation, language: string, value: Value, foreign: boolean): void {
  const text = textOf(value) ?? (language === "sed" ? withNumbers(value) : undefined);
  const reader = LANGUAGES[language];
  const isScript = SMALL.has(language);
  if (language === "shell" || language === "sh") {
    inv.run.script(inv.cx, inv.state, value, inv.stdin, { span: inv.span });
    return;
  }
  if (text === undefined && isScript) {
    refuse(inv, `the ${language} program is only known at run time: ${describe(value)}`, "write it out");
    return;
  }
  if (text === undefined || reader === undefined || foreign) {
    const network = value.atoms.some((atom) => typeof atom !== "string" && "hole" in atom && atom.network === true);
    if (network) inv.cx.addDanger(inv.exec, "download-exec");
    addCode(inv, language, text === undefined ? "data" : "inline", text ?? describe(value), foreign);
    if (text !== undefined && reader === undefined) applyFindings(inv, language, readForeignCalls(text), text);
    nameWords(inv.cx, inv.exec, [value], inv.places);
    return;
  }
  const findings = reader(text, surroundingsOf(inv, language));
  applyFindings(inv, language, findings, text);
  // What is not understood may open whatever it names.
  if (findings.some(({ does }) => does === "code" || does === "unknown")) nameWords(inv.cx, inv.exec, [value], inv.places);
}

/** A sed program with numbers made at run time: which digits they are changes nothing, unless they become a delimiter. */
function withNumbers(value: Value): string | undefined {
  if (value.many || !value.atoms.every((atom) => typeof atom === "string" || (isHole(atom) && atom.number === true))) return undefined;
  const text = value.atoms.map((atom) => (typeof atom === "string" ? atom : "7")).join("");
  return /[sy\\]\d/.test(text) ? undefined : text;
}

export function addCode(
  inv: Invocation,
  language: string,
  source: "inline" | "file" | "project" | "data",
  detail: string | undefined,
  foreign = false,
): void {
  inv.cx.add({
    kind: "code",
    language,
    source,
    ...(detail === undefined ? {} : { detail: detail.slice(0, 400) }),
    ...(foreign ? { foreign: true } : {}),
    origin: { by: "command", exec: inv.exec },
    ...(inv.span === undefined ? {} : { span: inv.span }),
  });
}

export function applyFindings(inv: Invocation, language: string, findings: readonly CodeFinding[], text: string): void {
  let code = false;
  for (const finding of findings) {
    switch (finding.does) {
      case "shell":
        if (SMALL.has(language)) {
          inv.run.script(inv.cx, inv.state, literal(finding.command), sharedInput(inv.stdin), { span: inv.span });
          doubt(inv, `the ${language} program runs a command`);
        } else startedByCode(inv, finding.command);
        break;
      case "file":
        emitFile(inv, finding.operation, pathIn(inv, finding), finding.recursive);
        break;
      case "code":
        if (!code) addCode(inv, finding.language, "inline", finding.detail);
        code = true;
        break;
      case "net":
        inv.cx.add({ kind: "net", operation: "connect", host: finding.host, port: undefined, origin: { by: "command", exec: inv.exec } });
        break;
      case "environment":
        applyEffect(inv, { is: "environment" });
        break;
      case "secrets":
        applyEffect(inv, { is: "secrets" });
        break;
      case "change":
      case "destroy":
        inv.cx.add({
          kind: "remote",
          service: language === "sqlite" ? DATABASE_FILE : "database",
          operation: finding.does,
          origin: { by: "command", exec: inv.exec },
          ...(finding.does === "destroy" ? { dangers: [destroys(language, finding.whole === true)] } : {}),
        });
        break;
      case "limit":
        inv.cx.unknown(finding.why, { span: inv.span, help: "write the code to a file, read it, then run the file" });
        break;
      case "unknown":
        if (SMALL.has(language)) doubt(inv, `cannot tell what the ${language} program does: ${finding.why}`);
        else if (!code) {
          addCode(inv, language, "inline", text);
          code = true;
        }
        break;
    }
  }
}

/** What code starts is covered by what covers the code: who allows `python3 -c` allows any of it, but for what is denied. */
function startedByCode(inv: Invocation, command: string): void {
  const { cx } = inv;
  const before = cx.actions.length;
  inv.run.script(cx, inv.state, literal(command), sharedInput(inv.stdin), { span: inv.span });
  for (let at = before; at < cx.actions.length; at += 1) {
    const action = cx.actions[at];
    if (action?.kind === "exec" && action.runner === undefined) cx.actions[at] = { ...action, runner: inv.exec };
  }
}

/** A path as code has it: below the home folder, or a pattern of Python's glob. */
function pathIn({ cx }: Invocation, { path, glob, unknown: hidden }: Extract<CodeFinding, { does: "file" }>): Value {
  if (hidden === true) return unknown("a path that the code finds");
  const whole = path.replaceAll(HOME, cx.world.home);
  if (glob !== true) return literal(whole);
  return { atoms: patternAtoms(whole), many: true };
}

/** A file that is open already, here or in another process. */
export const isDescriptor = (path: string | undefined): boolean =>
  path !== undefined && /^\/(dev\/(fd\/|std)|proc\/[^/]+\/fd\/)/.test(path);

/** A script file given to an interpreter. Its content is not read: project code is the host's question. */
export function scriptFile(inv: Invocation, language: string, value: Value): void {
  const pipe = holeOf(value)?.pipe;
  const text = textOf(value);
  if (pipe !== undefined || text === "-" || text === "/dev/stdin" || text === "/dev/fd/0") {
    codeFromStream(inv, language, pipe ?? inv.stdin, { reader: inv.name });
    return;
  }
  if (isDescriptor(text)) codeFromStream(inv, language, { is: "unknown", why: `what is open as ${text ?? ""}`, network: false });
  emitFile(inv, "read", value);
  addCode(inv, language, text === undefined ? "data" : "file", text ?? describe(value));
  if (text !== undefined && /sql|duckdb/.test(language)) readQueries(inv, language, text);
}

/** What a file of queries destroys: where that happens nobody sees it, nor takes it back. */
function readQueries(inv: Invocation, language: string, file: string): void {
  for (const place of inv.places) {
    const text = place.is === "at" ? inv.cx.world.text?.(resolvePath(place.path, file)) : undefined;
    const findings = text === undefined ? undefined : LANGUAGES[language]?.(text, surroundingsOf(inv, language));
    applyFindings(inv, language, findings?.filter(({ does }) => does === "destroy") ?? [], "");
  }
}

/** An interpreter whose program arrives through a pipe. */
export function codeFromStream(
  inv: Invocation,
  language: string,
  stream: Stream,
  given: { readonly positional?: readonly Value[]; readonly reader?: string } = {},
): void {
  const { positional = [unknown("the arguments of a script", true)] } = given;
  if (isNetwork(stream)) inv.cx.addDanger(inv.exec, "download-exec");
  const isShell = language === "sh" || language === "shell";
  if (stream.is === "text") {
    if (isShell) inv.run.script(inv.cx, inv.state, stream.value, sharedInput(stream), { ...given, span: inv.span, positional });
    else inlineCode(inv, language, stream.value, false);
    return;
  }
  if (stream.is === "none" && !isShell) {
    addCode(inv, language, "data", "standard input");
    return;
  }
  const why = stream.is === "none" ? "standard input" : stream.is === "paths" ? "a list of paths" : stream.why;
  refuse(inv, `${inv.name} runs code that is only known at run time: ${why}`, "write the code to a file, read it, then run the file");
}

const destroys = (language: string, whole: boolean): DangerId =>
  language === "sqlite" ? "data-destroy" : whole ? "data-wipe" : "remote-destroy";
