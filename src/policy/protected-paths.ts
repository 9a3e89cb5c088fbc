/**
 * What the presets protect, as data. `path-class.ts` compiles it.
 * Names are lower case: they are compared without regard to case, because a case-folding disk would open them (YW3).
 * A path of several segments matches at the end of a path (files) or anywhere in it (folders).
 */

/** Folders that hold nothing but secrets: the folder itself and everything in it. */
export const SECRET_FOLDERS = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".azure",
  ".envs",
  ".password-store",
  ".config/gcloud",
  ".config/op",
  ".config/1password",
  ".config/github-copilot",
  ".config/sops/age",
  ".config/google-chrome",
  ".config/chromium",
  ".mozilla",
  ".oci",
  ".ethereum/keystore",
  ".subversion/auth",
  ".tsh/keys",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  "library/keychains",
  "library/cookies",
] as const;

/** Folders whose files are secret unless they are source code, documentation or pictures. */
export const SECRET_WORD_FOLDERS = ["secrets", ".secrets", "credentials", ".credentials"] as const;

/** Files by their last segments. */
export const SECRET_FILES = [
  // Credential stores of clients.
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".config/git/credentials",
  ".kube/config",
  "kubeconfig",
  ".docker/config.json",
  ".dockercfg",
  ".dockerconfigjson",
  ".config/containers/auth.json",
  ".config/gh/hosts.yml",
  ".config/hub",
  ".config/glab-cli/config.yml",
  ".config/doctl/config.yaml",
  ".config/rclone/rclone.conf",
  ".config/heroku/config.json",
  ".config/netlify/config.json",
  ".config/stripe/config.toml",
  ".config/ngrok/ngrok.yml",
  ".wrangler/config/default.toml",
  ".fly/config.yml",
  ".cargo/credentials.toml",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".nuget/nuget/nuget.config",
  ".composer/auth.json",
  ".bundle/config",
  ".terraformrc",
  ".vault-token",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".htpasswd",
  ".boto",
  ".s3cfg",
  ".databrickscfg",
  ".smbcredentials",
  ".config/nix/nix.conf",
  ".config/helm/registry/config.json",
  ".config/solana/id.json",
  ".config/fish/fish_variables",
  ".config/configstore/firebase-tools.json",
  ".local/share/com.vercel.cli/auth.json",
  ".netlify/config.json",
  ".ngrok2/ngrok.yml",
  ".circleci/cli.yml",
  ".travis/config.yml",
  ".kaggle/kaggle.json",
  ".huggingface/token",
  ".cache/huggingface/token",
  ".cache/huggingface/stored_tokens",
  ".databricks/token-cache.json",
  ".snowsql/config",
  ".dbt/profiles.yml",
  ".lftprc",
  // Of projects.
  ".vault_pass",
  ".vault_password",
  ".vault-pass",
  ".vault-password",
  "wp-config.php",
  "service-account.json",
  "service_account.json",
  "serviceaccountkey.json",
  // Agents' own logins.
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
  ".qwen/oauth_creds.json",
  ".local/share/opencode/auth.json",
  ".factory/auth.json",
  // Histories: commands with tokens typed into them.
  ".bash_history",
  ".zsh_history",
  ".sh_history",
  ".ksh_history",
  ".histfile",
  ".history",
  ".python_history",
  ".node_repl_history",
  ".irb_history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".rediscli_history",
  ".dbshell",
  ".local/share/fish/fish_history",
  "consolehost_history.txt",
  // Browsers and wallets.
  "login data",
  "cookies.sqlite",
  "key4.db",
  "logins.json",
  "wallet.dat",
] as const;

/** Extensions of keys and key stores. */
export const SECRET_EXTENSIONS = [
  "pem",
  "key",
  "crt",
  "p12",
  "p8",
  "pfx",
  "pkcs12",
  "jks",
  "jceks",
  "keystore",
  "keytab",
  "kdbx",
  "ppk",
  "ovpn",
  "env",
] as const;

/** Private keys by name, wherever they lie; a `.pub` beside them is public. */
export const SECRET_KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"] as const;

/** Words that make a data file secret when they stand alone in its name. */
export const SECRET_WORDS = ["secret", "secrets", "password", "passwords", "credential", "credentials"] as const;

/** Secret at these absolute places only. `*` is one segment. */
export const SECRET_PLACES = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/master.passwd",
  "/etc/krb5.keytab",
  "/etc/ssl/private",
  "/etc/pki/tls/private",
  "/etc/letsencrypt/archive",
  "/etc/letsencrypt/live",
  "/etc/networkmanager/system-connections",
  "/etc/wireguard",
  "/etc/openvpn",
  "/etc/wpa_supplicant.conf",
  "/etc/wpa_supplicant",
  "/etc/kubernetes/admin.conf",
  "/etc/kubernetes/pki",
  "/etc/rancher/k3s/k3s.yaml",
  // What is typed.
  "/dev/input",
  "/private/etc/master.passwd",
  "/private/var/db/dslocal",
  "/var/db/dslocal",
  "/proc/*/environ",
  "/proc/*/mem",
  "/proc/*/task/*/environ",
  "/proc/*/task/*/mem",
  "/proc/kcore",
  "/run/secrets",
  "/var/run/secrets",
] as const;

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
  "ts tsx mts cts js jsx mjs cjs py pyi pyc rb go rs java kt kts scala swift c h cc cpp cxx hpp hh m mm cs fs vb php pl pm lua r jl ex exs erl hrl clj cljs hs ml mli elm dart zig nim vue svelte astro css scss sass less html htm xhtml svg md mdx rst adoc tex proto graphql gql tf gradle groovy snap ejs hbs erb haml pug twig liquid njk mustache png jpg jpeg gif webp ico avif woff woff2 ttf class so dylib";

/** Scripts are source code too, unless they are named after nothing but the secret (`secrets.sh`). */
export const SCRIPT_EXTENSIONS = "sh bash zsh fish ps1 bat cmd sql";

/** Top folders of the system, compared without regard to case where the disk folds it. */
export const SYSTEM_FOLDERS = [
  "etc",
  "var",
  "usr",
  "bin",
  "sbin",
  "boot",
  "sys",
  "proc",
  "lib",
  "lib32",
  "lib64",
  "libx32",
  "opt",
  "root",
  "dev",
  "run",
  "nix",
  "snap",
  "private/etc",
  "private/var",
  "System",
  "Library",
  "Applications",
] as const;

/** Devices nobody is harmed by: writing here leaves nothing behind. */
export const HARMLESS_DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"] as const;

/** Device names that are disks, memory or the machine itself. */
export const RAW_DEVICE =
  /^\/dev\/(?:r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme|mmcblk|dm-|mapper\/|md\d|loop|nbd|sr\d|st\d|mtd|ram\d|zram|pmem|fd\d|block\/|mem$|kmem$|port$|watchdog|nvram|sg\d|bus\/)|^\/proc\/(?:sysrq-trigger|kcore)$/i;
