/** Words that make a field, variable or option name the name of a secret. */
const WORDS = new Set(
  (
    "password passwd pwd pass passphrase passcode secret secrets token tokens apikey credential credentials auth " +
    "authorization bearer cookie cookies otp jwt psk"
  ).split(" "),
);
const BEFORE_KEY = new Set(
  "api access private secret signing encryption auth account storage master service shared subscription functions setup license".split(" "),
);
const SUFFIX = new RegExp(
  "(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|credentials?|_auth|authkey|(?:ssh|" +
    "store|key|db|root|admin|user|redis|mysql|ftp|smtp|imap|mail|login|vnc|wifi)pass)$",
);
/** Every word and suffix holds one of these: most names hold none, and no pattern needs to be compiled for them. */
const STEMS = ["pass", "pwd", "secret", "token", "key", "credential", "auth", "bearer", "cookie", "otp", "jwt", "psk"];
/** Counts of tokens, and the shell's working directory. */
const HARMLESS = new RegExp(
  "^(?:(?:(?:max|min|num|n[_-]|count|total|limit)[_-]?.{0,16}tokens?|(?:input|output|prompt|completion|cached|" +
    "new)[_-]?.{0,16}tokens)(?:[_-]?count)?|tokens|PWD|OLDPWD)$",
  "i",
);
const LOWER_PWD = /^(?:old)?pwd$/;

/**
 * Whether a name is that of a secret: `apiKey`, `AWS_SECRET_ACCESS_KEY`, `X-Auth-Token`, `--db-pass`.
 * Words count, not letters: `secretary`, `author`, `bypass` are none.
 */
export function isSecretName(name: string): boolean {
  if (name.length > 256) return false;
  const lower = name.toLowerCase();
  if (!STEMS.some((stem) => lower.includes(stem))) return false;
  const bare = name.replace(/^-+/, "");
  if (HARMLESS.test(bare) && !LOWER_PWD.test(bare)) return false;
  const words = bare
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.some((word, at) => WORDS.has(word) || ((word === "key" || word === "keys") && BEFORE_KEY.has(words[at - 1] ?? ""))))
    return true;
  return SUFFIX.test(bare.toLowerCase());
}
