import { describe, expect, test } from "vitest";
import { comparable, comparablePlaces } from "../../packages/core/src/policy/match/location.ts";
import { isGitConfig } from "../../packages/core/src/policy/tables/git-paths.ts";
import { isHarmlessDevice, isPersistence, isRawDevice, isSecret, isSystem } from "../../packages/core/src/policy/path-class.ts";
import { agentFile } from "../../packages/core/src/policy/tables/agent-files.ts";
import { world } from "./language.ts";
import { workedSince } from "../worked.ts";

const P = "/home/me/repo";

describe("secrets (Y8, YW3)", () => {
  test.each([
    // Y8, the twelve patterns.
    `${P}/.env`,
    `${P}/.env.production`,
    `${P}/server.pem`,
    `${P}/config/prod.key`,
    `${P}/tls.crt`,
    `${P}/credentials`,
    `${P}/credentials.json`,
    `${P}/secrets.yaml`,
    `${P}/client_secret_123.json`,
    `${P}/my-secret.txt`,
    `${P}/passwords.txt`,
    `${P}/db-password`,
    "/home/me/.aws/credentials",
    "/home/me/.ssh/id_rsa",
    "/home/me/.ssh/id_rsa.pub.bak",
    "/home/me/.ssh/a.pub/x",
    "/home/me/.ssh/sub/a.pub",
    "/home/me/.gnupg/secring.gpg",
    // YW3, the gaps.
    `${P}/secrets/db.yaml`,
    `${P}/secrets/token`,
    `${P}/credentials/prod.json`,
    `${P}/.envrc`,
    `${P}/.env-prod`,
    `${P}/.ENV`,
    `${P}/.Env.Local`,
    `${P}/.env.local`,
    `${P}/prod.env`,
    `${P}/deploy/id_rsa`,
    `${P}/id_ed25519_work`,
    `${P}/id_rsa.bak`,
    "/home/me/.netrc",
    "/home/me/.npmrc",
    `${P}/.npmrc`,
    "/home/me/.pypirc",
    "/home/me/.git-credentials",
    "/home/me/.kube/config",
    "/home/me/.docker/config.json",
    `${P}/cert.p12`,
    `${P}/cert.PFX`,
    `${P}/store.jks`,
    `${P}/app.keystore`,
    "/home/me/.ssh",
    "/home/me/.aws",
    "/home/me/.gnupg",
    "/home/me/.config/gh/hosts.yml",
    "/home/me/.config/gcloud/access_tokens.db",
    "/home/me/.azure/msal_token_cache.json",
    "/home/me/.bash_history",
    "/home/me/.zsh_history",
    "/home/me/.local/share/fish/fish_history",
    "/etc/shadow",
    "/proc/self/environ",
    "/proc/1234/environ",
    "/proc/1234/task/77/environ",
    "/run/secrets/db",
    "/opt/vault/data/core/_keyring",
    "/etc/ssl/private/server.pem",
    "/home/me/.claude/.credentials.json",
    "/home/me/.codex/auth.json",
    `${P}/clientSecret.json`,
    `${P}/secrets.sh`,
    // Reading a disk reads every file on it.
    "/dev/sda1",
  ])("%s is one", (path) => {
    expect(isSecret(path)).toBe(true);
  });

  test.each([
    `${P}/src/secretary.ts`,
    `${P}/password_reset.py`,
    `${P}/src/secrets.py`,
    `${P}/docs/passwords.md`,
    `${P}/.gitignore`,
    `${P}/public.css`,
    `${P}/package.json`,
    `${P}/src/id_token.ts`,
    `${P}/src/secrets/manager.ts`,
    `${P}/rotate-secrets.sh`,
    `${P}/secretary.json`,
    `${P}/id_rsa.pub`,
    "/home/me/.ssh/id_ed25519.pub",
    "/home/me/.ssh/me@work.pub",
    `${P}/src/environment.ts`,
    `${P}/keyboard.json`,
    `${P}/src/components/Password.vue`,
    `${P}/password.svg`,
    `${P}/README.md`,
    "/etc/passwd",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/lib/python3/secrets.py",
    "/usr/share/ca-certificates/mozilla/x.crt",
    `${P}/node_modules/agent/test/server.key`,
    "/proc/cpuinfo",
    "/home/me/.config/gh/config.yml",
    "/dev/null",
  ])("%s is none", (path) => {
    expect(isSecret(path)).toBe(false);
  });
});

