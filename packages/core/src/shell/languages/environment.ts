/** Variables that say how a session is set up and hold no secret; everything else in the environment may. */
const PLAIN = new Set(
  (
    "HOME USER LOGNAME SHELL PWD OLDPWD PATH LANG LANGUAGE LC_ALL LC_CTYPE TERM COLUMNS LINES TZ TMPDIR HOSTNAME EDITOR " +
    "PAGER CI DEBUG NODE_ENV NO_COLOR FORCE_COLOR SHLVL"
  ).split(" "),
);

/** True when reading this environment variable by name tells nothing worth asking about. */
export function plainVariable(name: string): boolean {
  return PLAIN.has(name);
}

const PART = String.raw`(?!\s*(?:\[|\{|(?:\?\.|\.|->)\s*(?!copy\b|items\b|toObject\b|to_\w|map\b|each\b|inspect\b)\w))`;
/** Words that show or send a value, and the environment as a whole behind them; handing it to another program shows nothing. */
const SHOWN = new RegExp(
  String.raw`\b(?:print\w*|puts|pp?|dumps?|write|log|info|error|stringify|entries|fromEntries|values|inspect|post|fetch|say)\b[^\n;]*?` +
    String.raw`(?:\bos\s*\.\s*environb?\b|\bprocess\s*\.\s*env\b|\bBun\s*\.\s*env\b|\bDeno\s*\.\s*env\s*\.\s*toObject\b|%ENV\b|(?<![\w$:.])ENV\b)${PART}`,
);

/** True where code that is not read to its end shows all variables at once. */
export function showsEnvironment(source: string): boolean {
  return source.includes("env") || source.includes("ENV") ? SHOWN.test(source) : false;
}
