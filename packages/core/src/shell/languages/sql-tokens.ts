import { refusedText } from "./finding.ts";

export type SqlDialect = "sqlite" | "psql" | "mysql" | "duckdb";

export interface SqlToken {
  readonly kind: "word" | "string" | "name" | "number" | "op" | "meta" | "end";
  /** A word in lower case; a string's or quoted name's value; a client command with its line. */
  readonly text: string;
}

const END: SqlToken = { kind: "end", text: "" };

/** Statements as lists of tokens without their `;`, client commands as statements of one token; or why the text is not certain. */
export function sqlStatements(source: string, dialect: SqlDialect): readonly (readonly SqlToken[])[] | string {
  const refused = refusedText(source);
  if (refused !== undefined) return refused;
  const statements: SqlToken[][] = [];
  let statement: SqlToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const finish = (): void => {
    if (statement.length > 0) statements.push([...statement, END]);
    statement = [];
  };
  const dots = dialect === "sqlite" || dialect === "duckdb";
  while (at < source.length) {
    const c = source.charAt(at);
    const lineStart = at === 0 || source.charAt(at - 1) === "\n";
    if (lineStart && dots && /^[ \t]*[.#]/.test(source.slice(at, at + 80))) {
      // The shell reads these lines itself, but only between statements.
      if (statement.length > 0) return "a client command inside a statement";
      const line = match(/.*/y) ?? "";
      statements.push([{ kind: "meta", text: line.trim() }, END]);
      at += line.length;
    } else if (/\s/.test(c)) at += 1;
    else if (source.startsWith("--", at) || (c === "#" && dialect === "mysql")) {
      if (dialect === "mysql" && c === "-" && !/[\s]/.test(source.charAt(at + 2) || " "))
        return "`--` without a blank, a comment to some clients only";
      const line = match(/.*/y) ?? "";
      if (dialect === "mysql" && line.includes("\\")) return "a comment with a backslash";
      at += line.length;
    } else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at + 2);
      // Nested comments, comments that MySQL executes, and lines that look like client commands are read differently.
      if (end < 0 || /\/\*|[!\\]|\n[ \t]*[.#]/.test(source.slice(at + 2, end)) || source.charAt(at + 2) === "+")
        return "a comment that is not certainly one";
      at = end + 2;
    } else if (/^'|^[eE]'|^[bBxXnN]'/.test(source.slice(at, at + 2)) || c === '"' || c === "`" || (c === "[" && dialect === "sqlite")) {
      const prefix = /[a-zA-Z]/.test(c) ? 1 : 0;
      const quote = source.charAt(at + prefix);
      const close = quote === "[" ? "]" : quote;
      let end = at + prefix + 1;
      for (; ; end += 1) {
        if (end >= source.length) return "a quoted text without its end";
        // Whether a backslash escapes depends on the server's settings: with none in front of a quote the text has one end only. Behind
        // another alphabet's letter it may be a part of it.
        if (source.charAt(end) === "\\" && (prefix > 0 || dialect === "mysql" || dialect === "psql")) {
          if (source.charAt(end - 1) > "~") return "a quoted text with a backslash";
          while (source.charAt(end + 1) === "\\") end += 1;
          if (/['"`]/.test(source.charAt(end + 1))) return "a quoted text with a backslash";
        }
        if (dots && source.charAt(end) === "\n" && /^[ \t]*[.#]/.test(source.slice(end + 1, end + 80)))
          return "a client command inside a quoted text";
        if (source.charAt(end) !== close) continue;
        if (close !== "]" && source.charAt(end + 1) === close) end += 1;
        else break;
      }
      const text = source.slice(at + prefix + 1, end).replaceAll(close + close, close);
      statement.push({ kind: quote === "'" ? "string" : "name", text });
      at = end + 1;
    } else if (c === "$" && dialect !== "sqlite") return "a `$` that may quote";
    else if (c === "\\") {
      if (dialect !== "psql" && dialect !== "mysql") return "a backslash";
      const line = match(/.*/y) ?? c;
      statement.push({ kind: "meta", text: line.trim() });
      at += line.length;
      finish();
    } else if (c === ":" && dialect === "psql" && /^:(?![:=])[^0-9\s]/.test(source.slice(at, at + 2)) && source.charAt(at - 1) !== ":")
      return "a variable of psql";
    else if (c === ";") {
      finish();
      at += 1;
    } else {
      const word = match(/[A-Za-z_][A-Za-z_0-9]*/y);
      const text = word ?? match(/[0-9][0-9A-Za-z_.]*|\.[0-9]+/y) ?? match(/::|:=|<=|>=|<>|!=|\|\||->>|->|[-+*/%<>=~!@#&|^(),.:?[\]{}]/y);
      if (text === undefined) return `the character \`${c}\``;
      statement.push({ kind: word !== undefined ? "word" : /^[.]?[0-9]/.test(text) ? "number" : "op", text: text.toLowerCase() });
      at += text.length;
    }
  }
  finish();
  return statements;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Functions that only compute, in every dialect that has them. What a user defined may do anything. */
export const FUNCTIONS = words(`
  abs acos asin atan atan2 avg bit_length ceil ceiling char char_length character_length chr coalesce concat concat_ws cos count cume_dist
  date date_add date_diff date_format date_part date_sub date_trunc datediff datetime day dayname dayofmonth dayofweek dayofyear degrees
  dense_rank exp extract first_value floor format from_unixtime glob greatest group_concat hex hour iif if ifnull initcap instr isnull
  json json_agg json_array json_array_length json_build_object json_each json_extract json_group_array json_group_object json_object
  json_tree json_type json_valid json_value jsonb_agg jsonb_array_elements jsonb_array_length jsonb_build_object jsonb_each jsonb_pretty
  julianday lag last_value lead least left length like ln locate log log10 log2 lower lpad ltrim make_date max md5 mid min minute mod month
  monthname now nth_value ntile nullif octet_length overlay percent_rank percentile_cont percentile_disc pi position pow power printf
  quarter quote radians random rank regexp_like regexp_matches regexp_replace regexp_substr repeat replace reverse right round row_number
  rpad rtrim second sha1 sha2 sign sin soundex split_part sqrt stddev strftime string_agg str_to_date substr substring substring_index
  sum tan time timestamp timestampdiff to_char to_date to_json to_jsonb to_number to_timestamp total trim trunc truncate typeof
  unicode unixepoch upper uuid variance version week weekday year array_agg array_length array_position array_to_string bool_and bool_or
  unnest generate_series cardinality row_to_json current_database current_schema current_user current_date current_time current_timestamp
  database schema user utc_timestamp curdate curtime last_insert_rowid changes total_changes sqlite_version sqlite_source_id zeroblob
  likely unlikely likelihood pg_size_pretty pg_database_size pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size
  pg_get_viewdef pg_get_indexdef pg_get_constraintdef pg_get_functiondef obj_description col_description format_type pg_sleep sleep
  pragma_table_info pragma_table_list pragma_index_list pragma_index_info pragma_foreign_key_list pragma_database_list
  list_value list struct_pack approx_count_distinct median mode quantile strptime epoch epoch_ms age interval any all some exists
  in values over filter as and or not on using when then else case from where by having limit offset union select distinct between partition
  materialized lateral row array within rollup cube sets window returning values cast convert varchar decimal numeric integer int bigint`);

/** Table functions of DuckDB and sqlite that read files. */
export const FILE_READERS = words(
  "readfile read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_ndjson read_text read_blob " +
    "sniff_csv parquet_schema parquet_metadata glob_files zipfile fsdir",
);

export const READ_PRAGMAS = words(
  `table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check database_list collation_list
  function_list module_list pragma_list compile_options integrity_check quick_check database_size storage_info show_tables version
  page_count freelist_count`,
);
/** Read when nothing is assigned to them. */
export const SETTING_PRAGMAS = words(
  "schema_version user_version journal_mode page_size encoding foreign_keys cache_size synchronous application_id auto_vacuum",
);

/** Client commands that show something. */
export const SHOWING_COMMANDS: Readonly<Record<"dot" | "backslash", ReadonlySet<string>>> = {
  dot: words(
    `.tables .schema .indexes .indices .databases .mode .headers .header .help .show .width .separator .nullvalue .timer .timeout .quit .exit
    .echo .bail .changes .stats .eqp .explain .fullschema .dbinfo .dump .print .version .sha3sum .limit`,
  ),
  backslash: words(
    `\\d \\d+ \\dt \\dt+ \\dn \\dn+ \\df \\df+ \\du \\du+ \\dv \\dv+ \\di \\di+ \\ds \\ds+ \\dS \\dS+ \\dT \\dT+ \\dx \\dx+ \\dp \\db \\dc \\dC \\dD \\dm
    \\dm+ \\dE \\dF \\dg \\dL \\do \\dO \\dy \\l \\l+ \\z \\sf \\sf+ \\sv \\sv+ \\conninfo \\x \\timing \\a \\t \\H \\q \\h \\? \\errverbose \\encoding
    \\g \\gx \\gdesc \\crosstabview \\echo`,
  ),
};
