import { AGENT_SECRET_FILES, AGENT_SECRET_FOLDERS, AGENT_SECRETS_AT_HOME } from "./agent-table.ts";
import { listed, under } from "./listed.ts";

/**
 * What the presets protect, as data. `path-class.ts` compiles it.
 * Names are lower case: they are compared without regard to case, because a case-folding disk would open them.
 * A path of several segments matches at the end of a path (files) or anywhere in it (folders).
 */

/** Folders that hold nothing but secrets: the folder itself and everything in it. */
export const SECRET_FOLDERS: readonly string[] = [
  ...AGENT_SECRET_FOLDERS,
  ...listed(
    // Keys.
    ".ssh; .gnupg; .putty; .pki; .step; .tsh; .age; .config/age; .config/sops/age; application support/sops/age; .minisign",
    ".config/sigstore; .sigstore",
    // Questions that wait for the user, how a judge that stays is asked, what was in files before a run changed them, what a team lets a
    // machine in by, and what its server keeps.
    "assent/questions; assent/resident; assent/runs; assent/team-member; assent/team-server",
    // Clouds and what runs on them.
    ".aws; .azure; .config/gcloud; .oci; .aliyun; .tccli; .bluemix; .config/linode-cli; .config/scw; .config/exoscale",
    ".config/equinix; .config/b2; .mc/certs",
    ".config/railway; .railway; .config/neonctl; .config/turso; .config/supabase; .supabase; .config/planetscale; " +
      ".cloudflared; .config/configstore; .config/netlify",
    ".okta; .config/okta; .awsvault; .granted; .config/vault; .config/infisical; .infisical; .doppler; .akeyless; " +
      ".config/tanzu; .tkg; .jfrog; .config/atlascli",
    ".chef; .config/argocd; .argocd; .rancher; .near-credentials; .config/heroku; .config/snowflake; application " +
      "support/snowflake; .snowflake; .config/earthengine",
    // Package managers and forges.
    ".envs; .subversion/auth; .local/share/uv/credentials; .local/share/python_keyring; .continuum; .anaconda/keyring; " +
      ".config/hub; .gitlab-runner; .config/tea",
    ".jira.d; .config/.jira; .microsoft/usersecrets; .config/jenkins-cli",
    // Password managers
    ".password-store; .op; application support/bitwarden; application support/bitwarden cli; .cache/rbw; .lpass; .enpass; .keepass",
    ".cache/keepassxc; .gnome2/keyrings; library/keychains; library/accounts; application support/1password",
    // Browsers.
    ".mozilla; .librewolf; .waterfox; .zen; .floorp; .palemoon; .moonchild productions; .tor-browser; snap/chromium/common/chromium",
    "library/cookies; library/safari; library/containers/com.apple.safari; library/httpstorages",
    // Mail and messengers.
    ".thunderbird; .mutt; .purple; .irssi; .weechat; .viberpc; .zoom; library/messages; library/mail; library/thunderbird",
    "containers/com.tinyspeck.slackmacgap; containers/com.microsoft.teams2",
    // Wallets
    ".bitcoin; .litecoin; .dogecoin; .dashcore; .zcash; .bitmonero; .monero; .electrum; .electrum-ltc; .electron-cash; .ethereum",
    ".ethereum/keystore; .lighthouse; .sparrow; .walletwasabi; .lnd; .lightning; .cardano; .algorand; .avalanche-cli; .sui/sui_config",
    ".aptos; .starkli-wallets; .brownie/accounts; .foundry/keystores; .cosmos; .gaia; .polkadot; .subkey; .tronlink; .phantom",
    // VPNs
    ".openvpn; .cache/protonvpn; .cisco; .zerotier-one; .vnc; .anydesk; .filezilla; .lftp; .local/state/syncthing",
    "application support/syncthing; .dropbox",
    // State of infrastructure, with the passwords and keys of what it built.
    ".pulumi/stacks; .pulumi/backups; .pulumi/history; .talos; .config/talos",
    ".httpie/sessions; .config/httpie/sessions; .config/postman; .config/insomnia; .config/beekeeper-studio; .dbgate; " +
      ".local/share/dbeaverdata/security; .config/lens",
  ),
  // Password managers, browsers, messengers, wallets, VPNs, where the desktop keeps what is theirs.
  ...under(
    ".config/",
    "google-chrome; google-chrome-beta; google-chrome-unstable; chromium; bravesoftware; microsoft-edge; vivaldi; opera",
  ),
  ...under(
    ".config/",
    "yandex-browser; qutebrowser/data; evolution; mutt; neomutt; aerc; himalaya; weechat; slack; discord; discordcanary",
  ),
  ...under(".config/", "discordptb; vesktop; signal; signal-cli; element; riot; telegram-desktop; whatsapp; whatsdesk; microsoft teams"),
  ...under(
    ".config/",
    "microsoft/microsoft teams; teams-for-linux; teams; skype; skypeforlinux; mattermost; rocket.chat; zulip; wire; viber",
  ),
  ...under(
    ".config/",
    "keybase; hexchat; gajim; nheko; fluffychat; ferdium; franz; rambox; session; threema; jami; solana; exodus; atomic",
  ),
  ...under(".config/", "ledger live; @trezor; electrum; wasabi; openvpn; wireguard; protonvpn; nordvpn; mullvad vpn; windscribe; remmina"),
  ...under(".config/", "tigervnc; anydesk; rustdesk; teamviewer; filezilla; lftp; syncthing; insync; nextcloud; megasync; borg/keys; op"),
  ...under(
    ".config/",
    "1password; bitwarden; bitwarden cli; rbw; lpass; dashlane; enpass; nordpass; keepass; keepassxc; gopass; authy desktop",
  ),
  ...under(".config/", "proton pass; buttercup; goa-1.0"),
  ...under(
    ".local/share/",
    "qutebrowser; epiphany; evolution; signal-cli; telegramdesktop; keybase; gajim; dino; nheko; remmina; rbw; lpass; gopass",
  ),
  ...under(".local/share/", "keyrings; kwalletd"),
  // Browsers, messengers and wallets of macOS, and what it keeps of people.
  ...under(
    "application support/",
    "google/chrome; chromium; bravesoftware; microsoft edge; firefox; arc; vivaldi; com.operasoftware.opera; librewolf; zen; slack",
    "discord; signal; element; telegram desktop; whatsapp; microsoft/teams; mattermost; skype; zoom.us; keybase; thunderbird",
  ),
  ...under(
    "application support/",
    "bitcoin; litecoin; exodus; ledger live; electrum; atomic; ethereum; monero; @trezor; com.apple.tcc; mobilesync; addressbook",
    "callhistorydb; knowledge",
  ),
  ...under(
    "group containers/",
    "6n38vws5bx.ru.keepcoder.telegram; group.net.whatsapp.whatsapp.shared; ubf8t346g9.office; 2bua8c4s2c.com.1password",
    "group.com.apple.notes; group.com.apple.reminders; ltz2pfu5d6.com.bitwarden.desktop",
  ),
  ...under("library/", "calendars; reminders; passes; identityservices; personalizationportrait; biome"),
];

