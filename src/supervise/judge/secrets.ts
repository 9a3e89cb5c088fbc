import { isWithin } from "../../path/index.ts";
import { toolErrand } from "../errands/index.ts";

/**
 * Where a secret's name means a secret. Names as `*.pem` and `secrets.*` are protected in the project and at home;
 * elsewhere they are certificate bundles and library files, but for these places.
 */
const LISTED = new RegExp(
  String.raw`^\/(?:etc\/(?:g?shadow-?|ssl\/private(?:\/.*)?|pki\/tls\/private(?:\/.*)?|letsencrypt\/(?:archive|live)(?:\/.*)?|` +
    String.raw`NetworkManager\/system-connections(?:\/.*)?|wireguard(?:\/.*)?|master\.passwd|ssh\/ssh_host_.*_key|krb5\.keytab|` +
    String.raw`sudoers(?:\.d\/.*)?)|(?:home|Users)\/[^/]+\/.*|root\/.*|var\/(?:lib|run)\/.*\/secrets?\/.*|run\/secrets\/.*|proc\/.*)$`,
);

/**
 * Packages and toolchains as they were downloaded: whatever is in them is public. So are the certificates that Droid (0.215.0) names to
 * its commands by NODE_EXTRA_CA_CERTS.
 */
const LIBRARY = new RegExp(
  String.raw`\/(?:node_modules|site-packages|dist-packages|lib\/python\d[^/]*|vendor\/bundle|\.pyenv\/versions|\.nvm\/versions|` +
    String.raw`\.rustup\/toolchains|\.cargo\/registry|go\/pkg\/mod|\.rbenv\/versions|\.asdf\/installs|\.sdkman\/candidates|` +
    String.raw`\.npm\/_cacache|\.factory\/cache\/certs|\.cache\/(?:pip|uv|go-build|node-gyp))\/`,
);

/** Names in the pattern above, but for pythons'. */
export const LIBRARY_NAMES: readonly string[] = (
  "node_modules site-packages dist-packages vendor bundle .pyenv versions .nvm .rustup toolchains .cargo registry go pkg mod " +
  ".rbenv .asdf installs .sdkman candidates .npm _cacache .factory cache certs .cache pip uv go-build node-gyp"
).split(" ");

/** Whether a path that is named like a secret holds one, as far as a supervised program is concerned. */
export function holdsSecret(path: string, places: { readonly home: string; readonly projects: readonly string[] }): boolean {
  if (LIBRARY.test(path)) return false;
  return places.projects.some((root) => root !== "/" && isWithin(path, root)) || isWithin(path, places.home) || LISTED.test(path);
}

/**
 * Credentials and the programs they belong to, beside those of `knowledge/errands/*.table`: `~/` is home, a folder stands for everything
 * in it.
 */
const OWNERS: readonly { readonly programs: RegExp; readonly paths: readonly string[] }[] = [
  { programs: /^(?:ssh|scp|sftp|ssh-add|ssh-keygen|ssh-agent|ssh-keyscan|autossh|mosh)$/, paths: ["~/.ssh"] },
  { programs: /^(?:gpg2?|gpg-agent|gpgsm|gpgconf|keyboxd|dirmngr|scdaemon)$/, paths: ["~/.gnupg"] },
  {
    programs: /^git(?:-remote-https?|-credential-store|-credential-cache)?$/,
    paths: ["~/.git-credentials", "~/.config/git/credentials", "~/.netrc"],
  },
  { programs: /^(?:curl|wget|ftp|git-remote-https?)$/, paths: ["~/.netrc"] },
  { programs: /^(?:docker|docker-.*|podman|buildah|skopeo)$/, paths: ["~/.docker/config.json", "~/.config/containers"] },
  { programs: /^(?:kubectl|helm|k9s|kustomize)$/, paths: ["~/.kube"] },
  { programs: /^(?:aws|aws_completer|sam|cdk)$/, paths: ["~/.aws"] },
  { programs: /^(?:gcloud|gsutil|bq)$/, paths: ["~/.config/gcloud"] },
  { programs: /^(?:az)$/, paths: ["~/.azure"] },
  { programs: /^(?:gem|bundle|ruby)$/, paths: ["~/.gemrc"] },
  { programs: /^(?:npm-cli\.js|npx-cli\.js|pnpm\.cjs|yarn\.js|corepack)$/, paths: ["~/.npmrc", "~/.yarnrc.yml", "~/.yarnrc"] },
  { programs: /^(?:elixir|beam\.smp|erlexec|erl)$/, paths: ["~/.hex", "~/.config/hex"] },
  { programs: /^(?:curl|wget)$/, paths: ["~/.curlrc", "~/.wgetrc"] },
  { programs: /^(?:sentry-cli)$/, paths: ["~/.sentryclirc"] },
  { programs: /^(?:firefox|thunderbird)(?:-bin|-esr)?$/, paths: ["~/.mozilla", "~/.thunderbird"] },
  { programs: /^(?:snow|snowsql)$/, paths: ["~/.snowflake", "~/.snowsql", "~/.config/snowflake"] },
  {
    programs: /^(?:msmtp|mbsync|offlineimap|fetchmail|mutt|neomutt)$/,
    paths: ["~/.msmtprc", "~/.mbsyncrc", "~/.offlineimaprc", "~/.fetchmailrc", "~/.muttrc", "~/.mutt"],
  },
  { programs: /^(?:psql|pg_dump|pg_restore)$/, paths: ["~/.pgpass"] },
  { programs: /^(?:mysql|mysqldump|mariadb)$/, paths: ["~/.my.cnf"] },
  { programs: /^pulumi(?:-.*)?$/, paths: ["~/.pulumi"] },
  { programs: /^talosctl$/, paths: ["~/.talos", "~/.config/talos"] },
  { programs: /^(?:sudo|su|login|passwd|unix_chkpwd)$/, paths: ["/etc/shadow", "/etc/sudoers", "/etc/sudoers.d"] },
];

/** A program's own credential. `programs`: the trusted names it goes by. */
export function ownsCredential(programs: readonly string[], path: string, home: string): boolean {
  // Variables, plans and states of terraform lie in the project.
  if (
    /(?:\.(?:tfvars|tfstate|tfplan)|\/tfplan)(?:\.json|\.backup|\.\d+)*$/.test(path) &&
    programs.some((program) => /^(?:terraform|tofu|terragrunt)$/.test(program))
  )
    return true;
  const isAt = (own: string): boolean => isWithin(path, own.startsWith("~/") ? home + own.slice(1) : own);
  return programs.some(
    (program) =>
      toolErrand(program)?.login?.some(isAt) === true || OWNERS.some((owner) => owner.programs.test(program) && owner.paths.some(isAt)),
  );
}
