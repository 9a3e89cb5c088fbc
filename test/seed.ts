import * as fc from "fast-check";
import { afterAll, vi } from "vitest";

// The same cases each time, so that a failure tells of the change it tests; `npm run fuzz` draws new ones.
fc.configureGlobal({ seed: Number(process.env["FUZZ_SEED"] ?? 1) });

// Files share a process: what one of them set is not there for the next.
const env = { ...process.env };
const folder = process.cwd();
afterAll(() => {
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  if (process.cwd() !== folder) process.chdir(folder);
});
