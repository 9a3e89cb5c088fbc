import * as fc from "fast-check";

// The same cases each time, so that a failure tells of the change it tests; `npm run fuzz` draws new ones.
fc.configureGlobal({ seed: Number(process.env["FUZZ_SEED"] ?? 1) });
