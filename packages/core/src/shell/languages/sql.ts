import { distinct, unknown, type CodeFinding } from "./finding.ts";
import {
  FILE_READERS,
  FUNCTIONS,
  READ_PRAGMAS,
  SETTING_PRAGMAS,
  SHOWING_COMMANDS,
  sqlStatements,
  type SqlDialect,
  type SqlToken,
} from "./sql-tokens.ts";

export type { SqlDialect } from "./sql-tokens.ts";

type Statement = readonly SqlToken[];

const CHANGES = new Set(
  (
    "insert update replace merge upsert create alter grant revoke comment reindex analyze vacuum cluster refresh rename " +
    "optimize repair restore lock reset checkpoint"
  ).split(" "),
);
const DESTROYS = new Set("drop truncate delete purge".split(" "));
/** Statements that only control the session or a transaction. */
const SESSION = new Set("begin commit rollback end start savepoint release detach use abort".split(" "));

/** Tables of servers that hold passwords or their hashes, and logins to other servers. */
const SECRET_TABLES = new Set(
  (
    "pg_authid pg_shadow pg_user_mapping pg_user_mappings user_mapping_options _pg_user_mappings pg_subscription global_priv " +
    "slave_master_info slave_relay_log_info"
  ).split(" "),
);
/** In MySQL's own database only: applications have such tables, too. */
const SECRET_TABLES_OF_MYSQL = new Set("user servers db_user password_history".split(" "));
const SECRET_NAMES = new Set("authentication_string rolpassword subconninfo umoptions srvpassword primary_conninfo".split(" "));
/** What a question about such a table may name. */
const PLAIN_NAMES = new Set(
  (
    "select distinct from where order group by and or not is null like in asc desc limit count true false on off host user plugin " +
    "usename usesysid usesuper usecreatedb valuntil rolname rolsuper rolcanlogin rolinherit rolcreatedb rolcreaterole rolreplication " +
    "rolvaliduntil oid subname subenabled subowner srvname account_locked password_expired max_connections mysql pg_catalog"
  ).split(" "),
);

/**
 * What SQL text, as given to a database's command-line client, does besides reading.
 *
 *     readSql("select count(*) from t", "sqlite")   // []
 *     readSql("delete from t", "psql")              // destroy
 *     readSql(".shell id", "sqlite")                // shell: id
 */
export function readSql(source: string, dialect: SqlDialect): CodeFinding[] {
  const statements = sqlStatements(source, dialect);
  if (typeof statements === "string") return [unknown(`SQL with ${statements}`)];
  return distinct(
    statements.flatMap((statement) => {
      const meta = statement.at(-2);
      if (meta?.kind !== "meta") return readStatement(statement, dialect);
      const before = statement.length > 2 ? readStatement([...statement.slice(0, -2), { kind: "end", text: "" }], dialect) : [];
      return [...before, ...readClientCommand(meta.text, dialect)];
    }),
  );
}

/** SQL for a client whose dialect is not known: what it does in any of them. */
export function readAnySql(source: string): CodeFinding[] {
  if (/^\s*\./.test(source) && !source.trim().includes("\n")) return readSql(source, "sqlite");
  if (/^\s*\\/.test(source) && !source.trim().includes("\n"))
    return distinct([...readSql(source, "psql"), ...readSql(source, "mysql").filter((f) => f.does !== "unknown")]);
  const dialects: readonly SqlDialect[] = ["sqlite", "psql", "mysql", "duckdb"];
  return distinct(dialects.flatMap((dialect) => readSql(source, dialect)));
}

function word(statement: Statement, i: number): string {
  const token = statement[i];
  return token?.kind === "word" ? token.text : "";
}

function detail(statement: Statement): string {
  return statement
    .slice(0, 6)
    .map((token) => token.text)
    .join(" ")
    .trim();
}

