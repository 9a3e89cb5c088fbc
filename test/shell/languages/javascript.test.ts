import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { CodeFinding, ProgramSurroundings } from "../../../packages/core/src/shell/languages/finding.ts";
import { readJavascript } from "../../../packages/core/src/shell/languages/javascript.ts";
import { random, ROUNDS, seedOr } from "./scratch.ts";
import { workedSince } from "../../worked.ts";

const here: ProgramSurroundings = { names: () => ["package.json"], isFile: (path) => path === "./package.json" };
const file = (operation: "read" | "write" | "list", path: string): CodeFinding => ({ does: "file", operation, path });
const code = (detail: string): CodeFinding => ({ does: "code", language: "javascript", detail });

describe("harmless JavaScript", () => {
  it.each([
    "console.log(1+1)",
    "process.version",
    "process.versions.node.split('.')[0]",
    "JSON.stringify({a: [1, 2, ...[3]], 'b-c': null, d}, null, 2).length; var d",
    "const xs = [3, 1, 2]; xs.sort((a, b) => a - b); console.log(xs.map(x => x * 2).join(','))",
    "let s = ''; process.stdin.on('data', c => s += c).on('end', () => console.log(JSON.parse(s).version))",
    "const d = JSON.parse(require('fs').readFileSync(0, 'utf8')); for (const k in d) console.log(k)",
    "console.log(JSON.parse(require('fs').readFileSync('/dev/stdin', 'utf8')).a?.b ?? 'none')",
    "for (let i = 0; i < 10; i++) { if (i % 2) continue; console.log(process.argv[i + 1]) }",
    "const path = require('path'); console.log(path.join('a', 'b'), path.sep)",
    "console.log(require('node:os').cpus().length, os.platform())",
    "console.log(`a ${1 + 1} ${[1].map(x => `<${x}>`).join('')}`)",
    "console.log(/a[/]b/g.test('a/b'), 4 / 2 / 1, (1 + 2) / 3)",
    "function f({a, b: [c] = [1], ...r}, d = 2) { return a + c + d }\nconsole.log(f({a: 1}))",
    "try { JSON.parse('{') } catch (e) { console.log(e.message) } finally { }",
    "console.log(new Date().toISOString(), Date.now(), new Map([[1, 2]]).get(1), new Set('ab').size)",
    "console.log(encodeURIComponent('a b'), Buffer.from('aGk=', 'base64').toString())",
    "console.log(Object.entries({a: 1}).map(([k, v]) => k + v), ['1'].map(Number))",
    "console.log(crypto.createHash('sha256').update('x').digest('hex'))",
    "switch (typeof process.argv[2]) { case 'string': console.log(1); break; default: console.log(2) }",
    "process.exitCode = 1; process.stdout.write('x\\n')",
    "console.log(process.env.HOME)",
    "console.log(new URL('https://a.example/x?y=1').searchParams.get('y'))",
    "console.log('eval(1)', \"require('child_process')\") // eval(1)\n/* eval(1) */",
    "const a = [1, 2]; console.log(a[a.length - 1], a[0], a['length'])",
    "",
  ])("%j", (source) => expect(readJavascript(source, here)).toEqual([]));
});

