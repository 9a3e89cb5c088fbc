// Which texts of a server's tool are SQL that may destroy: by their field's name and their look, as nobody says what a tool is.

/** What only destroys with one of these words in it is not looked at otherwise. */
const DESTROYS = /\b(?:drop|truncate|delete|purge)\b/i;
/** Names of fields, without signs and in small letters (`plain`). */
const SQL_NAMED = /sql|(?:statement|stmt)s?$|^d[dm]l$/;
const PROSE =
  /^(?:contents?|body|texts?|messages?|description|prompt|questions?|comments?|title|summary|notes?|html|markdown|diff|patch|reason|(?:old|new)\w+)$/;
const ABOUT = /^(?:description|messages?|prompt|questions?|comments?|title|summary|notes?|reason)$/;
const DATABASE = /sql|quer|database|(?:^|[_-])db(?:[_-]|$)/i;
const SEARCHES = /search|find|lookup|docs?(?:[_-]|$)|grep/i;
const BEGINS = new RegExp(
  String.raw`^[\s(]*(?:with|drop|truncate|delete|purge|begin|start|set|use|select|insert|update|alter|create|do|explain|merge|replace|` +
    String.raw`call|exec|execute|declare|if|lock|values|table|grant|revoke)\b`,
  "i",
);
const NAMES = String.raw`[\w."\x60[\]$-]+(?:\s*,\s*[\w."\x60[\]$-]+)*`;
/** A whole statement, and no sentence that begins like one. */
const STATEMENT = new RegExp(
  String.raw`^\s*(?:drop\s(?:\s*(?:materialized|temporary|foreign|external)\s)?\s*` +
    String.raw`(?:table|database|schema|view|index|role|user|function|type|sequence|keyspace|collection)\s(?:\s*if\s+exists\s)?\s*${NAMES}` +
    String.raw`|truncate\s(?:\s*table\s)?\s*${NAMES}|delete\s\s*from\s\s*${NAMES}(?:\swhere\s.*)?)(?:\s+(?:cascade|restrict))?\s*$`,
  "is",
);
const LONGEST_STATEMENT = 2048;

/** True when a tool of that name would hand this text to a database, and something may be destroyed by it. */
export function mayDestroy(tool: string, field: string, value: string): boolean {
  if (!DESTROYS.test(value)) return false;
  if (SQL_NAMED.test(field)) return true;
  const text = withoutComments(value);
  if (DATABASE.test(tool)) return !ABOUT.test(field) && BEGINS.test(text);
  return (
    !PROSE.test(field) && !SEARCHES.test(tool) && text.split(";").some((one) => one.length <= LONGEST_STATEMENT && STATEMENT.test(one))
  );
}

/** Those in front of statements. One that does not end hides the rest. */
function withoutComments(text: string): string {
  const out: string[] = [];
  let from = 0;
  for (const { index, 0: mark } of text.matchAll(/--|#|\/\*/g)) {
    if (index < from) continue;
    const end = text.indexOf(mark === "/*" ? "*/" : "\n", index);
    out.push(text.slice(from, index), " ");
    from = end === -1 ? text.length : end + (mark === "/*" ? 2 : 1);
  }
  return out.join("") + text.slice(from);
}