describe("stores of credentials", () => {
  test.each(
    `.authinfo; .stripe/config.toml; .vercel/auth.json; .config/opencode/auth.json; .openai/auth.json; .planetscale/access-token; .config/circleci/cli.yml; .local/share/atuin/key; krb5cc_1000;
    .config/pypoetry/auth.toml; .sentryclirc; .nuget/NuGet/NuGet.Config; .config/NuGet/NuGet.Config; .snowflake/connections.toml; .hex/hex.config; .config/sops/age/keys.txt;
    .config/age/key.txt; .bitcoin/wallets/main; .electrum/wallets/default; .config/pip/pip.conf; .pip/pip.conf; repo/pip.conf; repo/terraform.tfvars; repo/prod.auto.tfvars;
    .config/Slack/Cookies; .config/discord/Local Storage/leveldb/000003.log; .config/Signal/config.json; .local/share/TelegramDesktop/tdata/key_datas; .thunderbird/x/logins.json;
    .config/BraveSoftware/Brave-Browser/Default/Cookies; snap/firefox/common/.mozilla/firefox/x/cookies.sqlite; .config/microsoft-edge/Default/Login Data; .librewolf/x/key4.db;
    .config/Bitwarden CLI/data.json; .config/rbw/config.json; .local/share/gopass/stores/root/x.gpg; .config/hcloud/cli.toml; .config/scw/config.yaml; .aliyun/config.json;
    .pulumi/credentials.json; .terraform.d/credentials.tfrc.json; .cloudflared/cert.pem; .supabase/access-token; .config/neonctl/credentials.json; .jfrog/jfrog-cli.conf.v6;
    .saml2aws; .okta/okta.yaml; .config/tea/config.yml; .gitlab-runner/config.toml; .jira.d/config.yml; .twurlrc; .pg_service.conf; .cassandra/cqlshrc; .influxdbv2/configs;
    .msmtprc; .mbsyncrc; .muttrc; .claude.json; .continue/config.json; .modal.toml; .vast_api_key; repo/.dev.vars; repo/local.settings.json; repo/keystore.properties; .yarnrc.yml;
    .condarc; .Renviron; .filezilla/sitemanager.xml; .vnc/passwd; .local/share/remmina/x.remmina; .config/syncthing/config.xml; .config/solana/id.json; .ethereum/keystore/UTC--x;
    .config/Exodus/exodus.wallet/seed.seco; .lnd/data/chain/admin.macaroon; .foundry/keystores/deployer; .near-credentials/testnet/x.json; .google_authenticator; .zerotier-one/x;
    Library/Application Support/Google/Chrome/Default/Cookies; Library/Messages/chat.db; Library/Safari/History.db; Library/Application Support/Slack/Cookies; repo/mysecret.txt;
    repo/topsecrets.json; repo/dbpassword.txt; repo/awscredentials.csv; repo/htpasswd; .config/Postman/x; .docker/config.json; .config/vivaldi/Default/Cookies; .purple/accounts.xml`
      .split(";")
      .map((path) => `/home/me/${path.trim()}`),
  )("%s is one", (path) => {
    expect(isSecret(path)).toBe(true);
  });

  // What holds secrets beside other things, or opens what is encrypted (J14).
  test.each(
    `terraform.tfstate; terraform.tfstate.backup; env/prod.tfstate; errored.tfstate; terraform.tfstate.1700000000.backup; terraform.tfstate.d/prod/terraform.tfstate;
    .terraform/terraform.tfstate; Terraform.TFState; plan.tfplan; tfplan; prod.tfvars.1; .pulumi/stacks/dev.json; cluster.rkestate; vault_pass.txt; .vault_pass.txt; .vaultpass;
    group_vars/all/vault.yml; host_vars/web/vault; inventory/group_vars/prod/vault-secrets.yml; private_key; talosconfig; unseal-keys.json; id_rsa.1; server.key.2; .env.1; .netrc.1.bak`
      .split(";")
      .map((path) => `${P}/${path.trim()}`),
  )("%s is one", (path) => {
    expect(isSecret(path)).toBe(true);
  });

  test.each(
    `main.tf; .terraform.lock.hcl; Pulumi.prod.yaml; Pulumi.yaml; k8s/vault.yaml; vault.yml; src/vault.ts; group_vars/all/main.yml; host_vars/web.yml; libfoo.so.1; x.1; CHANGELOG.1;
    state.json; plan.md; src/tfstate.go; private_key_test.go; report.2024; app.log.1; terraform.tfstate.md`
      .split(";")
      .map((path) => `${P}/${path.trim()}`),
  )("%s is none", (path) => {
    expect(isSecret(path)).toBe(false);
  });

  test.each([
    "/etc/sudoers",
    "/etc/sudoers.d/me",
    "/etc/ppp/chap-secrets",
    "/etc/apt/auth.conf.d/x",
    "/etc/postfix/sasl_passwd",
    "/var/lib/tailscale/tailscaled.state",
  ])("%s is one", (path) => {
    expect(isSecret(path)).toBe(true);
  });

  // What one reads and edits every day, though a word or a name is near.
  test.each(
    `src/secrets.py; src/secret.go; docs/secrets.md; node_modules/secretlint/package.json; src/mysecret.ts; secretary.csv; secretariat.txt; .yarnrc.yml; .condarc; .gemrc; auth.json;
    src/auth.toml; config.toml; settings.json; nuget.txt; pip.txt; terraform.tf; main.tf; variables.tf; src/cookies.ts; src/wallet.ts; tokens.json; keys.ts; .snowflake.md;
    discord.py; slack.json; .config/app/config.json; pyproject.toml; poetry.lock; mix.exs; .terraform.lock.hcl; sentry.ts; password_test.go; src/passwords/index.ts; .bitcoinrc.md`
      .split(";")
      .map((path) => `${P}/${path.trim()}`),
  )("%s is none", (path) => {
    expect(isSecret(path)).toBe(false);
  });
});