describe("JavaScript that does more", () => {
  it.each<[string, CodeFinding[]]>([
    ["require('./package.json').version", [file("read", "./package.json")]],
    ["require('./other.json')", [file("read", "./other.json"), code("requires ./other.json, which may be code")]],
    ["require('./x')", [code("requires ./x")]],
    ["require('child_process').execSync('id')", [code("requires child_process")]],
    ["require(process.argv[1])", [code("requires a module named while it runs")]],
    ["child_process.exec('id')", [code("uses `child_process`")]],
    ["console.log(require('fs').readFileSync('a.txt', 'utf8'))", [file("read", "a.txt")]],
    ["const fs = require('fs'); fs.writeFileSync('out', 'x')", [file("write", "out")]],
    ["fs.readdirSync('src').length", [file("list", "src")]],
    ["fs.readFileSync(process.argv[1])", [{ does: "unknown", why: "it reads a file named while it runs" }]],
    ["fs.readFileSync('a', {flag: 'w'})", [code("gives options to readFileSync"), file("read", "a")]],
    ["fs.unlinkSync('a')", [code("uses fs.unlinkSync")]],
    ["['a'].forEach(fs.unlinkSync)", [code("uses fs.unlinkSync")]],
    [
      "const f = require('fs').readFileSync; f('a')",
      [code("has syntax that is not read: `;`"), { does: "unknown", why: "it reads a file named while it runs" }],
    ],
    ["const x = require('fs') || 1", [code("has syntax that is not read: `||`")]],
    ["console.log(process.env)", [{ does: "environment" }]],
    ["process.env.API_KEY", [{ does: "environment" }]],
    ["eval('1')", [code("uses `eval`")]],
    ["[].constructor.constructor('return 1')()", [code("uses the property `constructor`")]],
    ["[]['constructor']", [code("reads a property whose name is made while it runs")]],
    ["const k = 'constructor'; [][k]", [code("reads a property whose name is made while it runs")]],
    ["let i = 0; for (i of ['constructor']) console.log([][i])", [code("reads a property whose name is made while it runs")]],
    ["let i = 0; i += 'constructor'; [][i]", [code("reads a property whose name is made while it runs")]],
    ["[]['con' + 'structor']", [code("reads a property whose name is made while it runs")]],
    ["[]['constructor' || 1 - 2]", [code("reads a property whose name is made while it runs")]],
    ["const {constructor: F} = []; F('1')", [code("has syntax that is not read: `constructor`")]],
    ["const o = Object; o.getPrototypeOf([])", [code("uses Object as a value")]],
    ["Object.getPrototypeOf([])", [code("uses Object.getPrototypeOf")]],
    ["console.log(this)", [code("has syntax that is not read: `this`")]],
    ["fetch('https://a.example')", [code("uses `fetch`")]],
    ["if (0) { let fetch = 1 } fetch('x')", [code("gives `fetch` another meaning")]],
    ["import('fs')", [code("has syntax that is not read: `import`")]],
    ["process.kill(1)", [code("uses process.kill")]],
    ["const p = process; p.exit()", [code("uses process as a value")]],
    ["a <!-- `\nrequire('x')//`", [code("has comments of an unusual kind")]],
    ["x = 1", []],
    ["console.log(`${require('child_process')}`)", [code("requires child_process")]],
    ["\\u0065val('1')", [code("has the character `\\`")]],
    ["console.log('a", [code("has a string without its closing quote")]],
    ["(1", [code("has brackets that do not match")]],
  ])("%j", (source, findings) => expect(readJavascript(source, here)).toEqual(findings));

  it("does not trust a path to be data without knowing the folder", () => {
    expect(readJavascript("require('./package.json').version")).toEqual([
      file("read", "./package.json"),
      code("requires ./package.json, which may be code"),
    ]);
  });

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of [
      "(",
      "[",
      "`${",
      "a.",
      "{",
      "!",
      "()=>",
      "-",
      "'a' ",
      "x=",
      "f(",
      "\n",
      "/*",
      "a?b:",
      "/[",
      "if(x)",
      "new ",
      "for(;;)",
    ]) {
      readJavascript(part.repeat(8000), here);
    }
    readJavascript(`${"(".repeat(30_000)}${")".repeat(30_000)}`);
    expect(workedSince(start)).toBeLessThan(6000);
  });
});

/** Runs programs with traps on everything that runs code or reaches out, and says which ones fell into one. */
const TRAPS = `
const vm = require("vm"), path = require("path"), fs = require("fs");
const write = fs.writeSync;
const out = (text) => { for (let from = 0; from < text.length; from += 4096) write(1, text.slice(from, from + 4096)) };
let fell = "";
const trap = (name) => new Proxy(function () {}, { apply() { fell = name; throw 1 }, construct() { fell = name; throw 1 } });
const real = Function.prototype;
for (const f of [function () {}, function* () {}, async function () {}, async function* () {}])
  Object.defineProperty(Object.getPrototypeOf(f), "constructor", { value: trap("Function"), writable: false, configurable: false });
globalThis.eval = trap("eval");
globalThis.Function = trap("Function");
for (const module of ["child_process", "fs", "net", "vm", "worker_threads"]) {
  const m = require(module);
  for (const key of Object.keys(m)) if (typeof m[key] === "function" && !(module === "vm" && key === "Script")) try { m[key] = trap(module + "." + key) } catch {}
}
process.exit = trap("exit");
console.log = () => {};
const run = (source) => { fell = ""; try { new vm.Script("(function(require, module){" + source + "\\n})(globalThis.__require, {})").runInThisContext({ timeout: 200 }) } catch {} return fell };
globalThis.__require = require;
const canary = run("[].constructor.constructor('1')()");
const fallen = JSON.parse(process.argv[1]).map((source) => [source, run(source)]).filter(([, f]) => f);
out(JSON.stringify({ canary, fallen }));
process.reallyExit(0);
`;

