import { EngineError, type EngineRequest, type EngineResult, type HostEvent, type RunEngine } from "./contract.ts";

/** Assent's own supervision, by the kernel of Linux. Nothing of it is loaded before something is asked of it. */
export const ours: RunEngine = { id: "assent", cannot: [], problem, run };

async function problem(): Promise<string | undefined> {
  if (process.platform !== "linux") return "it is made of system calls of Linux";
  const { canSupervise, probeKernel } = await import("../supervise/sandbox/probe/index.ts");
  const probes = await probeKernel(process.cwd());
  if (canSupervise(probes)) return undefined;
  return probes
    .filter(({ ok, required }) => !ok && required)
    .map(({ title, why }) => `${title}: ${why}`)
    .join("; ");
}

async function run({ argv, cwd, env, machine, policyFiles, approver, undo, own, onNotice }: EngineRequest): Promise<EngineResult> {
  const { superviseRun } = await import("../supervise/index.ts");
  const hosts: HostEvent[] = [];
  try {
    const { id, exit } = await superviseRun({
      argv,
      cwd,
      env,
      machine,
      policyFiles,
      approver,
      undo,
      own,
      onNotice,
      mode: "enforce",
      onEvent: ({ action, outcome, verdict, answer }) => {
        if (action.kind !== "net" || action.operation !== "connect" || action.host === undefined) return;
        const { host, port } = action;
        const done = outcome === "refused" ? "refused" : "allowed";
        hosts.push({ host, port, outcome: done, why: verdict.reason, judged: verdict, ...(answer === undefined ? {} : { answer }) });
      },
    });
    const status = exit.by === "exit" ? exit.code : 128 + exit.signal;
    return { id, status, hosts };
  } catch (error) {
    throw new EngineError("failed", error instanceof Error ? error.message : String(error), { cause: error });
  }
}