/** Folders whose files are secret unless they are source code, documentation or pictures. */
export const SECRET_WORD_FOLDERS = ["secrets", ".secrets", "credentials", ".credentials"] as const;

/** Files by their last segments. */
export const SECRET_FILES: readonly string[] = [
  ...listed(
    // What signs the policies of a team (cli/team-key.ts).
    "team-policy-key.json",
    // What lets machines into a team (team/fleet/).
    "assent/team.json",
    // Package managers.
    "pip.conf; pip.ini; nuget.config; pypoetry/auth.toml; .config/pdm/config.toml; .hex/hex.config; .config/hex/hex.config; " +
      ".cabal/config; .config/cabal/config; .pause",
    ".luarocks/upload_config.lua; .renviron; .config/dart/pub-tokens.json; .nimble/github_api_token; " +
      ".platformio/appstate.json; .config/composer/auth.json; .config/pnpm/rc",
    "preferences/pnpm/rc; .config/npm/npmrc; etc/npmrc; .ansible/galaxy_token; .rpm/macros.private; .conan/.conan.db; " +
      ".jspm/config; .sbt/repositories; .ivy2/.credentials",
    // Clouds and services.
    ".terraform.d/credentials.tfrc.json; terraform.rc; .ovh.conf; .vultr-cli.yaml; .civo.json; .upstash.json; " +
      ".hasura/config.json; .pulumi/credentials.json; .rclone.conf",
    ".config/upctl.yaml; .config/hcloud/cli.toml; .render/cli.yaml; .b2_account_info; .config/b2/account_info; " +
      ".mc/config.json; .mcli/config.json; .config/argocd/config",
    ".saml2aws; .aws_login_config; .okta_aws_login_config; .supabase/access-token; .dev.vars; local.settings.json; " +
      "publishsettings; .cf/config.json; .openshift/config",
    ".config/containers/registries.conf.d/auth.json; .config/helm/registry.json; .oras/config.json; .kube/config.json; " +
      "kubelet.conf; super-admin.conf; google_application.json",
    // Continuous integration, trackers, forges.
    ".sentryclirc; sentry.properties; .coveralls.yml; .config/bk.yaml; buildkite-agent.cfg; .config/lab/lab.toml; .gist; " +
      ".github_token; .gh_token; .gitlab_token; .twurlrc",
    ".config/jira/config.yml; .config/todoist/config.json; .config/linear/config.json; .config/snyk.json; " +
      ".newrelic/config.json; .ngc/config; .trc; .hub; .lab.hcl",
    ".authinfo; .authinfo.gpg; .stripe/config.toml; .vercel/auth.json; .planetscale/access-token; .expo/state.json; " +
      ".twilio-cli/config.json; .wandb/settings; .config/wandb/settings",
    ".config/circleci/cli.yml; .config/exercism/user.json; .config/spotify-tui/client.yml",
    ".config/shopify-cli-kit-nodejs/config.json; .local/share/atuin/key",
    // Databases.
    ".snowsql/config; .pg_service.conf; .redisclirc; .cassandra/cqlshrc; .influxdbv2/configs; .mongodb/mongosh/config; " +
      ".clickhouse-client/config.xml; .myclirc; .sqlcmdrc",
    ".config/clickhouse-client/config.xml; .config/dbt/profiles.yml; .tns_admin/wallet; cwallet.sso; ewallet.p12; " +
      ".config/usql/config.yaml; .usqlpass; .duckdbrc",
    // Mail.
    ".msmtprc; .config/msmtp/config; .mbsyncrc; .isyncrc; .offlineimaprc; .fetchmailrc; .getmailrc; .muttrc; .neomuttrc; " +
      ".mailrc; .esmtprc; .ssmtprc; .nmhrc; .nntpauth",
    // Models.
    "io.datasette.llm/keys.json; .config/aichat/config.yaml",
    ".openai/auth.json; .config/anthropic/config.json; .modal.toml; .vast_api_key; .runpod/config.toml; " +
      ".kaggle/access_token; .config/openai/config.json; .openai/config.json; .netrc.gpg",
    // Keys, one-time codes, sessions of a browser or program.
    "age/key.txt; age/keys.txt; sops/keys.txt; chezmoi/key.txt; identity.txt; age-key.txt; age-keys.txt; .age-key; .agekey; " +
      "deploy_key; deploykey; deploy-key; keystore.properties; key.properties; .google_authenticator; .2fa",
    "private.asc; privkey.asc; secring.gpg; private.gpg; signing-key.asc; .tailscale/tailscaled.state; state.vscdb; login " +
      "data for account; web data; cookies; cookies.txt",
    "cookies.db; cookies.binarycookies; .cookies; cookiejar; key3.db; signons.sqlite; .smbpasswd; .wpa_supplicant.conf; " +
      "htpasswd; .htdigest; .pgpass.conf; opasswd; psk.txt",
    // What opens an encrypted file or a store of secrets, and what states and plans hold.
    "vault_pass; vault-pass; vaultpass; .vaultpass; vault_pass.txt; vault-pass.txt; vaultpass.txt; .vault_pass.txt; " +
      ".vault-pass.txt; .vaultpass.txt; .ansible-vault; .ansible_vault",
    ".consul-token; .nomad-token; .vault-init; vault-init.json; vault-keys.json; cluster-keys.json; unseal-keys.json; " +
      "unseal-keys.txt; root-token.txt; talosconfig; talsecret.yaml",
    "tfplan; private_key; privatekey; private-key; private_key.txt; private-key.txt; signing_key; signing-key; rke2.yaml; " +
      "kube_config_cluster.yml; cluster.rkestate; .passwd-s3fs; passwd-s3fs",
    ".vncpasswd; .rdp_password; .token; token.txt; .api_key; .apikey; vault-token; .ecryptfs/wrapped-passphrase; " +
      ".config/rncryptor; tailscaled.state; authtoken.secret",
  ),
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
  ...AGENT_SECRET_FILES,
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
export const SECRET_EXTENSIONS: readonly string[] = /* @__PURE__ */ listed(
  "pem; key; crt; p12; p8; pfx; pkcs12; jks; jceks; keystore; keytab; kdbx; ppk; ovpn; env; tfvars; tfstate; tfplan; rkestate; kubeconfig",
  "agekey; rdp; mobileconfig",
);

/** In a home folder only: elsewhere files of these names are a project's settings. */
export const SECRET_AT_HOME: readonly string[] = [
  ...listed(".yarnrc.yml; .yarnrc; .bunfig.toml; .condarc; .gemrc; .curlrc; .wgetrc; .wgetrc.local; token; .config/token"),
  ...AGENT_SECRETS_AT_HOME,
];

/** Private keys by name, wherever they lie; a `.pub` beside them is public. */
export const SECRET_KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "id_xmss"] as const;

