import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { visible } from "../action/index.ts";
import { isObject } from "../data/index.ts";
import { parentOf } from "../path/index.ts";
import { ensureFolder, errorCode, messageOf, readRegular, stateFolder, thisMachine } from "../state/index.ts";
import { ERRNO, sys, SYSCALLS } from "../supervise/kernel/index.ts";
import type { HeldLock, TeamServeOptions } from "../team/protocol/index.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

export interface TeamServeFlags {
  readonly database?: string;
  readonly folder?: string;
  readonly listen: string;
  readonly url?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly metrics?: string;
  readonly adminLink?: boolean;
  readonly privateWebhooks?: boolean;
  readonly keepMonths?: number;
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcSecretFile?: string;
  readonly oidcGroups: string;
}

const COMMAND = "team serve";
const PACKAGE = "assent-team";

/** `assent team serve`: until it is told to end. 0 ended, 1 cannot start, 2 wrong usage. */
export async function teamServe(flags: TeamServeFlags): Promise<number> {
  const { tlsCert: cert, tlsKey: key } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    complain(COMMAND, "--tls-cert and --tls-key belong together");
    return 2;
  }
  const machine = thisMachine();
  const database = flags.database ?? machine.env["ASSENT_TEAM_DATABASE"];
  if (database !== undefined && flags.folder !== undefined) {
    complain(COMMAND, "--folder is of the embedded database: leave it out, or --database");
    return 2;
  }
  const oidc = readOidc(flags, machine.env["ASSENT_TEAM_OIDC_SECRET"]);
  if (oidc !== undefined && "problem" in oidc) {
    complain(COMMAND, oidc.problem);
    return 2;
  }
  const loaded = await loadServer();
  if ("problem" in loaded) {
    complain(COMMAND, loaded.problem, loaded.help);
    return 1;
  }
  const folder = flags.folder === undefined ? `${stateFolder(machine)}/team-server` : absolute(flags.folder);
  const options: TeamServeOptions = {
    database: database === "" ? undefined : database,
    folder,
    listen: flags.listen,
    url: flags.url,
    tls: cert === undefined || key === undefined ? undefined : { cert: absolute(cert), key: absolute(key) },
    metrics: flags.metrics,
    adminLink: flags.adminLink === true,
    privateWebhooks: flags.privateWebhooks,
    keepMonths: flags.keepMonths,
    oidc,
    holdLock,
    say: (text) => writeStdout(`assent team: ${visible(text)}\n`),
    log: (line) => writeStderr(`${line}\n`),
  };
  try {
    const running = await loaded.start(options);
    await toldToEnd();
    await running.stop();
    return 0;
  } catch (error) {
    complain(COMMAND, visible(messageOf(error)));
    return 1;
  }
}

const MOST_SECRET = 4096;

/** The provider's address and what it knows this server by. The secret comes from a file or the environment: arguments can be seen. */
function readOidc(
  { oidcIssuer: issuer, oidcClientId: clientId, oidcSecretFile: file, oidcGroups: groupsClaim }: TeamServeFlags,
  fromEnvironment: string | undefined,
): TeamServeOptions["oidc"] | { readonly problem: string } {
  if (issuer === undefined && clientId === undefined && file === undefined) return undefined;
  if (issuer === undefined || clientId === undefined) return { problem: "--oidc-issuer and --oidc-client-id belong together" };
  const named = { issuer, clientId, groupsClaim };
  if (file === undefined) return fromEnvironment === undefined || fromEnvironment === "" ? named : { ...named, secret: fromEnvironment };
  const found = readRegular(absolute(file), MOST_SECRET);
  const secret = found.is === "text" ? found.text.trim() : "";
  return secret === "" ? { problem: `${visible(file)} has no secret that can be read` } : { ...named, secret };
}

interface Running {
  readonly stop: () => Promise<void>;
}

type LoadedServer =
  | { readonly start: (options: TeamServeOptions) => Promise<Running> }
  | { readonly problem: string; readonly help: string };

/** Found from where Assent itself lies, never from the folder one is in: a repository could bring its own. */
async function loadServer(): Promise<LoadedServer> {
  const help = `npm install -g ${PACKAGE}@${VERSION}, or where assent is installed; in a clone it is there after npm install`;
  let loaded: unknown;
  try {
    loaded = await import(PACKAGE);
  } catch (error) {
    return errorCode(error) === "ERR_MODULE_NOT_FOUND" && messageOf(error).includes(`'${PACKAGE}'`)
      ? { problem: `the package ${PACKAGE} is not installed`, help }
      : { problem: `the package ${PACKAGE} cannot be loaded: ${messageOf(error)}`, help };
  }
  if (!isObject(loaded) || typeof loaded["startTeam"] !== "function")
    return { problem: `${PACKAGE} is not the team server of Assent`, help };
  if (loaded["VERSION"] !== VERSION) return { problem: `${PACKAGE} has another version than assent (${VERSION})`, help };
  const { startTeam } = loaded;
  return {
    start: async (options) => {
      const running: unknown = await Reflect.apply(startTeam, undefined, [options]);
      if (!isObject(running) || typeof running["stop"] !== "function") throw new TypeError(`${PACKAGE} is not the team server of Assent`);
      const { stop } = running;
      return { stop: async () => void (await Reflect.apply(stop, running, [])) };
    },
  };
}

/** The first signal ends it in order, the second at once. */
async function toldToEnd(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

const LOCK_EX = 2;
const LOCK_NB = 4;
/** open(2) of macOS: takes the lock as it opens. */
const O_EXLOCK = 0x20;

/** flock(2): whoever has it is alive, and says in the file who it is. */
function holdLock(file: string, who: string): HeldLock {
  try {
    ensureFolder(parentOf(file));
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(file, process.platform === "darwin" ? flags | O_EXLOCK : flags, 0o600);
    if (process.platform !== "darwin") {
      const result = sys(SYSCALLS.flock, descriptor, LOCK_EX | LOCK_NB);
      if (result !== 0) {
        closeSync(descriptor);
        return result === -ERRNO.EAGAIN ? { is: "taken", by: holderOf(file) } : { is: "impossible", why: `flock(2) fails (${result})` };
      }
    }
    ftruncateSync(descriptor);
    writeSync(descriptor, `${who}\n`, 0);
    return { is: "held", release: () => closeSync(descriptor) };
  } catch (error) {
    return errorCode(error) === "EAGAIN" ? { is: "taken", by: holderOf(file) } : { is: "impossible", why: messageOf(error) };
  }
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim().slice(0, 200) || "it does not say which";
  } catch {
    return "it does not say which";
  }
}
