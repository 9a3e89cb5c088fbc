import { visible } from "@assent/core/action";
import { messageOf, readRegular, thisMachine } from "@assent/guard/state";
import type { TeamServeOptions } from "@assent/team/team/protocol";
import { absolute } from "./place.ts";
import { previewInThread } from "./preview-thread.ts";
import { complain } from "./policy-target.ts";
import { writeStderr, writeStdout } from "./stdio.ts";
import { databaseOf, loadTeamPackage } from "./team-package.ts";

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
  readonly machineRecords?: number;
  readonly machineBytes?: number;
}

const COMMAND = "team serve";

/** `assent team serve`: until it is told to end. 0 ended, 1 cannot start, 2 wrong usage. */
export async function teamServe(flags: TeamServeFlags): Promise<number> {
  const { tlsCert: cert, tlsKey: key } = flags;
  if ((cert === undefined) !== (key === undefined)) {
    complain(COMMAND, "--tls-cert and --tls-key belong together");
    return 2;
  }
  const at = databaseOf(thisMachine(), flags);
  if ("problem" in at) {
    complain(COMMAND, at.problem);
    return 2;
  }
  const oidc = readOidc(flags, thisMachine().env["ASSENT_TEAM_OIDC_SECRET"]);
  if (oidc !== undefined && "problem" in oidc) {
    complain(COMMAND, oidc.problem);
    return 2;
  }
  const loaded = await loadTeamPackage();
  if ("problem" in loaded) {
    complain(COMMAND, loaded.problem, loaded.help);
    return 1;
  }
  const options: TeamServeOptions = {
    ...at,
    listen: flags.listen,
    url: flags.url,
    tls: cert === undefined || key === undefined ? undefined : { cert: absolute(cert), key: absolute(key) },
    metrics: flags.metrics,
    adminLink: flags.adminLink === true,
    privateWebhooks: flags.privateWebhooks,
    keepMonths: flags.keepMonths,
    oidc,
    machineRecords: flags.machineRecords,
    machineBytes: flags.machineBytes,
    preview: previewInThread,
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

/** The first signal ends it in order, the second at once. */
async function toldToEnd(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