const places = comparablePlaces(world());

describe("system files (YW3)", () => {
  test.each([
    "/etc",
    "/etc/hosts",
    "/usr/bin/ls",
    "/lib/x.so",
    "/opt/x",
    "/root/.profile",
    "/dev/sda",
    "/private/etc/hosts",
    "/var/lib/x",
    "/boot/vmlinuz",
    "/proc/sys/kernel/x",
    "/sys/x",
    "/bin/sh",
    "/Library/x",
  ])("%s is one", (path) => {
    expect(isSystem(path, places, false)).toBe(true);
  });
  test.each([
    P,
    `${P}/etc/x`,
    "/home/me/x",
    "/tmp/x",
    "/dev/null",
    "/dev/stderr",
    "/dev/tty",
    "/dev/fd/3",
    "/srv/x",
    "/etcetera/x",
    "/private/x",
  ])("%s is none", (path) => {
    expect(isSystem(path, places, false)).toBe(false);
  });
  test.each([
    ["a project in a system folder", "/usr/src/app/x", world({ projectRoot: "/usr/src/app" }), false],
    ["a project that is a system folder", "/etc/hosts", world({ projectRoot: "/etc" }), true],
    ["root's own home", "/root/x", world({ home: "/root" }), false],
    ["temp below /var", "/var/tmp/x", world({ temp: ["/var/tmp"] }), false],
    ["another case where the disk folds it", "/ETC/hosts", world({ foldsCase: true }), true],
  ])("%s", (_, path, where, expected) => {
    const [form = path] = comparable([path], where);
    expect(isSystem(form, comparablePlaces(where), where.foldsCase)).toBe(expected);
  });
});

