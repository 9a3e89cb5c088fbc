import type { Finding } from "./finding.ts";
import { distinct, unknown } from "./limits.ts";
import { readClientCommand } from "./sql-client.ts";
import { FILE_READERS, FUNCTIONS, READ_PRAGMAS, SETTING_PRAGMAS } from "./sql-names.ts";
import { type SqlDialect, sqlStatements, type SqlToken } from "./sql-tokens.ts";

export type { SqlDialect } from "./sql-tokens.ts";

type Statement = readonly SqlToken[];

const CHANGES = new Set(
  "insert update replace merge upsert create alter grant revoke comment reindex analyze vacuum cluster refresh rename optimize repair restore lock reset checkpoint".split(
    " ",
  ),
);
const DESTROYS = new Set("drop truncate delete purge".split(" "));
/** Statements that only steer the session or a transaction. */
const SESSION = new Set("begin commit rollback end start savepoint release detach use abort".split(" "));

/**
 * What SQL text, as given to a database's command-line client, does besides reading.
 *
 *     readSql("select count(*) from t", "sqlite")   // []
 *     readSql("delete from t", "psql")              // destroy
 *     readSql(".shell id", "sqlite")                // shell: id
 */
export function readSql(source: string, dialect: SqlDialect): Finding[] {
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
export function readAnySql(source: string): Finding[] {
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

function readStatement(statement: Statement, dialect: SqlDialect): Finding[] {
  const first = word(statement, 0);
  const has = (text: string): boolean => statement.some((token) => token.kind === "word" && token.text === text);
  if (SESSION.has(first)) return first === "use" || statement.length <= 6 ? [] : [unknown(`the statement ${detail(statement)}`)];
  if (CHANGES.has(first)) return [{ does: "change", detail: detail(statement) }, ...reach(statement, dialect)];
  if (DESTROYS.has(first)) {
    const some = first === "delete" && has("where");
    return [{ does: some ? "change" : "destroy", detail: detail(statement) }, ...reach(statement, dialect)];
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
      return copy(statement, dialect);
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

/** What the functions and file names in a statement reach; calls of unknown functions may do anything. */
function reach(statement: Statement, dialect: SqlDialect): Finding[] {
  const findings: Finding[] = [];
  let from = false;
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
      /^(from|join|,|\()$/.test(table?.text ?? "") &&
      !isArgument(statement, i)
    ) {
      findings.push(
        token.kind === "string" || /[./*:]/.test(token.text) ? source(token.text) : unknown("it may read a file named like a table"),
      );
    }
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
    else if (name === "load_extension")
      findings.push({ does: "code", language: "sqlite", detail: `load_extension ${argument?.text ?? ""}` });
    else if (name === "getenv") findings.push({ does: "environment" });
    else if (token.kind === "word" && isDefinition(statement, i)) return;
    else if (token.kind === "name" || statement[i - 1]?.text === "." || !FUNCTIONS.has(name))
      findings.push(unknown(`it calls the function ${name}`));
  });
  return findings;
}

/** A string inside the arguments of a function in the FROM clause is not a table. */
function isArgument(statement: Statement, i: number): boolean {
  return statement[i - 1]?.text === "(" && statement[i - 2]?.kind === "word" && !/^(from|join|in|as)$/.test(statement[i - 2]?.text ?? "");
}

/** `with name(a, b) as`, `insert into t (a, b)`, `create table t (…)`. */
function isDefinition(statement: Statement, i: number): boolean {
  return (
    /^(with|into|table|recursive|on|view|index|references)$/.test(word(statement, i - 1)) ||
    (word(statement, 0) === "create" && FUNCTIONS.has(word(statement, i)))
  );
}

function source(path: string): Finding {
  const host = /^(?:https?|s3|gcs|hf):\/\/([^/:]+)/i.exec(path)?.[1];
  return host === undefined ? { does: "file", operation: "read", path } : { does: "net", host: host.toLowerCase() };
}

function query(statement: Statement, dialect: SqlDialect): Finding[] {
  const findings = reach(statement, dialect);
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
    else if (/^(delete|truncate|drop)$/.test(token.text) && !call) findings.push({ does: "destroy", detail: detail(statement) });
    else if (/^(program|call|procedure|execute)$/.test(token.text)) findings.push(unknown(`the statement ${detail(statement)}`));
  });
  return findings;
}

/** A plain EXPLAIN runs nothing; with ANALYZE the statement runs. */
function explain(statement: Statement, dialect: SqlDialect): Finding[] {
  let i = 1;
  let runs = false;
  while (
    /^(analyze|analyse|verbose|query|plan|extended|format|json|tree|traditional|for)$/.test(word(statement, i)) ||
    /^[(),=]$/.test(statement[i]?.text ?? "")
  ) {
    runs ||= word(statement, i).startsWith("analy");
    if (statement[i]?.text === "(")
      while (i < statement.length && statement[i]?.text !== ")") runs ||= word(statement, (i += 1)).startsWith("analy");
    i += 1;
  }
  const inner = statement.slice(i);
  if (/^(select|with|values|table|from)$/.test(word(inner, 0)) || runs) return readStatement(inner, dialect);
  return CHANGES.has(word(inner, 0)) || DESTROYS.has(word(inner, 0)) || inner.length <= 2
    ? []
    : [unknown(`the statement ${detail(statement)}`)];
}

function pragma(statement: Statement): Finding[] {
  const at = statement[2]?.text === "." ? 3 : 1;
  const name = word(statement, at);
  if (READ_PRAGMAS.has(name) && statement[at + 1]?.text !== "=") return [];
  if (SETTING_PRAGMAS.has(name) && statement[at + 1]?.kind === "end") return [];
  return [{ does: "change", detail: detail(statement) }];
}

function set(statement: Statement, dialect: SqlDialect): Finding[] {
  const at = /^(session|local)$/.test(word(statement, 1)) ? 2 : 1;
  const harmless =
    /^(search_path|statement_timeout|lock_timeout|client_encoding|timezone|datestyle|intervalstyle|extra_float_digits|client_min_messages|names)$/;
  if (dialect !== "duckdb" && harmless.test(word(statement, at)) && !statement.some((token) => token.text === "(" || token.text === ","))
    return [];
  return [{ does: "change", detail: detail(statement) }];
}

function copy(statement: Statement, dialect: SqlDialect): Finding[] {
  const at = statement.findIndex(
    (token) => token.kind === "word" && (token.text === "to" || token.text === "from") && statement[0] !== token,
  );
  const [to, target] = [word(statement, at), statement[at + 1]];
  const inner = reach(statement.slice(1, at), dialect);
  const change: Finding[] = to === "from" ? [{ does: "change", detail: detail(statement) }] : [];
  if (target?.kind === "word" && (target.text === "stdout" || target.text === "stdin")) return [...inner, ...change];
  if (target?.kind === "word" && target.text === "program") return [...inner, unknown("it runs a program on the database server")];
  if (at < 0 || target?.kind !== "string" || inner.length > 0 || statement[1]?.text === "(")
    return [...inner, unknown(`the statement ${detail(statement)}`)];
  // DuckDB is the file's own process; a server writes on its own machine.
  if (dialect === "duckdb")
    return [...change, change.length > 0 ? source(target.text) : { does: "file", operation: "write", path: target.text }];
  return [{ does: "change", detail: detail(statement) }];
}

function attach(statement: Statement): Finding[] {
  const path = statement.find((token) => token.kind === "string");
  return path !== undefined && statement.length <= 7
    ? [{ does: "file", operation: "edit", path: path.text }]
    : [unknown(`the statement ${detail(statement)}`)];
}
