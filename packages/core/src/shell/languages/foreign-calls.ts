import { distinct, HOME, MAX_SOURCE, type CodeFinding } from "./finding.ts";

const QUOTED = String.raw`(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')`;
const RUNS = String.raw`\b(?:system|shell_exec|passthru|exec|popen|proc_open|execute|spawn|run|sh|shell|shell-command|call-process|do shell script)`;
const DELETES = String.raw`\b(?:unlink|remove|rmtree|rm_rf|rm|rmdir|delete|deltree|delete-file|delete-directory|remove_dir_all|Remove-Item|file\s+delete)`;
const WRITES = String.raw`\b(?:file_put_contents|writefile|Set-Content|Out-File|Add-Content|File\.write|fopen|open)`;

const STARTED = new RegExp(`${RUNS}\\b!?[\\s({[]*((?:${QUOTED}[\\s,]*)+)`, "g");
const BACKTICKS = /`([^`\n]+)`/g;
const EXECUTED = new RegExp(`(${QUOTED})\\s*\\.\\s*execute\\b`, "g");
const MADE = /\$\(shell\s+([^()]*)\)/g;
/** Code or a command that is decoded first. */
const HIDDEN = new RegExp(
  String.raw`\b(?:eval|assert|create_function|system|exec|passthru|shell_exec|popen|load(?:string)?|include_string|iex|` +
    String.raw`Invoke-Expression|do_string)\b[\s({[!@]*(?:[\w.:\\$]+[\s(]+){0,3}?\$?\[?(?:base64_decode|base64decode|gzinflate|` +
    String.raw`gzuncompress|gzdecode|str_rot13|hex2bin|pack|convert_uudecode|strrev|chr|char|string\.char|rawToChar|unescape|` +
    String.raw`FromBase64String|(?:System\.)?Convert\]?::FromBase64String|b64decode|decode64|unhex)\b`,
  "i",
);
/** All variables at once. */
const ENVIRONMENT = new RegExp(
  String.raw`\b(?:print_r|var_dump|var_export|json_encode|implode|foreach|print|echo)\b[^;]*\$_(?:ENV|SERVER)\b(?!\s*\[)|` +
    String.raw`\bgetenv\s*\(\s*\)|\bphpinfo\s*\(|\bSys\.getenv\s*\(\s*\)|\bSystem\.get_?env\s*\(\s*\)|\barray\s+(?:get|` +
    String.raw`names)\s+(?:::)?env\b|\b(?:println|print|show|display|collect|keys|pairs|say|dd?)\b[\s(]*%?\*?ENV\b(?!\s*[[{<])|` +
    String.raw`\b(?:gci|dir|ls|Get-ChildItem|Get-Item)\s+env:`,
  "i",
);
/** A command of an editor or debugger that starts a shell. */
const ESCAPED = /^[\s:%\d,.$]*(?:sil(?:ent)?!?\s+|r(?:ead)?\s*|w(?:rite)?\s+)?(?:!|shell\s)\s*(\S[^]*)$/;
const SAVED = /^[\s:%]*(?:w|wq|write|sav|saveas)!?\s+(?:>>\s*)?([^!\s|][^\s|]*)/;
const DELETED = new RegExp(`${DELETES}\\b[!?]?[\\s({[]*(?:-\\w+[\\s]+)*(${QUOTED}|[/~][^\\s"'()\\[\\]{};,|]*)`, "gi");
const WRITTEN = new RegExp(
  `${WRITES}\\b[\\s(]*(?:-\\w+\\s+)*(${QUOTED})(?:\\s*,\\s*["'][^"']*[wax+]|(?<=(?:put_contents|writefile|Content|File|write)[^"']*${QUOTED}))`,
  "g",
);

/**
 * Code in a language that nobody reads here: calls whose name says what they do, with a text that is written out. Nothing
 * found says nothing; the code stays code. Paths count where they leave the project.
 *
 *     readForeignCalls('system("rm -rf /");')        // shell rm -rf /
 *     readForeignCalls('unlink("/etc/passwd");')     // file delete /etc/passwd
 */
export function readForeignCalls(source: string): CodeFinding[] {
  if (source.length > MAX_SOURCE) return [];
  const findings: CodeFinding[] = [];
  const run = (command: string | undefined): void => {
    if (command !== undefined && command.trim() !== "") findings.push({ does: "shell", command: command.trim() });
  };
  const file = (operation: "delete" | "write", word: string | undefined): void => {
    const path = word === undefined ? "" : unquoted(word).replace(/^~(?=\/|$)/, () => HOME);
    if (path.startsWith("/") || path.startsWith(HOME))
      findings.push({ does: "file", operation, path, ...(operation === "delete" ? { recursive: true as const } : {}) });
  };
  for (const [, list = ""] of source.matchAll(STARTED)) {
    const words = (list.match(new RegExp(QUOTED, "g")) ?? []).map(unquoted);
    run(words.join(" "));
  }
  for (const [, command] of source.matchAll(BACKTICKS)) run(command);
  for (const [, command] of source.matchAll(EXECUTED)) run(unquoted(command ?? ""));
  for (const [, command] of source.matchAll(MADE)) run(command);
  if (HIDDEN.test(source)) findings.push({ does: "limit", why: "the code it runs is made of data" });
  if (ENVIRONMENT.test(source)) findings.push({ does: "environment" });
  run(ESCAPED.exec(source)?.[1]);
  file("write", SAVED.exec(source)?.[1]);
  for (const [, word] of source.matchAll(DELETED)) file("delete", word);
  for (const [, word] of source.matchAll(WRITTEN)) file("write", word);
  return distinct(findings);
}

const unquoted = (word: string): string => (/^["']/.test(word) ? word.slice(1, -1).replace(/\\(.)/g, "$1") : word);
