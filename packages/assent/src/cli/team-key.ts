import { closeSync, constants, openSync, writeSync } from "node:fs";
import * as v from "valibot";
import { visible } from "@assent/core/action";
import { baseName, parentOf } from "@assent/core/path";
import { isPublicKey, keyIdOf, makeKeyPair, type PolicyCommand, signStatement } from "@assent/guard/signature";
import { ensureFolder, errorCode, readRegular, thisMachine } from "@assent/guard/state";
import { askServer, chooseProxy, readMembership, readServerUrl, type ServerAnswer, type TeamServer } from "@assent/team/team";
import { PolicyCommandAnswer, type PolicyCommandRequest, PolicyHead } from "@assent/team/team/protocol";
import { absolute } from "./place.ts";

const KeyFile = v.strictObject({
  v: v.literal(1),
  is: v.literal("assent team policy key"),
  /** By which people compare it. */
  id: v.string(),
  public: v.custom<string>(isPublicKey),
  private: v.custom<string>(isPublicKey),
  /** Public keys that came before it. */
  before: v.array(v.custom<string>(isPublicKey)),
});
export type TeamKey = v.InferOutput<typeof KeyFile>;

/** INVARIANT: a secret wherever it lies (policy/tables/protected-paths.ts). */
const KEY_NAME = "team-policy-key.json";
/** Of the person's own: agents can neither read nor change what lies there. */
export const defaultKeyFile = (): string => `${thisMachine().home}/.config/assent/${KEY_NAME}`;
/** Whether agents are kept from reading a key in such a file by its name. */
export const isClosedName = (file: string): boolean => baseName(file) === KEY_NAME;

export const makeTeamKey = (before: readonly string[]): TeamKey => {
  const { publicKey, privateKey } = makeKeyPair();
  return { v: 1, is: "assent team policy key", id: keyIdOf(publicKey), public: publicKey, private: privateKey, before: [...before] };
};

/** For its person alone, and never in the place of another one. A reason where it cannot be. */
export function writeTeamKey(file: string, key: TeamKey): string | undefined {
  try {
    ensureFolder(parentOf(file));
    const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
    writeSync(descriptor, `${JSON.stringify(key, null, 2)}\n`);
    closeSync(descriptor);
    return undefined;
  } catch (error) {
    return errorCode(error) === "EEXIST" ? `${file} is there already` : `${file} cannot be written: ${errorCode(error)}`;
  }
}

/** What a command could not do, for its person. */
export interface TeamFailure {
  readonly problem: string;
  readonly help?: string;
}

export function readTeamKey(given: string | undefined): TeamKey | TeamFailure {
  const file = given === undefined ? defaultKeyFile() : absolute(given);
  const found = readRegular(file, 1 << 16);
  if (found.is === "missing")
    return { problem: `no key was found at ${visible(file)}`, help: "--key FILE names it; `assent team policy key` makes one" };
  if (found.is === "broken") return { problem: `${visible(file)} ${found.why}` };
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch {
    // Said below.
  }
  const read = v.safeParse(KeyFile, value);
  return read.success && keyIdOf(read.output.public) === read.output.id
    ? read.output
    : { problem: `${visible(file)} is not a key that \`assent team policy key\` made` };
}

export interface AtServer {
  readonly server?: string;
  readonly ca?: string;
}

/** The server that was named, else the one of this machine's team. */
export function serverOf({ server, ca }: AtServer): TeamServer | TeamFailure {
  if (server === undefined) {
    const membership = readMembership(thisMachine());
    return typeof membership === "string"
      ? {
          problem: "this machine belongs to no team, so it does not know the team's server",
          help: "--server https://HOST names it: the address at which its pages open in a browser",
        }
      : { url: membership.url, ca: ca === undefined ? membership.ca : absolute(ca), proxy: membership.proxy };
  }
  const read = readServerUrl(server);
  if ("problem" in read) return { problem: `${visible(server)} ${read.problem}` };
  const way = chooseProxy(read.url, thisMachine().env);
  if ("problem" in way) return { problem: way.problem, help: "NO_PROXY lists what is reached without a proxy" };
  return { url: read.url, ca: ca === undefined ? undefined : absolute(ca), proxy: way.proxy };
}

const NOTHING = { about: null, group: null, version: null, percent: null, days: null } as const;

/** Whoever has the team's key, and a server that does what it signs. */
export class KeyedServer {
  readonly server: TeamServer;
  readonly key: TeamKey;
  readonly head: PolicyHead;

  private constructor(server: TeamServer, key: TeamKey, head: PolicyHead) {
    [this.server, this.key, this.head] = [server, key, head];
  }

  static async open(options: AtServer & { readonly key?: string }): Promise<KeyedServer | TeamFailure> {
    const key = readTeamKey(options.key);
    if ("problem" in key) return key;
    const server = serverOf(options);
    if ("problem" in server) return server;
    const asked = await askServer(server, "GET", "/v1/policy/head", PolicyHead);
    return asked.is === "answered" ? new KeyedServer(server, key, asked.message) : { problem: `${server.url}: ${asked.why}` };
  }

  async ask(
    what: PolicyCommand["what"],
    more: Partial<Omit<PolicyCommand, "is" | "organisation" | "what" | "at">> = {},
    with_: Pick<PolicyCommandRequest, "signed" | "change"> = {},
  ): Promise<PolicyCommandAnswer | TeamFailure> {
    const { organisation } = this.head;
    const statement: PolicyCommand = { is: "command", organisation, what, ...NOTHING, ...more, at: new Date().toISOString() };
    const command = signStatement(statement, { publicKey: this.key.public, privateKey: this.key.private });
    const asked: ServerAnswer<PolicyCommandAnswer> = await askServer(this.server, "POST", "/v1/policy/command", PolicyCommandAnswer, {
      v: 1,
      command,
      ...with_,
    });
    return asked.is === "answered" ? asked.message : { problem: `${this.server.url}: ${asked.why}` };
  }
}