function readStatement(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  const first = word(statement, 0);
  const has = (text: string): boolean => statement.some((token) => token.kind === "word" && token.text === text);
  if (SESSION.has(first)) {
    if (first === "use" && statement[1]?.text.toLowerCase() === "mysql") return [{ does: "secrets" }];
    const plain = statement.length <= 6 && !has("prepared") && (first !== "start" || word(statement, 1) === "transaction");
    return plain ? [] : [unknown(`the statement ${detail(statement)}`)];
  }
  if (CHANGES.has(first)) {
    const file = first === "vacuum" ? statement.find((token) => token.kind === "string") : undefined;
    const copy: CodeFinding[] = file === undefined ? [] : [{ does: "file", operation: "write", path: file.text }];
    return [{ does: "change", detail: detail(statement) }, ...copy, ...reach(statement, dialect)];
  }
  if (DESTROYS.has(first)) {
    const said = detail(statement);
    const does: CodeFinding =
      first === "delete" && has("where") ? { does: "change", detail: said } : { does: "destroy", detail: said, ...wholeOf(statement, 0) };
    return [does, ...reach(statement, dialect)];
  }
  switch (first) {
    case "select":
    case "with":
    case "values":
    case "table":
    case "from":
    case "summarize":
    case "pivot":
      return query(statement, dialect);
    case "":
      return statement[0]?.text === "(" ? query(statement, dialect) : [unknown(`the statement ${detail(statement)}`)];
    case "explain":
      return explain(statement, dialect);
    case "show":
    case "describe":
    case "desc":
      if (first === "show" && showsSecrets(statement)) return [{ does: "secrets" }];
      if (word(statement, 1).startsWith("analy")) return explain(statement, dialect);
      return statement.some((token) => token.text === "(")
        ? query(statement, dialect)
        : dialect === "duckdb"
          ? query(statement, dialect)
          : [];
    case "pragma":
      return pragma(statement);
    case "set":
      return set(statement, dialect);
    case "copy":
      return copyStatement(statement, dialect);
    case "attach":
      return attach(statement);
    case "load":
    case "install":
      return [{ does: "code", language: "sql", detail: detail(statement) }];
    case "system":
    case "source":
    case "tee":
    case "pager":
    case "edit":
      return [unknown(`the client command ${first}`)];
    default:
      return [unknown(`the statement ${detail(statement)}`)];
  }
}

/** pg_authid(5), mysql.user: who there is may be asked, by columns that are named; what they log in with is shown by all else. */
function secretColumns(statement: Statement): CodeFinding[] {
  const isName = ({ kind }: SqlToken): boolean => kind === "word" || kind === "name";
  const text = (token: SqlToken | undefined): string => token?.text.toLowerCase() ?? "";
  const tables = statement.filter(
    (token, i) =>
      isName(token) &&
      (SECRET_TABLES.has(text(token)) ||
        (SECRET_TABLES_OF_MYSQL.has(text(token)) && text(statement[i - 1]) === "." && text(statement[i - 2]) === "mysql")),
  );
  if (statement.some((token) => (isName(token) || token.kind === "string") && SECRET_NAMES.has(text(token)))) return [{ does: "secrets" }];
  if (tables.length === 0) return [];
  const names = statement.filter((token) => isName(token) && !tables.includes(token));
  const at = statement.findIndex((token) => tables.includes(token));
  const before = text(statement[at - 1]) === "." ? at - 3 : at - 1;
  const isPlain =
    tables.length === 1 &&
    word(statement, 0) === "select" &&
    word(statement, before) === "from" &&
    /^(?:|where|order|group|limit)$/.test(text(statement[at + 1])) &&
    names.every((token) => PLAIN_NAMES.has(text(token))) &&
    statement.every((token, i) => token.text !== "*" || (text(statement[i - 1]) === "(" && text(statement[i + 1]) === ")"));
  return isPlain ? [] : [{ does: "secrets" }];
}

/** `show create user`, `show grants` (older servers and MariaDB add the hash), a login to the server that is followed. */
function showsSecrets(statement: Statement): boolean {
  const names = statement.filter(({ kind }) => kind === "word").map(({ text }) => text);
  if (names[1] === "create") return /^(?:user|server)$/.test(names[2] ?? "");
  return names[1] === "grants" || names[1] === "primary_conninfo";
}

