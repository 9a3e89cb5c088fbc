/** Variables that say how a session is set up and hold no secret; everything else in the environment may. */
const PLAIN = new Set(
  "HOME USER LOGNAME SHELL PWD OLDPWD PATH LANG LANGUAGE LC_ALL LC_CTYPE TERM COLUMNS LINES TZ TMPDIR HOSTNAME EDITOR PAGER CI DEBUG NODE_ENV NO_COLOR FORCE_COLOR SHLVL".split(
    " ",
  ),
);

/** True when reading this environment variable by name tells nothing worth asking about. */
export function plainVariable(name: string): boolean {
  return PLAIN.has(name);
}
