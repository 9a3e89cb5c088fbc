import { parentPort, workerData } from "node:worker_threads";
import { previewPolicies } from "@assent/page/preview";
import type { PreviewAsk } from "@assent/team/team/protocol";

// Entry of dist/policy-preview.mjs: a thread of the team's server, in which policies are judged by what machines have sent.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by preview-thread.ts
parentPort?.postMessage(previewPolicies(workerData as PreviewAsk));
