/** What a program of ours found out, for `canAutoApprove`, which cannot wait. */
let found: boolean | undefined;

/**
 * Whether programs can really be supervised here: asks the kernel, once per process. Until it has been awaited,
 * `canAutoApprove` takes it that they cannot.
 */
export async function probeSandbox(cwd: string = process.cwd()): Promise<boolean> {
  if (found !== undefined) return found;
  try {
    const { canSupervise, probeKernel } = await import("@assent/supervisor/supervise/sandbox/probe");
    found = canSupervise(await probeKernel(cwd));
  } catch {
    // No native part for this platform.
    found = false;
  }
  return found;
}

export const sandboxIsKnown = (): boolean => found === true;

export const UNSUPERVISED = "commands cannot be supervised on this machine (`assent doctor` says why)";
