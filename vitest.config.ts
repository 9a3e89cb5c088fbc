import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "pure", include: ["test/{action,edit,policy,shell,audit}/**/*.test.ts"], pool: "threads", isolate: false } },
      {
        test: {
          name: "process",
          include: ["test/{guard,state,supervise,agents,cli,end-to-end,build,ledger}/**/*.test.ts"],
          pool: "forks",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: "test/build-once.ts",
        },
      },
      {
        test: {
          name: "escape",
          include: ["test/escape/**/*.test.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: "test/escape/harness/set-up.ts",
        },
      },
    ],
  },
});
