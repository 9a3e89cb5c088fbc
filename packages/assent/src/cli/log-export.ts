import { closeSync, constants, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { visible } from "@assent/core/action";
import { query } from "@assent/guard/audit";
import { policyFile, POLICY_NAME } from "@assent/guard/engine";
import { joinPath } from "@assent/core/path";
import type { AuditSettings } from "@assent/core/policy";
import { errorCode, type Machine, openState, stateFolder, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { VERSION } from "./program-frame.ts";
import { readSince } from "./since.ts";
import { writeStderr, writeStdout } from "./stdio.ts";

export interface LogExportOptions {
  readonly since?: string;
  readonly to?: string;
  readonly otlp?: boolean;
  readonly follow?: boolean;
  readonly timeout?: number;
}

const COMMAND = "log export";
const PART = 1 << 16;

/** `assent log export`: 0 all of it was written or sent, 1 not all, 2 wrong usage. */
export async function logExport(options: LogExportOptions): Promise<number> {
  const since = options.since === undefined ? undefined : readSince(options.since, Date.now());
  if (since !== undefined && typeof since !== "number") return wrong(since.wrong);
  if (options.otlp === true)
    return options.to === undefined ? await send(options, since) : wrong("--otlp sends to the collector: leave --to out");
  if (options.follow === true) return wrong("--follow belongs to --otlp", "assent log --follow --json prints decisions as they are made");
  return write(options.to, since);
}

function wrong(message: string, help?: string): number {
  complain(COMMAND, visible(message), help);
  return 2;
}

/** JSON Lines, as they are stored. */
function write(to: string | undefined, since: number | undefined): number {
  const found = query(stateFolder(thisMachine()), since === undefined ? {} : { since });
  if (to === undefined || to === "-") {
    for (const part of parts(found)) writeStdout(part);
    return 0;
  }
  const file = absolute(to);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    const why =
      errorCode(error) === "EEXIST"
        ? "is there already: name a new file"
        : errorCode(error) === "ENOENT"
          ? "cannot be made: its folder does not exist"
          : `cannot be made: ${errorCode(error)}`;
    complain(COMMAND, `${visible(file)} ${why}`);
    return 1;
  }
  try {
    for (const part of parts(found))
      for (let bytes = Buffer.from(part); bytes.length > 0;) bytes = bytes.subarray(writeSync(descriptor, bytes));
    fsyncSync(descriptor);
    return 0;
  } catch (error) {
    complain(COMMAND, `${visible(file)} is not whole: ${errorCode(error)}`);
    return 1;
  } finally {
    closeSync(descriptor);
  }
}

function* parts(found: Iterable<{ readonly line: string }>): Generator<string> {
  let text = "";
  for (const { line } of found) {
    text += `${line}\n`;
    if (text.length < PART) continue;
    yield text;
    text = "";
  }
  yield text;
}

async function send({ follow = false, timeout = 30 }: LogExportOptions, since: number | undefined): Promise<number> {
  const machine = thisMachine();
  const told = collectorOf(machine);
  if ("wrong" in told) return wrong(told.wrong, told.help);
  const state = openState(machine);
  if ("problem" in state) {
    complain(COMMAND, visible(state.problem));
    return 1;
  }
  const { Claim, openOtlp, pump } = await import("@assent/guard/audit/export");
  const sender = openOtlp({ ...told, timeoutMs: Math.max(1, timeout) * 1000, version: VERSION });
  const { records, problem } = await pump({
    folder: state.folder,
    claim: new Claim(state.folder),
    sender,
    ...(since === undefined ? {} : { since }),
    follow,
    ended: untilInterrupted(follow),
    notice: (text) => writeStderr(`assent ${COMMAND}: ${visible(text)}\n`),
    now: Date.now,
  });
  await sender.end();
  if (problem !== undefined) complain(COMMAND, visible(problem), "the log keeps what is not sent; call this again");
  writeStderr(`${records} record${records === 1 ? "" : "s"} sent\n`);
  return problem === undefined ? 0 : 1;
}

type Told =
  | { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly wrong: string; readonly help?: string };

/** What the managed and the user's policy say, and nobody else: the log goes where its person wants it. */
function collectorOf(machine: Machine): Told {
  const files = [
    ["managed", machine.managedPolicy],
    ["user", joinPath(machine.home, POLICY_NAME)],
  ] as const;
  const there = files.filter(([, file]) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  const policy = engine.reader().read(
    there.map(([layer, file]) => policyFile(file, layer)),
    { text: "", pins: new Map() },
    () => [],
  );
  if (policy.broken !== undefined) return { wrong: `a policy file has a mistake: ${policy.broken}`, help: "correct the file" };
  const { otlp } = policy.settings.audit;
  if (otlp === undefined)
    return {
      wrong: "no collector is named",
      help: 'write "audit": { "otlp": { "endpoint": "https://collector.example.org:4318" } } into your ~/.agent-permissions.jsonc',
    };
  return withHeaders(otlp, machine.env);
}

function withHeaders({ endpoint, headers }: NonNullable<AuditSettings["otlp"]>, env: Machine["env"]): Told {
  if (!URL.canParse(endpoint)) return { wrong: `\`${endpoint}\` is not an address` };
  const values: Record<string, string> = {};
  for (const [name, variable] of Object.entries(headers)) {
    const value = env[variable];
    if (value === undefined || value === "")
      return { wrong: `the variable ${variable} is not set`, help: `it holds the header \`${name}\`` };
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value))
      return { wrong: `the value of ${variable} cannot be a header`, help: "it holds a line break or a sign beyond Latin-1" };
    values[name] = value;
  }
  return { endpoint, headers: values };
}

/** The first signal ends it after the message that is under way, the second at once. */
function untilInterrupted(follow: boolean): (milliseconds: number) => Promise<boolean> {
  let over = false;
  let wake: (() => void) | undefined;
  const end = (): void => {
    over = true;
    wake?.();
  };
  if (follow) for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  return async (milliseconds) => {
    if (over) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    return over;
  };
}