describe("files that run code later", () => {
  test.each([
    "/home/me/.bashrc",
    "/home/me/.zshenv",
    "/home/other/.profile",
    "/home/me/.gitconfig",
    "/home/me/.config/git/config",
    "/home/me/.ssh/authorized_keys",
    "/home/me/.config/systemd/user/x.service",
    "/home/me/.config/autostart/x.desktop",
    "/home/me/.local/bin/git",
    "/home/me/.cargo/bin/cargo",
    "/home/me/.pyenv/shims/python",
    "/home/me/Library/LaunchAgents/x.plist",
    "/home/me/.local/share/pnpm/tsc",
    `${P}/.git/x/.git/hooks/pre-commit`,
    `${P}/.git/hooks/.git/x`,
    `${P}/.git/hooks/pre-commit`,
    `${P}/.git/hooks`,
    `${P}/.git/modules/sub/hooks/post-checkout`,
    "/etc/cron.d/x",
    "/var/spool/cron/me",
  ])("%s", (path) => {
    expect(isPersistence(path, places)).toBe(true);
  });
  test.each([
    `${P}/.bashrc`,
    `${P}/.git/hooks/pre-commit.sample`,
    `${P}/.husky/pre-commit`,
    `${P}/.git/index`,
    "/home/me/notes.txt",
    "/home/me/.local/share/pnpm/store/v10/files/00/x",
    `${P}/bin/x`,
  ])("%s does not", (path) => {
    expect(isPersistence(path, places)).toBe(false);
  });
  test("git's own configuration", () => {
    expect([`${P}/.git/config`, `${P}/.git`, `${P}/.git/info/attributes`].map(isGitConfig)).toEqual([true, true, true]);
    expect([`${P}/.git/HEAD`, `${P}/config`, `${P}/.github/config`].map(isGitConfig)).toEqual([false, false, false]);
  });
});

test("raw and harmless devices", () => {
  expect(["/dev/sda", "/dev/nvme0n1p2", "/dev/mem", "/dev/disk0", "/dev/mapper/root", "/proc/sysrq-trigger"].every(isRawDevice)).toBe(true);
  expect(["/dev/null", "/dev/tty", "/dev/shm/x", "/dev/urandom"].some(isRawDevice)).toBe(false);
  expect(["/dev/null", "/dev/fd/3", "/dev/stdout"].every(isHarmlessDevice)).toBe(true);
  expect(["/dev/sda", "/dev/fd/x", "/dev/pts/3"].some(isHarmlessDevice)).toBe(false);
});

