import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import longFiles from "./test/long-files.json" with { type: "json" };
// @ts-expect-error -- a plain script
import { knowledgeForVitest } from "./scripts/knowledge.mjs";

/** Every view in the browser: `npm run test:page`, or a file of them that is named. */
const wholePage = process.env["TEST_PAGE"] !== undefined || process.argv.some((word) => word.includes("test/page"));

/** `npm test` leaves what takes long to `npm run test:rest`, unless it is named. */
const long = Object.keys(longFiles);
const words = process.argv.slice(2).filter((word) => word !== "run");
const isNamed = long.some((file) => words.some((word) => file.includes(word) || word.includes(file)));
const isShort = process.env["TEST_SHORT"] !== undefined;
const leftOut = isShort && !isNamed ? long : [];
const isRest = process.env["TEST_REST"] !== undefined;
/** Of some tables both play a part, another one each time; a seed that is given plays the same part again (`test/sampled.ts`). */
if (isRest || (isShort && !words.some((word) => word.includes("test/"))))
  process.env["SAMPLE_SEED"] ??= String((Date.now() % 1_000_000) + 1);
else delete process.env["SAMPLE_SEED"];

export default defineConfig({
  plugins: [knowledgeForVitest(import.meta.dirname)],
  resolve: { tsconfigPaths: true },
  test: {
    setupFiles: "test/seed.ts",
    exclude: [...configDefaults.exclude, ...leftOut],
    // By itself vitest leaves one processor free: on two it would run one file after the other. The files that take long wait half of their time.
    maxWorkers: availableParallelism() + (isRest ? 1 : 0),
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["test/{action,data,edit,pattern,policy,shell,patch,audit,import}/**/*.test.ts"],
          pool: "threads",
          isolate: false,
          // Generous: the machine may have other work, and what is not linear would take hours.
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          // Real programs under supervision, one file at a time: they fill both processors by themselves.
          name: "supervise",
          include: ["test/supervise/{programs,failure,names}/**/*.test.ts", "test/try/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          maxConcurrency: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: "test/build-once.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          // One process plays many files: to start one and to load the judge in it takes as long as most files do.
          isolate: false,
          // What another process does comes when it comes: the default of a second is short on a busy machine.
          expect: { poll: { timeout: 30_000 } },
          exclude: ["test/supervise/{programs,failure,names}/**", "test/sdk/{packages,declarations}/**"],
          include: [
            "test/{engine,engines,approve,daemon,lint,state,supervise,survives,agents,sdk,cli,words,end-to-end,build,ledger,docs}/**/*.test.ts",
          ],
          pool: "forks",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: "test/build-once.ts",
        },
      },
      {
        extends: true,
        test: {
          // In Debian's Chromium: one browser for a file, one file at a time.
          name: "page",
          include: wholePage ? ["test/page/**/*.test.ts"] : ["test/page/{frame,gate,open,reach}.test.ts"],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          globalSetup: "test/build-once.ts",
        },
      },
      {
        extends: true,
        test: {
          // The team server, on the embedded database and on PostgreSQL where that is installed: one of each for all files of a process.
          name: "team",
          include: ["test/team/**/*.test.ts"],
          isolate: false,
          pool: "forks",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          globalSetup: ["test/build-once.ts", "test/team/harness/postgresql.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "sdk",
          include: ["test/sdk/packages/*.test.ts"],
          pool: "forks",
          testTimeout: 60_000,
          globalSetup: ["test/build-once.ts", "test/sdk/packages/fetch.ts"],
        },
      },
      {
        extends: true,
        test: {
          // The library's core where there is no Node: Chromium, a service worker, workerd.
          name: "places",
          include: ["test/core/places/*.test.ts"],
          pool: "forks",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ["test/build-once.ts", "test/core/places/fetch.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "declarations",
          include: ["test/sdk/declarations/*.test.ts"],
          pool: "forks",
          testTimeout: 400_000,
          hookTimeout: 120_000,
          globalSetup: ["test/build-once.ts", "test/sdk/declarations/fetch.ts"],
        },
      },
      {
        extends: true,
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
