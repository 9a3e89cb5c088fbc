// What stands in the place of vitest where suites are bundled and run by node alone: the same declarations, vitest's own `expect`,
// one test after the other. A line of JSON for each test: `#row {"file", "name", "outcome", "ms", "error"}`.
import { ASYMMETRIC_MATCHERS_OBJECT, JestAsymmetricMatchers, JestChaiExpect, JestExtend, getState, setState } from "@vitest/expect";
import * as chai from "chai";

const GLOBAL = Symbol.for("expect-global");
Object.defineProperty(globalThis, GLOBAL, { value: undefined, writable: true, configurable: true });
chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT] ?? {});
expect.getState = () => getState(expect);
expect.setState = (state) => setState(state, expect);
expect.setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null, environment: "node", testPath: "" });
globalThis[GLOBAL] = expect;
expect.poll = (read) =>
  new Proxy(
    {},
    {
      get:
        (_all, matcher) =>
        async (...args) => {
          for (let tries = 0; ; tries++)
            try {
              return expect(await read())[matcher](...args);
            } catch (error) {
              if (tries > 600) throw error;
              await new Promise((resolve) => setTimeout(resolve, 100));
            }
        },
    },
  );

const only = new RegExp(process.env["ONLY"] ?? "");
const slower = Number(process.env["ESCAPE_SLOWER"] ?? 1);
const suite = (name, parent) => ({ name, parent, children: [], before: [], after: [], beforeEach: [], afterEach: [] });
const root = suite("", undefined);
let current = root;
let finishing = [];

const formatted = (name, row, at) => {
  const words = Array.isArray(row) ? [...row] : [row];
  return String(name)
    .replace(/\$([\w.]+)/g, (all, path) => path.split(".").reduce((value, key) => value?.[key], row) ?? all)
    .replace(/%([sdijo#%])/g, (_all, kind) => (kind === "%" ? "%" : kind === "#" ? at : said(words.shift(), kind)));
};
const said = (word, kind) => (kind === "s" || kind === "d" || kind === "i" ? String(word) : JSON.stringify(word));

function declare(register) {
  const make = (leave) => {
    const one = (...args) => (leave ? undefined : register(...args));
    one.each =
      (rows) =>
      (name, ...rest) =>
        rows.forEach((row, at) => {
          const place = rest.findIndex((each) => typeof each === "function");
          const bound = rest.map((each, index) =>
            index === place ? (...more) => each(...(Array.isArray(row) ? row : [row]), ...more) : each,
          );
          one(formatted(name, row, at), ...bound);
        });
    one.runIf = (when) => make(leave || !when);
    one.skipIf = (when) => make(leave || Boolean(when));
    for (const [name, value] of [
      ["concurrent", false],
      ["sequential", false],
      ["skip", true],
      ["todo", true],
    ])
      Object.defineProperty(one, name, { get: () => make(leave || value) });
    return one;
  };
  return make(false);
}

export const describe = declare((name, ...rest) => {
  const made = suite(name, current);
  current.children.push(made);
  const outside = current;
  current = made;
  rest.find((each) => typeof each === "function")();
  current = outside;
});
export const it = declare((name, ...rest) => {
  const options = rest.find((each) => typeof each === "object") ?? {};
  const timeout = rest.find((each) => typeof each === "number") ?? options.timeout ?? 120_000 * slower;
  current.children.push({ name, timeout, run: rest.find((each) => typeof each === "function") });
});
export const test = it;
export const beforeAll = (run) => current.before.push(run);
export const afterAll = (run) => current.after.push(run);
export const beforeEach = (run) => current.beforeEach.push(run);
export const afterEach = (run) => current.afterEach.push(run);
export const onTestFinished = (run) => finishing.push(run);
export const vi = {};

async function within(milliseconds, run) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const said1 = (error) => String(error?.message ?? error).slice(0, 6000);

const LEFT_OUT = Symbol("left out");
const skip = () => {
  throw LEFT_OUT;
};

async function play(each, path) {
  const name = [...path, each.name].filter(Boolean).join(" > ");
  if (each.children === undefined) {
    if (!only.test(name)) return;
    const above = [];
    for (let at = each.parent; at; at = at.parent) above.unshift(at);
    const started = Date.now();
    let error;
    let leftOut = false;
    finishing = [];
    try {
      for (const { beforeEach: runs } of above) for (const run of runs) await run();
      // Its arguments, where it is a row of `each`, are bound before.
      await within(each.timeout, async () => each.run({ expect, task: { name }, onTestFinished, skip }));
    } catch (problem) {
      if (problem === LEFT_OUT) leftOut = true;
      else error = said1(problem);
    }
    for (const { afterEach: runs } of above.toReversed())
      for (const run of runs) await Promise.resolve(run()).catch((problem) => (error ??= said1(problem)));
    for (const run of finishing.toReversed()) await Promise.resolve(run()).catch((problem) => (error ??= said1(problem)));
    tell({
      name,
      outcome: error !== undefined ? "failed" : leftOut ? "left out" : "passed",
      ms: Date.now() - started,
      ...(error === undefined ? {} : { error }),
    });
    return;
  }
  const any = (one) =>
    one.children === undefined ? only.test([...one.path, one.name].filter(Boolean).join(" > ")) : one.children.some(any);
  const mark = (one, at) => {
    one.path = at;
    for (const child of one.children ?? []) mark(child, [...at, one.name]);
  };
  mark(each, path);
  if (!any(each)) return;
  let broken;
  try {
    for (const run of each.before) await run();
  } catch (problem) {
    broken = said1(problem);
  }
  if (broken === undefined)
    for (const child of each.children) {
      child.parent = each;
      await play(child, [...path, each.name]);
    }
  else tell({ name: `${name} > before all`, outcome: "failed", ms: 0, error: broken });
  for (const run of each.after)
    await Promise.resolve(run()).catch((problem) => tell({ name: `${name} > after all`, outcome: "failed", ms: 0, error: said1(problem) }));
}

function tell(row) {
  process.stdout.write(`#row ${JSON.stringify({ file: process.env["SUITE_FILE"] ?? "", ...row })}\n`);
}

// The suite declares first: this module is evaluated before it.
setTimeout(() => void play(root, []).then(() => process.exit(0)), 0);
