// Entry of dist/bin.cjs, the `assent` command. `check` runs on every tool call of a host: it branches off before anything else loads.
declare const require: (id: string) => unknown;

if (process.argv[2] === "check") require("./hook.cjs");
else {
  // @ts-expect-error -- exists once built, beside this file
  void import("./assent.mjs");
}
