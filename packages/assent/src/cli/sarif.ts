import { hexDigest } from "@assent/guard/state";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { visible } from "@assent/core/action";

import { CODES, type Finding, type Severity } from "@assent/guard/lint";
import { isWithin, relativePath } from "@assent/core/path";
import { VERSION } from "./program-frame.ts";

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };
const RULES = Object.entries(CODES);

/**
 * The findings of `assent lint` in the format that code hosts show beside the lines (SARIF 2.1.0). `root`: what the paths of
 * the project's files start from; other files are named whole.
 */
export function sarifOf(findings: readonly Finding[], root: string): string {
  const columnsOf = columnReader();
  const log = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "assent", version: VERSION, rules: RULES.map(ruleOf) } },
        originalUriBaseIds: { ROOT: { uri: `${pathToFileURL(root).href.replace(/\/$/, "")}/` } },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, root, columnsOf(finding))),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function ruleOf([code, { severity, title }]: (typeof RULES)[number]): Record<string, unknown> {
  const text = `${code}: ${title}. \`assent lint\` says with each finding what to write instead; docs/lint.md explains the code.`;
  return {
    id: code,
    name: code,
    shortDescription: { text: title },
    fullDescription: { text: `Assent: ${title}.` },
    help: { text, markdown: text.replace(code, `**${code}**`) },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: ["security"], precision: "high" },
  };
}

function resultOf({ code, severity, file, line, column, rule, message, help }: Finding, root: string, end: number | undefined): object {
  const said = `${rule === "" ? "" : `${visible(rule)}: `}${visible(message)}${help === undefined ? "" : ` (${visible(help)})`}`;
  return {
    ruleId: code,
    ruleIndex: RULES.findIndex(([id]) => id === code),
    level: LEVELS[severity],
    message: { text: said },
    locations: [
      {
        physicalLocation: {
          artifactLocation: isWithin(file, root)
            ? { uri: encodePath(relativePath(root, file)), uriBaseId: "ROOT" }
            : { uri: pathToFileURL(file).href },
          region: { startLine: line, startColumn: column, ...(end === undefined ? {} : { endLine: line, endColumn: end }) },
        },
      },
    ],
    // The same rule with the same finding is the same, wherever it has moved to in the file.
    partialFingerprints: { "assentFinding/v1": hexDigest(`${code}\0${rule}\0${message}`).slice(0, 32) },
  };
}

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Where the text at a place ends, for the files that are there: a string at its closing quote, else the line. */
function columnReader(): (finding: Finding) => number | undefined {
  const files = new Map<string, readonly string[]>();
  return ({ file, line, column }) => {
    if (!files.has(file)) {
      try {
        files.set(file, readFileSync(file, "utf8").split(/\r\n|\n|\r/));
      } catch {
        files.set(file, []);
      }
    }
    const text = files.get(file)?.[line - 1]?.slice(column - 1);
    if (text === undefined || text === "") return undefined;
    const [string] = /^"(?:[^"\\]|\\.)*"|^'(?:[^'\\]|\\.)*'/.exec(text) ?? [];
    return column + (string ?? text.trimEnd()).length;
  };
}