describe("against the real Node.js", () => {
  it("keeps every random program it calls harmless away from code and files", () => {
    const { below, pick } = random(seedOr(13));
    const NAMES = [
      "a",
      "b",
      "i",
      "f",
      "console",
      "Object",
      "JSON",
      "process",
      "require",
      "eval",
      "Function",
      "Number",
      "String",
      "Array",
      "path",
      "url",
      "module",
      "globalThis",
      "Error",
      "Map",
    ];
    const PROPERTIES = [
      "constructor",
      "length",
      "map",
      "join",
      "x",
      "__proto__",
      "keys",
      "entries",
      "call",
      "bind",
      "prototype",
      "mainModule",
      "concat",
      "forEach",
      "from",
      "slice",
      "values",
      "toString",
      "log",
      "env",
      "at",
      "getPrototypeOf",
    ];
    const expression = (depth: number): string => {
      const next = (): string => expression(depth + 1);
      if (depth > 4) return pick(["1", "'constructor'", "a", "i", "'return 1'", "[]", "''"]);
      switch (below(17)) {
        case 0:
          return pick(NAMES);
        case 1:
        case 2:
          return `${next()}.${pick(PROPERTIES)}`;
        case 3:
          return `${next()}[${next()}]`;
        case 4:
        case 5:
          return `${next()}(${next()})`;
        case 6:
          return `${next()}.${pick(PROPERTIES)}(${next()}${pick(["", `, ${next()}`])})`;
        case 7:
          return `${next()} ${pick(["+", "-", "||", "&&", "??", "*", ",", "/"])} ${next()}`;
        case 8:
          return `[${next()}, ${next()}]`;
        case 9:
          return `({${pick(PROPERTIES)}: ${next()}, ${pick(["a", "b", "...[]", `f(a) { return ${next()} }`])}})`;
        case 10:
          return `((${pick(["a", "b", "{a}", "{constructor: a}", "[a]", "...a", "a = 'constructor'"])}) => ${next()})`;
        case 11:
          return `\`\${${next()}}\``;
        case 12:
          return `(${next()})`;
        case 13:
          return `(${next()} ? ${next()} : ${next()})`;
        case 14:
          return `${pick(["Object.keys", "Object.entries", "Object.assign", "Array.from", "JSON.stringify", "Object.values"])}(${next()})`;
        default:
          return pick(["'constructor'", "'return 1'", "1", "''", "[]", "/a/", "{}", "f", "i++", "-i", "a.length - 1"]);
      }
    };
    const statement = (): string =>
      pick([
        () => `a = ${expression(0)};`,
        () => `let ${pick(["a", "b", "i", "{a}", "[a, b]", "{constructor: b}"])} = ${expression(0)};`,
        () => `for (const ${pick(["a", "b", "i"])} of ${expression(0)}) { ${expression(0)} }`,
        () => `for (let i = 0; i < 2; i++) ${expression(0)};`,
        () => `${expression(0)};`,
        () => `function f(a, b) { return ${expression(0)} }`,
        () => `try { ${expression(0)} } catch (a) { ${expression(0)} };`,
        () => `i ${pick(["=", "+="])} ${expression(1)};`,
        () => `a.${pick(PROPERTIES)} = ${expression(0)};`,
      ])();
    const silent: string[] = [];
    for (let round = 0; round < Math.max(ROUNDS, 12_000); round += 1) {
      const source = `var a = [], b = {}, i = 0;${statement()}${statement()}${below(2) === 0 ? statement() : ""}`;
      if (readJavascript(source).length === 0) silent.push(source);
    }
    expect(silent.length).toBeGreaterThan(ROUNDS);
    for (let from = 0; from < silent.length; from += 500) {
      const result = spawnSync(process.execPath, ["-e", TRAPS, JSON.stringify(silent.slice(from, from + 500))], {
        encoding: "utf8",
        timeout: 60_000,
        env: {},
      });
      expect(JSON.parse(result.stdout === "" ? JSON.stringify(result.stderr) : result.stdout)).toEqual({ canary: "Function", fallen: [] });
    }
  }, 3_600_000);
});