/** What the functions and file names in a statement reach; calls of unknown functions may do anything. */
function reach(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  const findings: CodeFinding[] = [];
  let from = /^(summarize|describe|desc|show|pivot|table)$/.test(word(statement, 0));
  statement.forEach((token, i) => {
    const next = statement[i + 1];
    const argument = statement[i + 2];
    if (token.kind === "word") {
      if (token.text === "from" || token.text === "join") from = true;
      else if (/^(where|group|order|limit|having|select|on|set|values|union|window)$/.test(token.text)) from = false;
    }
    const table = statement[i - 1];
    // DuckDB reads a file where a table is expected: FROM 'data.csv'.
    if (
      dialect === "duckdb" &&
      from &&
      (token.kind === "string" || token.kind === "name") &&
      /^(from|join|,|\(|summarize|describe|desc|show|pivot|table)$/.test(table?.text ?? "") &&
      !isArgument(statement, i)
    ) {
      findings.push(
        token.kind === "string" || /[./*:]/.test(token.text) ? source(token.text) : unknown("it may read a file named like a table"),
      );
    }
    // And newer ones also where the name is not quoted: FROM data.csv.
    if (
      dialect === "duckdb" &&
      from &&
      next?.text === "." &&
      /^(csv|tsv|parquet|json|jsonl|ndjson|xlsx|gz|zst|db|duckdb)$/.test(argument?.text ?? "")
    ) {
      findings.push(source(`${token.text}.${argument?.text ?? ""}`));
    }
    // Their arguments may stand in a condition; the content of each file is a column (sqlite3's shell, fileio.c).
    if ((token.kind === "word" || token.kind === "name") && /^(fsdir|lsdir|zipfile)$/i.test(token.text) && dialect === "sqlite")
      if (next?.text !== "(" || token.text.toLowerCase() !== "zipfile") findings.push(unknown("it reads the files of a folder"));
    if ((token.kind !== "word" && token.kind !== "name") || next?.text !== "(" || next.kind !== "op") return;
    const name = token.text.toLowerCase();
    if (name === "writefile" && argument?.kind === "string" && statement[i + 3]?.text === ",")
      findings.push({ does: "file", operation: "write", path: argument.text });
    else if (FILE_READERS.has(name))
      findings.push(
        argument?.kind === "string" && /^[,)]$/.test(statement[i + 3]?.text ?? "")
          ? source(argument.text)
          : unknown("it reads a file named while it runs"),
      );
    else if (name === "glob" && dialect === "duckdb") findings.push(unknown("it lists files"));
    else if (name === "load_extension")
      findings.push({ does: "code", language: "sqlite", detail: `load_extension ${argument?.text ?? ""}` });
    else if (name === "getenv") findings.push({ does: "environment" });
    else if (isDefinition(statement, i)) return;
    else if (token.kind === "name" || statement[i - 1]?.text === "." || !FUNCTIONS.has(name))
      findings.push(unknown(`it calls the function ${name}`));
  });
  return findings;
}

/** A string inside the arguments of a function in the FROM clause is not a table. */
function isArgument(statement: Statement, i: number): boolean {
  return statement[i - 1]?.text === "(" && statement[i - 2]?.kind === "word" && !/^(from|join|in|as)$/.test(statement[i - 2]?.text ?? "");
}

/** `with name(a, b) as`, `insert into t (a, b)`, `create index i on t (a)`: a name, not a call. */
function isDefinition(statement: Statement, i: number): boolean {
  const before = word(statement, statement[i - 1]?.text === "." ? i - 3 : i - 1);
  if (/^(with|recursive)$/.test(before)) return true;
  const first = word(statement, 0);
  if (first === "insert" || first === "replace") return before === "into";
  return first === "create" && /^(table|view|index|on|references|exists|key)$/.test(before);
}

function source(path: string): CodeFinding {
  const host = /^(?:https?|s3|gcs|hf):\/\/([^/:]+)/i.exec(path)?.[1];
  return host === undefined ? { does: "file", operation: "read", path } : { does: "net", host: host.toLowerCase() };
}

function query(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  const findings = [...reach(statement, dialect), ...secretColumns(statement)];
  // PostgreSQL's `U&"..." uescape '!'` spells any name.
  if (statement.some(({ kind, text }) => kind === "word" && text === "uescape")) findings.push(unknown("names with escapes"));
  statement.forEach((token, i) => {
    if (token.kind !== "word" || statement[i - 1]?.text === ".") return;
    const call = statement[i + 1]?.text === "(";
    if (token.text === "into") {
      const [kind, file] = [word(statement, i + 1), statement[i + 2]];
      if (/^(outfile|dumpfile)$/.test(kind) && file?.kind === "string")
        findings.push({ does: "file", operation: "write", path: file.text });
      else findings.push({ does: "change", detail: detail(statement) });
    } else if (/^(insert|update|merge)$/.test(token.text) || (token.text === "replace" && !call))
      findings.push({ does: "change", detail: detail(statement) });
    else if (/^(delete|truncate|drop)$/.test(token.text) && !call) {
      findings.push({ does: "destroy", detail: detail(statement), ...wholeOf(statement, i) });
    } else if (/^(program|call|procedure|execute)$/.test(token.text)) findings.push(unknown(`the statement ${detail(statement)}`));
  });
  return findings;
}

/** `drop database x`, at this word: all that is in it. */
const wholeOf = (statement: Statement, at: number): { readonly whole?: true } =>
  word(statement, at) === "drop" && /^(?:database|schema)$/.test(word(statement, at + 1)) ? { whole: true } : {};

/** A plain EXPLAIN runs nothing; with ANALYZE the statement runs. */
function explain(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  let i = 1;
  let depth = 0;
  let runs = false;
  for (; i < statement.length; i += 1) {
    const text = statement[i]?.text ?? "";
    const option = /^(analy[sz]e|verbose|query|plan|extended|format|json|tree|traditional|for)$/.test(word(statement, i));
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (depth === 0 && !option) break;
    runs ||= /^analy[sz]e$/.test(text);
  }
  const inner = statement.slice(i);
  if (/^(select|with|values|table|from)$/.test(word(inner, 0)) || runs) return readStatement(inner, dialect);
  return CHANGES.has(word(inner, 0)) || DESTROYS.has(word(inner, 0)) || inner.length <= 2
    ? []
    : [unknown(`the statement ${detail(statement)}`)];
}

function pragma(statement: Statement): CodeFinding[] {
  const at = statement[2]?.text === "." ? 3 : 1;
  const name = word(statement, at);
  if (READ_PRAGMAS.has(name) && statement[at + 1]?.text !== "=") return [];
  if (SETTING_PRAGMAS.has(name) && statement[at + 1]?.kind === "end") return [];
  return [{ does: "change", detail: detail(statement) }];
}

function set(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  const at = /^(session|local)$/.test(word(statement, 1)) ? 2 : 1;
  const harmless =
    /^(search_path|statement_timeout|lock_timeout|client_encoding|timezone|datestyle|intervalstyle|extra_float_digits|client_min_messages|names)$/;
  if (dialect !== "duckdb" && harmless.test(word(statement, at)) && !statement.some((token) => token.text === "(" || token.text === ","))
    return [];
  return [{ does: "change", detail: detail(statement) }];
}

function copyStatement(statement: Statement, dialect: SqlDialect): CodeFinding[] {
  let depth = 0;
  const at = statement.findIndex((token) => {
    if (token.kind === "op" && token.text === "(") depth += 1;
    if (token.kind === "op" && token.text === ")") depth -= 1;
    return depth === 0 && token.kind === "word" && (token.text === "to" || token.text === "from");
  });
  const target = statement[at + 1];
  if (at < 0 || target === undefined) return [unknown(`the statement ${detail(statement)}`)];
  const inner = statement[1]?.text === "(" ? query(statement.slice(1, at), dialect) : secretColumns(statement.slice(0, at));
  const change: CodeFinding[] = word(statement, at) === "from" ? [{ does: "change", detail: detail(statement) }] : [];
  if (target.kind === "word" && /^std(in|out)$/.test(target.text)) return [...inner, ...change];
  if (target.kind === "word" && target.text === "program") return [...inner, unknown("it runs a program on the database server")];
  if (target.kind !== "string") return [...inner, unknown(`the statement ${detail(statement)}`)];
  // DuckDB writes its own files; a server writes on its own machine.
  if (dialect !== "duckdb") return [...inner, { does: "change", detail: detail(statement) }];
  return [...inner, ...change, change.length > 0 ? source(target.text) : { does: "file", operation: "write", path: target.text }];
}

function attach(statement: Statement): CodeFinding[] {
  const path = statement.find((token) => token.kind === "string");
  return path !== undefined && statement.length <= 7
    ? [{ does: "file", operation: "edit", path: path.text }]
    : [unknown(`the statement ${detail(statement)}`)];
}

/** What a command of the client itself does: `.shell id`, `\copy t to 'f'`. */
function readClientCommand(line: string, dialect: SqlDialect): CodeFinding[] {
  if (dialect === "psql") return backslash(line);
  if (dialect === "mysql") return mysql(line);
  return dot(line);
}

const write = (path: string): CodeFinding => ({ does: "file", operation: "write", path });
const read = (path: string): CodeFinding => ({ does: "file", operation: "read", path });

/** The words of a command line; undefined when quotes or escapes make them uncertain. */
function parts(line: string): readonly string[] | undefined {
  const found = line.match(/'[^'\\]*'|"[^"\\]*"|[^\s'"\\]+/g) ?? [];
  const rest = line.replaceAll(/'[^'\\]*'|"[^"\\]*"|[^\s'"\\]+/g, "");
  return rest.trim() === "" ? found.map((word) => word.replace(/^(['"])(.*)\1$/, "$2")) : undefined;
}

/** A file to write, or a command in a pipe: `raw` is the command as the client passes it on. */
function sink(target: string | undefined, raw: string | undefined): CodeFinding[] {
  if (target === undefined || target === "stdout" || target === "off") return [];
  if (target.startsWith("|")) return [raw === undefined ? unknown("it runs a command") : { does: "shell", command: raw }];
  return target.startsWith("-") ? [unknown("it opens its output in another program")] : [write(target)];
}

function dot(line: string): CodeFinding[] {
  const rest = line.replace(/^\.\w+\s*/, "");
  const words = parts(line);
  const [command = "", first, second] = words ?? [line.split(/\s/, 1)[0] ?? line];
  // A pipe of several words is joined again without its quotes.
  const pipe = second === undefined ? first?.slice(1) : undefined;
  if (command === ".shell" || command === ".system")
    return [words !== undefined && rest !== "" ? { does: "shell", command: rest } : unknown("it runs a command")];
  const unclear = [unknown(`the client command ${command}`)];
  if (words === undefined) return unclear;
  const named = first !== undefined && !first.startsWith("-");
  if (/^\.(?:output|once|log|trace)$/.test(command) || (command === ".read" && first?.startsWith("|") === true)) return sink(first, pipe);
  if (command === ".read" || command === ".load")
    return [{ does: "code", language: command === ".load" ? "sqlite" : "sql", detail: `${command} ${first ?? ""}` }];
  if (named && command === ".import" && second !== undefined)
    return [
      first.startsWith("|") ? { does: "shell", command: first.slice(1) } : read(first),
      { does: "change", detail: `imports into ${second}` },
    ];
  if (named && command === ".open") return [{ does: "file", operation: "edit", path: first }];
  if (named && /^\.(?:save|backup)$/.test(command) && second === undefined) return [write(first)];
  return SHOWING_COMMANDS.dot.has(command) ? [] : unclear;
}

function backslash(line: string): CodeFinding[] {
  const command = /^\\(?:[A-Za-z]+\+?|[!?])/.exec(line)?.[0] ?? line.slice(0, 2);
  const rest = line.slice(command.length).trim();
  if (command === "\\!") return [rest === "" ? unknown("it starts a shell") : { does: "shell", command: rest }];
  // psql runs what stands in backquotes, and reads another command after a backslash.
  if (/[`\\:]/.test(rest)) return [unknown(`what follows ${command}`)];
  const words = parts(rest);
  const [first] = words ?? [];
  if (command === "\\copy") return clientCopy(rest);
  if (/^\\(?:o|out|gx?)$/.test(command) && words === undefined) return [unknown(`what follows ${command}`)];
  if (/^\\(?:o|out|gx?|w|write|s)$/.test(command)) return sink(first, rest.slice(1));
  if (/^\\(?:i|include|ir)$/.test(command)) return [{ does: "code", language: "sql", detail: `\\i ${first ?? ""}` }];
  if (/^\\c(?:onnect)?$/.test(command)) return [{ does: "net", host: undefined }];
  return SHOWING_COMMANDS.backslash.has(command) ? [] : [unknown(`the client command ${command}`)];
}

function clientCopy(rest: string): CodeFinding[] {
  if (rest.length > 1000) return [unknown("the client command \\copy")];
  const match = /^(?:([\w."]+)\s*(?:\([\w\s,"]*\))?|\(([^;'"]*)\))\s+(from|to)\s+(program\s+)?('[^']*'|[^\s';(]+)(?:\s|$)/i.exec(rest);
  const target = match?.[5]?.replaceAll("'", "");
  if (match === null || target === undefined) return [unknown("the client command \\copy")];
  const changes = match[3]?.toLowerCase() === "from";
  const through: CodeFinding[] = changes
    ? [{ does: "change", detail: "copies into a table" }]
    : readSql(match[2] ?? `table ${match[1] ?? ""}`, "psql");
  if (match[4] !== undefined) return [{ does: "shell", command: target }, ...through];
  if (/^p?std(in|out)$/i.test(target)) return through;
  return changes ? [read(target), ...through] : [write(target), ...through];
}

function mysql(line: string): CodeFinding[] {
  const [name, letter, rest] = [line.slice(0, 2), line.charAt(1), line.slice(2).trim()];
  if (letter === "!") return [rest === "" ? unknown("it starts a shell") : { does: "shell", command: rest.replace(/;$/, "") }];
  if (letter === ".") return [{ does: "code", language: "sql", detail: `source ${rest}` }];
  if (/[TP]/.test(letter) && rest !== "") return [letter === "T" ? write(rest) : { does: "shell", command: rest }];
  if (!/[gGcqsh?]/.test(letter)) return [unknown(`the client command ${name}`)];
  return rest === "" ? [] : [unknown(`what follows ${name}`)];
}
