import type { Finding } from "./finding.ts";
import { unknown } from "./limits.ts";
import { SHOWING_COMMANDS } from "./sql-names.ts";
import type { SqlDialect } from "./sql-tokens.ts";

/** What a command of the client itself does: `.shell id`, `\copy t to 'f'`. */
export function readClientCommand(line: string, dialect: SqlDialect): Finding[] {
  if (dialect === "psql") return backslash(line);
  if (dialect === "mysql") return mysql(line);
  return dot(line);
}

const write = (path: string): Finding => ({ does: "file", operation: "write", path });
const read = (path: string): Finding => ({ does: "file", operation: "read", path });

/** The words of a command line; undefined when quotes or escapes make them uncertain. */
function parts(line: string): readonly string[] | undefined {
  const found = line.match(/'[^'\\]*'|"[^"\\]*"|[^\s'"\\]+/g) ?? [];
  const rest = line.replaceAll(/'[^'\\]*'|"[^"\\]*"|[^\s'"\\]+/g, "");
  return rest.trim() === "" ? found.map((word) => word.replace(/^(['"])(.*)\1$/, "$2")) : undefined;
}

/** A file to write, or a command in a pipe: `raw` is the command as the client passes it on. */
function sink(target: string | undefined, raw: string | undefined): Finding[] {
  if (target === undefined || target === "stdout" || target === "off") return [];
  if (target.startsWith("|")) return [raw === undefined ? unknown("it runs a command") : { does: "shell", command: raw }];
  return target.startsWith("-") ? [unknown("it opens its output in another program")] : [write(target)];
}

function dot(line: string): Finding[] {
  const rest = line.replace(/^\.\w+\s*/, "");
  const words = parts(line);
  const [command = "", first, second] = words ?? [line.split(/\s/, 1)[0] ?? line];
  // A pipe of several words is joined again without its quotes.
  const pipe = second === undefined ? first?.slice(1) : undefined;
  if (command === ".shell" || command === ".system")
    return [words !== undefined && rest !== "" ? { does: "shell", command: rest } : unknown("it runs a command")];
  if (words === undefined) return [unknown(`the client command ${command}`)];
  switch (command) {
    case ".import":
      if (first === undefined || first.startsWith("-") || second === undefined) return [unknown("the client command .import")];
      return [
        first.startsWith("|") ? { does: "shell", command: first.slice(1) } : read(first),
        { does: "change", detail: `imports into ${second}` },
      ];
    case ".output":
    case ".once":
      return sink(first, pipe);
    case ".save":
    case ".backup":
      return second === undefined && first !== undefined && !first.startsWith("-")
        ? [write(first)]
        : [unknown(`the client command ${command}`)];
    case ".read":
      if (first?.startsWith("|") === true) return sink(first, pipe);
      return [{ does: "code", language: "sql", detail: `.read ${first ?? ""}` }];
    case ".load":
      return [{ does: "code", language: "sqlite", detail: `.load ${first ?? ""}` }];
    case ".open":
      return first !== undefined && !first.startsWith("-")
        ? [{ does: "file", operation: "edit", path: first }]
        : [unknown("the client command .open")];
    case ".log":
    case ".trace":
      return sink(first, pipe);
    default:
      return SHOWING_COMMANDS.dot.has(command) ? [] : [unknown(`the client command ${command}`)];
  }
}

function backslash(line: string): Finding[] {
  const command = /^\\(?:[A-Za-z]+\+?|[!?])/.exec(line)?.[0] ?? line.slice(0, 2);
  const rest = line.slice(command.length).trim();
  if (command === "\\!") return [rest === "" ? unknown("it starts a shell") : { does: "shell", command: rest }];
  // psql runs what stands in backquotes, and reads another command after a backslash.
  if (/[`\\:]/.test(rest)) return [unknown(`what follows ${command}`)];
  const words = parts(rest);
  const [first] = words ?? [];
  switch (command) {
    case "\\copy":
      return copy(rest);
    case "\\o":
    case "\\out":
    case "\\g":
    case "\\gx":
      return words === undefined ? [unknown(`what follows ${command}`)] : sink(first, rest.slice(1));
    case "\\w":
    case "\\write":
    case "\\s":
      return sink(first, rest.slice(1));
    case "\\i":
    case "\\include":
    case "\\ir":
      return [{ does: "code", language: "sql", detail: `\\i ${first ?? ""}` }];
    case "\\c":
    case "\\connect":
      return [{ does: "net", host: undefined }];
    default:
      return SHOWING_COMMANDS.backslash.has(command) ? [] : [unknown(`the client command ${command}`)];
  }
}

function copy(rest: string): Finding[] {
  if (rest.length > 1000) return [unknown("the client command \\copy")];
  const match = /^(?:[\w."]+\s*(?:\([\w\s,"]*\))?|\([^;'"]*\))\s+(from|to)\s+(program\s+)?('[^']*'|[^\s';(]+)(?:\s|$)/i.exec(rest);
  const target = match?.[3]?.replaceAll("'", "");
  if (match === null || target === undefined) return [unknown("the client command \\copy")];
  const into: Finding[] = match[1]?.toLowerCase() === "from" ? [{ does: "change", detail: "copies into a table" }] : [];
  if (match[2] !== undefined) return [{ does: "shell", command: target }, ...into];
  if (/^p?std(in|out)$/i.test(target)) return into;
  return into.length > 0 ? [read(target), ...into] : [write(target)];
}

function mysql(line: string): Finding[] {
  const rest = line.slice(2).trim();
  switch (line.charAt(1)) {
    case "!":
      return [rest === "" ? unknown("it starts a shell") : { does: "shell", command: rest.replace(/;$/, "") }];
    case ".":
      return [{ does: "code", language: "sql", detail: `source ${rest}` }];
    case "T":
      return [rest === "" ? unknown("the client command \\T") : write(rest)];
    case "P":
      return [rest === "" ? unknown("the client command \\P") : { does: "shell", command: rest }];
    case "g":
    case "G":
    case "c":
    case "q":
    case "s":
    case "h":
    case "?":
      return rest === "" ? [] : [unknown(`what follows ${line.slice(0, 2)}`)];
    default:
      return [unknown(`the client command ${line.slice(0, 2)}`)];
  }
}
