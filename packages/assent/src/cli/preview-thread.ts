import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { PolicyPreview, PreviewAsk } from "@assent/team/team/protocol";

/** A page waits for it. */
const PATIENCE_MS = 30_000;
const MOST_MEGABYTES = 512;
/** In the folder of the built program; `dist/chunks` lies in it. */
const THREAD = fileURLToPath(new URL(".", import.meta.url)).replace(/\/(?:chunks\/)?$/, "/policy-preview.mjs");

/**
 * Judges in a thread of its own: the server goes on answering meanwhile, and what takes too long, or too much memory, ends that thread
 * alone. Rejects then.
 */
export function previewInThread(ask: PreviewAsk, file = THREAD): Promise<PolicyPreview> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, {
      workerData: ask,
      stdin: false,
      stdout: true,
      stderr: true,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    // A server that stops does not wait for it.
    worker.unref();
    const late = setTimeout(() => {
      reject(new Error(`it takes longer than ${PATIENCE_MS / 1000} seconds`));
      void worker.terminate();
    }, PATIENCE_MS);
    late.unref();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(late);
      reject(new Error("it ended without an answer"));
    });
  });
}
