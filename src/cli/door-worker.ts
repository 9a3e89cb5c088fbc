import { partsOf } from "./load-part.ts";

// Entry of dist/door-worker.cjs, the thread that answers a supervised program's calls.
declare const require: (id: string) => unknown;
declare const __dirname: string;

const { load, keep } = partsOf(__dirname, require);
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built from supervise/door/door-worker.ts
(load("./door.cjs") as { awaitRun: (atEnd: () => void) => void }).awaitRun(keep);