/** What names of secrets begin with, wherever they lie: keys by name, keys of a host (sshd(8)), tickets of Kerberos (krb5.conf(5)). */
export const SECRET_BEGINNINGS = ["id_", "ssh_host_", "krb5cc_"] as const;

/** Words that make a data file secret when its name ends a word with them: `mysecret.txt`, not `secretary.csv`. */
export const SECRET_WORDS = ["secret", "secrets", "password", "passwords", "credential", "credentials"] as const;

/** Below these folders of ansible a name that begins with `vault` holds what the tasks log in with. */
export const VAULT_FOLDERS = ["group_vars", "host_vars"] as const;

/** Secret at these absolute places only. `*` is one segment. */
export const SECRET_PLACES: readonly string[] = /* @__PURE__ */ listed(
  "/etc/shadow; /etc/shadow-; /etc/gshadow; /etc/gshadow-; /etc/master.passwd; /etc/krb5.keytab; /etc/sudoers; /etc/sudoers.d",
  "/etc/security/opasswd; /etc/ppp/chap-secrets; /etc/ppp/pap-secrets; /etc/ipsec.secrets; /etc/ipsec.d/private; /etc/swanctl/private",
  "/etc/racoon; /etc/mullvad-vpn; /etc/nordvpn; /etc/cloudflared; /etc/ldap.secret; /etc/sssd; /etc/samba/private; /var/lib/samba/private",
  "/var/lib/sss/secrets; /var/lib/tailscale; /var/lib/zerotier-one; /var/lib/iwd; /var/lib/teleport; /var/lib/kubelet/pki",
  "/var/lib/rancher/k3s/server; /var/lib/docker/swarm; /etc/mysql/debian.cnf; /etc/exim4/passwd.client; /etc/postfix/sasl_passwd",
  "/etc/postfix/sasl; /etc/dovecot/private; /etc/msmtprc; /etc/ssmtp; /etc/fetchmailrc; /etc/apt/auth.conf; /etc/apt/auth.conf.d",
  "/etc/zypp/credentials.d; /etc/pki/entitlement; /etc/pki/consumer; /etc/boto.cfg; /etc/gitlab-runner; /etc/gitlab/gitlab.rb",
  "/etc/buildkite-agent; /etc/datadog-agent; /etc/grafana/grafana.ini; /etc/snmp/snmpd.conf; /var/lib/snmp; /etc/luks-keys",
  "/etc/cryptsetup-keys.d; /etc/hostapd; /etc/netplan; /var/lib/cloud/instance; /var/lib/cloud/instances; /var/lib/vault; /opt/vault/data",
  "/etc/vault.d; /etc/consul.d; /etc/nomad.d; /etc/etcd/pki; /etc/kubernetes/controller-manager.conf; /etc/kubernetes/scheduler.conf",
  "/etc/letsencrypt/accounts; /etc/freeradius; /private/etc/sudoers; /private/etc/sudoers.d; /private/etc/ssl/private; /etc/ssl/private",
  "/etc/pki/tls/private; /etc/letsencrypt/archive; /etc/letsencrypt/live; /etc/networkmanager/system-connections; /etc/wireguard; /etc/openvpn",
  "/etc/wpa_supplicant.conf; /etc/wpa_supplicant; /etc/kubernetes/admin.conf; /etc/kubernetes/pki; /etc/rancher/k3s/k3s.yaml",
  // What is typed.
  "/dev/input; /private/etc/master.passwd; /private/var/db/dslocal; /var/db/dslocal; /proc/*/environ; /proc/*/mem; /proc/*/task/*/environ",
  "/proc/*/task/*/mem; /proc/kcore; /run/secrets; /var/run/secrets",
  // Any file of a Mac by its number, which `ls -i` tells.
  "/.vol",
);

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
