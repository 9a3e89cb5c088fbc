import { NPMRC, STATES } from "#knowledge/traits";
import { toldOf } from "@assent/core/policy";
import { LOGINS } from "#knowledge/logins";
import { existsSync } from "node:fs";
import type { FileAction } from "@assent/core/action";
import { isWithin } from "@assent/core/path";
import { matchesText } from "@assent/core/pattern";
import { readRegular } from "@assent/guard/state";
import { hasLoginsFor, knownToolService } from "../services/services.ts";
import type { Caller } from "./types.ts";

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
const LIBRARIES = (
  "node_modules site-packages dist-packages vendor/bundle .pyenv/versions .nvm/versions .rustup/toolchains .cargo/registry go/pkg/mod " +
  ".rbenv/versions .asdf/installs .sdkman/candidates .npm/_cacache .factory/cache/certs .cache/pip .cache/uv .cache/go-build .cache/node-gyp"
).split(" ");
const LIBRARY = new RegExp(String.raw`\/(?:${LIBRARIES.join("|").replaceAll(".", String.raw`\.`)}|lib\/python\d[^/]*)\/`);

/** Names in the pattern above, but for pythons'. */
export const LIBRARY_NAMES: readonly string[] = LIBRARIES.flatMap((place) => place.split("/"));

/** Whether a path that is named like a secret holds one, as far as a supervised program is concerned. */
export function holdsSecret(path: string, places: { readonly home: string; readonly projects: readonly string[] }): boolean {
  if (LIBRARY.test(path)) return false;
  return places.projects.some((root) => root !== "/" && isWithin(path, root)) || isWithin(path, places.home) || LISTED.test(path);
}

/** A row of the key `login`. `unless`, `needs`: a word of the command line. */
interface CredentialOwner {
  readonly names: readonly string[];
  readonly paths: readonly string[];
  readonly unless: RegExp | undefined;
  readonly needs: RegExp | undefined;
}

let owners: readonly CredentialOwner[] | undefined;

/**
 * Credentials and the programs they belong to, beside those of `knowledge/services/*.table`: `~/` is home, a folder stands for everything
 * in it. `git credential-store` is none of them: it hands what it reads to whoever asks.
 */
const allOwners = (): readonly CredentialOwner[] =>
  (owners ??= LOGINS.split("\n").flatMap((row) => {
    const [, names, paths, ...patterns] = /^ (.+) \t(.+?)(?: unless \/(.+?)\/(i?))?(?: needs \/(.+)\/(i?))?$/.exec(row) ?? [];
    const [unless, unlessFlags, needs, needsFlags] = patterns;
    const pattern = (text: string | undefined, flags: string | undefined): RegExp | undefined =>
      text === undefined ? undefined : new RegExp(text, flags);
    if (names === undefined || paths === undefined) return [];
    const when = { unless: pattern(unless, unlessFlags), needs: pattern(needs, needsFlags) };
    return [{ names: names.split(" "), paths: paths.split("; "), ...when }];
  }));

/** A login of npmrc(5), by its key or within an address; what is written with escapes may be any. */
const NPMRC_LOGIN = /_auth|passw|user|token|secret|otp|email|(?:^|[\s:])"?'?(?:cert|key)|:\/\/[^/\s]*@|\\/im;
/** The usual line of a file that is tracked: the login itself stands in the environment. */
const FROM_VARIABLE = /^\s*\/\/[^\s=]+:_authToken\s*=\s*"?\$\{\w+\??\}"?\s*$/gm;

const MOST_NPMRC = 1 << 16;

/** A project's own `.npmrc` in which no login stands: its package manager may read its settings. */
export function isNpmrcWithoutLogin(path: string, programs: readonly string[]): boolean {
  if (!path.endsWith("/.npmrc") || !programs.some((program) => NPMRC.has(program))) return false;
  // A FIFO of that name would keep the supervisor waiting.
  const found = readRegular(path, MOST_NPMRC);
  return found.is === "text" && !NPMRC_LOGIN.test(found.text.replace(FROM_VARIABLE, ""));
}

/** In the place of a file: the states that the program keeps in the project. */
const KEPT = "states of ";

/**
 * Where the credentials lie that a program may read: its own, for its own use. `words`: its arguments; `known`: the entry of knowledge
 * that says what they do.
 */
export function loginsOf(program: string, words: readonly string[], known: string | undefined): readonly string[] {
  const owned = allOwners().filter(({ names, unless, needs }) => {
    if (!names.some((name) => matchesText(name, program)) || words.some((word) => unless?.test(word))) return false;
    return needs === undefined || words.some((word) => needs.test(word));
  });
  return [
    ...(hasLoginsFor(program, words, known) ? (knownToolService(program)?.login ?? []) : []),
    ...owned.flatMap(({ paths }) => paths),
    ...(toldOf(STATES, program) === undefined ? [] : [`${KEPT}${program}`]),
  ];
}

/** The first copy of a template (`cp .env.example .env`): it was not there, and once it is, it is a secret to everybody. */
export const makesCopy = ({ operation, call }: FileAction, path: string, caller: Caller): boolean =>
  caller.toolService().makes === path &&
  (operation === "metadata" || (operation === "write" && call?.name === "open" && !existsSync(path)));

const isStateOf = (program: string, path: string): boolean => new RegExp(toldOf(STATES, program) ?? "$^").test(path);

/** A program's own credential. `logins`: where they lie, by `loginsOf`. */
export const ownsCredential = (logins: readonly string[], path: string, home: string): boolean =>
  logins.some((own) =>
    own.startsWith(KEPT) ? isStateOf(own.slice(KEPT.length), path) : isWithin(path, own.startsWith("~/") ? home + own.slice(1) : own),
  );
