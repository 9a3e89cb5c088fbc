import { PRIVATE_AT_HOME, PRIVATE_FILES, PRIVATE_FOLDERS, PRIVATE_PLACES } from "#knowledge/places";
import { AGENT_SECRET_FILES, AGENT_SECRET_FOLDERS, AGENT_SECRETS_AT_HOME } from "./agent-table.ts";
import { listed } from "./listed.ts";

/**
 * What the presets protect, as data: what programs keep is said in their blocks of the tables (`private`), and here is what is no
 * program's. `path-class.ts` compiles it.
 * Names are lower case: they are compared without regard to case, because a case-folding disk would open them.
 * A path of several segments matches at the end of a path (files) or anywhere in it (folders).
 */

/** Folders that hold nothing but secrets: the folder itself and everything in it. */
export const SECRET_FOLDERS: readonly string[] = [...AGENT_SECRET_FOLDERS, ...PRIVATE_FOLDERS];

/** Folders whose files are secret unless they are source code, documentation or pictures. */
export const SECRET_WORD_FOLDERS = ["secrets", ".secrets", "credentials", ".credentials"] as const;

/** Files by their last segments. */
export const SECRET_FILES: readonly string[] = [
  ...AGENT_SECRET_FILES,
  ...PRIVATE_FILES,
  ...listed(
    ".api_key; .apikey; .token; token.txt; deploy-key; deploy_key; deploykey; private-key; private-key.txt; private_key; private_key.txt",
    "privatekey; signing-key; signing_key; .cookies; cookiejar; cookies; cookies.binarycookies; cookies.db; cookies.txt",
  ),
];

/** Extensions of keys and key stores. */
export const SECRET_EXTENSIONS: readonly string[] = /* @__PURE__ */ listed(
  "pem; key; crt; p12; p8; pfx; pkcs12; jks; jceks; keystore; keytab; kdbx; ppk; ovpn; env; tfvars; tfstate; tfplan; rkestate; kubeconfig",
  "agekey; rdp; mobileconfig",
);

/** In a home folder only: elsewhere files of these names are a project's settings. */
export const SECRET_AT_HOME: readonly string[] = [...AGENT_SECRETS_AT_HOME, ...PRIVATE_AT_HOME, "token", ".config/token"];

/** Private keys by name, wherever they lie; a `.pub` beside them is public. */
export const SECRET_KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"] as const;

/** What names of secrets begin with, wherever they lie: keys by name, keys of a host (sshd(8)), tickets of Kerberos (krb5.conf(5)). */
export const SECRET_BEGINNINGS = ["id_", "ssh_host_", "krb5cc_"] as const;

/** What names of lists of MCP servers begin with, which hold their keys. */
export const SERVER_LISTS = "mcp";

/** Words that make a data file secret when its name ends a word with them: `mysecret.txt`, not `secretary.csv`. */
export const SECRET_WORDS = ["secret", "secrets", "password", "passwords", "credential", "credentials"] as const;

/** Below these folders of ansible a name that begins with `vault` holds what the tasks log in with. */
export const VAULT_FOLDERS = ["group_vars", "host_vars"] as const;

/** Secret at these absolute places only. `*` is one segment. */
export const SECRET_PLACES: readonly string[] = [
  ...PRIVATE_PLACES,
  ...listed(
    "/etc/ssl/private; /private/etc/ssl/private; /etc/pki/tls/private; /private/var/db/dslocal; /var/db/dslocal; /run/secrets",
    "/var/run/secrets; /proc/*/environ; /proc/*/mem; /proc/*/task/*/environ; /proc/*/task/*/mem; /proc/kcore",
    // What is typed; any file of a Mac by its number, which `ls -i` tells.
    "/dev/input; /.vol",
  ),
];

/** Here keys, certificates and words are the system's public ones. */
export const PUBLIC_PLACES = [
  "/usr",
  "/lib",
  "/lib64",
  "/nix/store",
  "/etc/ssl/certs",
  "/etc/ca-certificates",
  "/etc/pki/ca-trust",
  "/etc/pki/tls/certs",
  "/system/library",
] as const;

/** Source code, documentation and pictures: `src/secretary.ts`, `password_reset.py`, `docs/passwords.md` are no secrets. */
export const HARMLESS_EXTENSIONS =
  "ts tsx mts cts js jsx mjs cjs py pyi pyc rb go rs java kt kts scala swift c h cc cpp cxx hpp hh m mm cs fs vb php pl " +
  "pm lua r jl ex exs erl hrl clj cljs hs ml mli elm dart zig nim vue svelte astro css scss sass less html htm xhtml svg " +
  "md mdx rst adoc tex proto graphql gql tf gradle groovy snap ejs hbs erb haml pug twig liquid njk mustache png jpg jpeg " +
  "gif webp ico avif woff woff2 ttf class so dylib";

/** Scripts are source code too, unless they are named after nothing but the secret (`secrets.sh`). */
export const SCRIPT_EXTENSIONS = "sh bash zsh fish ps1 bat cmd sql";

/** Top folders of the system, compared without regard to case where the disk folds it. */
export const SYSTEM_FOLDERS: readonly string[] = /* @__PURE__ */ listed(
  "etc; var; usr; bin; sbin; boot; sys; proc; lib; lib32; lib64; libx32; opt; root; dev; run; nix; snap; private/etc; private/var; System",
  "Library; Applications",
);

/** Devices nobody is harmed by: writing here leaves nothing behind. */
export const HARMLESS_DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"] as const;

/** Device names that are disks, memory or the machine itself. */
export const RAW_DEVICE = new RegExp(
  String.raw`^\/dev\/(?:r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme|mmcblk|dm-|mapper\/|md[\d/]|loop|[nr]bd\d|s(?:r|cd|t|g)\d|mtd|ubi|` +
    String.raw`z?ram\d|pmem|fd\d|block\/|(?:k|old)?mem$|port$|watchdog|nvram|b(?:us|sg)\/|bcache|drbd|dasd|zd\d|zvol\/|cdrom|dvd|` +
    String.raw`cpu\/\d+\/msr$)|^\/proc\/(?:sysrq-trigger|kcore)$`,
  "i",
);