describe("agents' own files", () => {
  test.each([
    ["/home/me/.claude/settings.json", "registration"],
    ["/home/me/.claude/hooks/x.sh", "registration"],
    ["/home/me/.codex/config.toml", "registration"],
    ["/home/me/.config/opencode/plugins/x.js", "registration"],
    ["/home/me/.agent-permissions.jsonc", "registration"],
    ["/etc/claude-code/managed-settings.json", "registration"],
    ["/etc/assent", "registration"],
    [`${P}/.claude/settings.local.json`, "setting"],
    [`${P}/.codex/config.toml`, "setting"],
    [`${P}/.cursor/hooks.json`, "setting"],
    [`${P}/.mcp.json`, "setting"],
    [`${P}/.vscode/settings.json`, "setting"],
    [`${P}/pkg/.agent-permissions.jsonc`, "setting"],
    [`${P}/.Claude/Settings.json`, "setting"],
    [`${P}/.claude/worktrees/a/src/x.ts`, undefined],
    [`${P}/CLAUDE.md`, undefined],
    [`${P}/src/settings.json`, undefined],
    // What hosts source or look programs up in before each command.
    ["/home/me/.claude/shell-snapshots/snapshot-bash-1-a.sh", "registration"],
    ["/home/me/.claude/shell-snapshots", "registration"],
    ["/home/me/.claude/session-env/9e8a/sessionstart-hook-0.sh", "registration"],
    ["/home/me/.claude/Shell-Snapshots/x.sh", "registration"],
    ["/home/other/.claude/session-env/x", "registration"],
    ["/home/me/.claude/rm-guard/rm", "registration"],
    ["/home/me/.claude/daemon/dispatch.json", "registration"],
    ["/home/me/.claude/daemon.json", "registration"],
    ["/home/me/.codex/shell_snapshots/1.2.sh", "registration"],
    ["/home/me/.codex/tmp/arg0-linux/codex-arg0a1/apply_patch", "registration"],
    ["/home/me/.pi/agent/bin/rg", "registration"],
    ["/home/me/.pi/agent/npm/node_modules/x/index.js", "registration"],
    ["/home/me/.factory/bin/rg", "registration"],
    ["/home/me/.kimi-code/config.toml", "registration"],
    ["/home/me/.acpx/config.json", "registration"],
    // The rest of a host's own folder, but for what its model writes with its tools.
    ["/home/me/.claude/CLAUDE.md", "setting"],
    ["/home/me/.claude/jobs/1/state.json", "setting"],
    ["/home/me/.claude/local/claude", "setting"],
    ["/home/me/.claude/projects/x/s.jsonl", "setting"],
    ["/home/me/.claude/projects/x/memory-of-mine/notes.md", "setting"],
    ["/home/me/.claude/projects/memory/notes.md", "setting"],
    ["/home/me/.claude/rules/a.md", "setting"],
    ["/home/me/.claude/workflows/a.js", "setting"],
    ["/home/me/.claude/no-such-thing-yet/x", "setting"],
    ["/home/me/.claude", "setting"],
    ["/home/me/.local/share/claude/versions/2.1.332", "setting"],
    ["/home/me/.gemini/tmp/bin/rg", "setting"],
    ["/home/me/.gemini/history/a/.gitconfig", "setting"],
    ["/home/me/.qwen/bin/rg", "setting"],
    ["/home/me/.qwen/updates/npm/x/versions/1/cli.js", "setting"],
    ["/home/me/.cache/copilot/pkg/linux-x64/1.0.1/index.js", "setting"],
    ["/home/me/.local/share/opencode/snapshot/a/b/config", "setting"],
    ["/home/me/.local/share/kilo/snapshot/a/b/config", "setting"],
    ["/home/me/.cache/kilo/bin/rg", "setting"],
    ["/home/me/.vscode-server/bin/a/out/shellIntegration-bash.sh", "setting"],
    ["/home/me/.cursor-server/bin/a/out/shellIntegration-bash.sh", "setting"],
    ["/home/me/.kimi-code/mcp.json", "setting"],
    ["/home/me/.claude/projects/x/memory/notes.md", undefined],
    ["/home/me/.claude/projects/x/memory", undefined],
    ["/home/me/.claude/projects/x/memory/topics/a.md", undefined],
    ["/home/me/.claude/plans/a.md", undefined],
    ["/home/me/.claude/todos/a.json", undefined],
    ["/home/me/.claude/agent-memory/reviewer/MEMORY.md", undefined],
    ["/home/me/.claude/jobs/1/tmp/a.txt", undefined],
    [`${P}/.claude/notes.md`, undefined],
    [`${P}/shell-snapshots/x.sh`, undefined],
    ["/home/me/.local/share/opencode/plans/a.md", undefined],
  ])("%s: %s", (path, expected) => {
    expect(agentFile(path, places)).toBe(expected);
  });
});

test("no name takes long to look at", () => {
  const hostile = ["/.git/modules", "/.vscode", "/@", "/.env", "/secret", "@", "aA", "/.claude/x", "~", "/home/me/.config"].map((part) =>
    part.repeat(400_000 / part.length),
  );
  const started = process.cpuUsage();
  for (const path of hostile) {
    isSecret(`/x${path}`);
    isPersistence(`/x${path}`, places);
    isGitConfig(`/x${path}`);
    isSystem(`/x${path}`, places, true);
    agentFile(`/x${path}`, places, true);
  }
  // Linear work is some milliseconds a path; a quadratic step would be minutes.
  expect(workedSince(started)).toBeLessThan(60_000);
});
