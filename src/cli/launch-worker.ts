import { partsOf } from "./load-part.ts";

// Entry of dist/launch-worker.cjs, the thread that starts a supervised program. It walls itself in, so it keeps no caches.
declare const require: (id: string) => unknown;
declare const __dirname: string;

partsOf(__dirname, require).load("./launch.cjs");
