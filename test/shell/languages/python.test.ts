import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readPython } from "../../../packages/core/src/shell/languages/python.ts";
import type { CodeFinding, ProgramSurroundings } from "../../../packages/core/src/shell/languages/finding.ts";
import { random, ROUNDS, seedOr, which } from "./scratch.ts";
import { workedSince } from "../../worked.ts";

const folder = (...names: string[]): ProgramSurroundings => ({
  names: (path) => (path === "." ? names : names.filter((name) => name.startsWith(`${path}/`)).map((name) => name.slice(path.length + 1))),
  isFile: (path) => names.includes(path),
});
const plain = folder("src", "package.json", "html", "random.txt");
const read = (path: string): CodeFinding => ({ does: "file", operation: "read", path });
const write = (path: string): CodeFinding => ({ does: "file", operation: "write", path });
const code = (detail: string): CodeFinding => ({ does: "code", language: "python", detail });

describe("harmless Python", () => {
  it.each([
    "print(1+1)",
    "print('a' * 3, sep='', end='')",
    "import json,sys; print(json.load(sys.stdin)['version'])",
    "import sys, json\nd = json.load(sys.stdin)\nfor k, v in sorted(d['dependencies'].items()):\n    print(f'{k:<20} {v!r}')",
    "import json\nprint(json.dumps({'a': [1, 2, None], **{}}, indent=2))",
    "import sys; print(sys.version_info[:2], sys.executable)",
    "import sys; print('\\n'.join(sys.path))",
    "import re, sys\nfor line in sys.stdin:\n\tm = re.search(r'(\\d+)', line)\n\tif m:\n\t\tprint(m.group(1))",
    "import datetime; print(datetime.datetime.now().isoformat())",
    "from datetime import datetime, timedelta\nprint((datetime.utcnow() - timedelta(days=1)).strftime('%Y'))",
    "from collections import Counter; print(Counter('abca').most_common(2))",
    "import os.path; print(os.path.join('a', 'b'), os.getcwd())",
    "import os; print(os.environ['HOME'], os.environ.get('USER', ''), os.getenv('PATH'))",
    "import urllib.parse, sys; print(urllib.parse.quote(sys.argv[1]))",
    "import base64; print(base64.b64decode('aGk=').decode())",
    "import math; print(math.pi ** 2 // 1 if True else not 0)",
    "print([x for x in range(10) if x % 2 == 0], {x: y for x, y in zip('ab', (1, 2))}, (1,), {1, 2})",
    "print(sorted({'a': 1}.items(), key=lambda kv: -kv[1])[::-1])",
    "def f(a, b=2, *args, **kw):\n    return a + b\n\nprint(f(1), f(*[1, 2]))",
    "try:\n    print(int('x'))\nexcept (ValueError, TypeError) as e:\n    print('bad', e)\nfinally:\n    pass",
    "while True:\n    break\nelse:\n    pass",
    "a, b = 1, 2; a += b; x = [0]; x[0] = a\nprint(x[0]); del x[0]",
    "print('{:>5} {name!r} {{}}'.format(1, name=2), '%s' % 3)",
    "if (n := len('abc')) > 2: print(n)",
    "print('a'\n  'b')  # import os; os.remove('x')",
    "print('import os; os.remove(\"x\")', r'\\d', b'x', '''\nexec\n''')",
    "import sys; sys.stdout.write('x'); sys.exit(1)",
    "print(type(1).__name__, isinstance(1, int))",
    "print(open(0).read())",
    "",
  ])("%j", (source) => expect(readPython(source, plain)).toEqual([]));
});

describe("Python that does more", () => {
  it.each<[string, CodeFinding[]]>([
    ["import os; os.remove('x')", [code("uses os.remove")]],
    ["import shutil; shutil.rmtree('/home/u')", [code("imports shutil")]],
    ["import subprocess", [code("imports subprocess")]],
    ["from os import system", [code("imports system from os")]],
    ["from os import environ", [code("imports environ from os")]],
    ["__import__('os').system('id')", [code("uses `__import__`")]],
    ["exec('x')", [code("uses `exec`")]],
    ["x = eval; x('1')", [code("uses `eval`")]],
    ["def exec(x): pass\nexec('x')", [code("uses `exec`")]],
    ["import math as exec\nexec('x')", [code("uses the module math as a value")]],
    ["def open(x): pass", [code("gives `open` another meaning")]],
    ["print(().__class__)", [code("uses the attribute `__class__`")]],
    ["print('{0.__class__}'.format(1))", [code("formats with fields that read attributes")]],
    ["f = '{0.x}'; print(f.format(1))", [code("uses the attribute `format`")]],
    ["print(f'{__import__(\"os\")}')", [code("uses `__import__`")]],
    ["print(f'{x!r:{exec(\"1\")}}')", [code("uses `exec`")]],
    ["print(open('a').read())", [read("a")]],
    ["with open('a', encoding='utf8') as f:\n  print(f.readline())", [read("a")]],
    ["open('a', 'w').write('x')", [write("a")]],
    ["open('a', mode='a')", [write("a")]],
    ["import sys; print(open(sys.argv[1]).read())", [{ does: "unknown", why: "it opens a file named while it runs" }]],
    ["open('a', opener=print)", [code("opens a file in an unusual way"), read("a")]],
    ["o = open", [code("uses `open`")]],
    ["import sys; sys.path.append('x')", [code("uses sys.path")]],
    ["print = lambda p: p.append('x')\nimport sys; print(sys.path)", [code("uses sys.path")]],
    ["import sys; s = sys", [code("uses the module sys as a value")]],
    ["import sys; sys.modules['os'].system('id')", [code("uses sys.modules")]],
    ["import sys as json; json.modules", [code("uses sys.modules")]],
    ["import os; print(os.environ)", [{ does: "environment" }]],
    ["import os; print(os.environ['API_KEY'])", [{ does: "environment" }]],
    ["class A: pass", [code("has syntax that is not read: `class`")]],
    ["import sys; sys.stdout = 1", [code("assigns to something that is not a variable")]],
    ["print(`1`)", [code("has the character ```")]],
    ["# -*- coding: rot13 -*-\nprint(1)", [code("has an encoding declaration")]],
    ["ｅｘｅｃ('x')", [code("has the character `ｅ`")]],
    ["print('a", [code("has a string without its closing quote")]],
    ["print(1", [code("has brackets that do not match")]],
    ["print 1", [code("has syntax that is not read: `1`")]],
    ["print(f'{x['a']}')", [code("has an f-string that is not understood")]],
  ])("%j", (source, findings) => expect(readPython(source, plain)).toEqual(findings));

  it("knows that the working directory comes before the library", () => {
    const source = "import json; print(json.dumps(1))";
    expect(readPython(source)).toEqual([code("imports json, which the working directory may replace")]);
    expect(readPython(source, folder("json.py"))).toEqual([code("may load json.py of the working directory")]);
    expect(readPython(source, folder("enum.cpython-311-x86_64-linux-gnu.so"))).toMatchObject([{ does: "code" }]);
    expect(readPython(source, folder("re", "re/__init__.py"))).toEqual([code("may load re of the working directory")]);
    expect(readPython(source, folder("re", "re/x.py", "json.txt"))).toEqual([]);
    expect(readPython(source, { names: () => undefined, isFile: () => true })).toMatchObject([{ does: "code" }]);
    expect(readPython("import sys; print(sys.version)")).toEqual([]);
  });

  it("is quick about hostile input", () => {
    const start = process.cpuUsage();
    for (const part of ["(", "[", "f'{", "a.", "if x:\n ", "not ", "lambda:", "-", "'a' ", "x=", "{**", "f(", "\n", "'''", "a if b else "])
      readPython(part.repeat(8000), plain);
    readPython(`print(${"(".repeat(30_000)}${")".repeat(30_000)})`);
    expect(workedSince(start)).toBeLessThan(6000);
  });
});

/** Runs programs under an audit hook and says which ones ran code, opened files or reached out. */
const AUDIT = `
import sys, json, io, signal, types
import calendar, locale, encodings.idna, traceback, re, math, datetime, collections, itertools, functools, _strptime
fell = None
armed = False
HARMLESS = {"import", "marshal.loads", "sys._getframe", "builtins.id", "object.__getattr__"}
def hook(event, args):
    global fell
    if not armed or event in HARMLESS: return
    if event in ("compile", "exec") and sys._getframe(1).f_code.co_filename.startswith(("<frozen", sys.base_prefix)): return
    if event == "open" and isinstance(args[0], str) and (args[0].startswith(sys.base_prefix) or args[0].startswith("<")): return
    fell = event + " " + repr(args)[:80]
sys.addaudithook(hook)
def late(*_): raise TimeoutError()
signal.signal(signal.SIGALRM, late)
def run(source):
    global fell, armed
    fell = None
    try: code = compile(source, "<program>", "exec")
    except Exception: return False
    sys.stdin, sys.stdout = io.StringIO("id"), io.StringIO()
    program = types.FunctionType(code, {"__name__": "__main__"})
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    armed = True
    try: program()
    except BaseException: pass
    armed = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return True
run("eval('1')"); canary = [fell is not None]
run("open('x')"); canary.append(fell is not None)
fallen = []; ran = 0
for source in json.load(sys.__stdin__):
    ran += run(source)
    if fell: fallen.append([source, fell])
json.dump({"canary": canary, "ran": ran > 0, "fallen": fallen}, sys.__stdout__)
`;

const python = which("python3");

describe.skipIf(python === undefined)("against the real Python", () => {
  it("keeps every random program it calls harmless away from code and files", () => {
    const { below, pick } = random(seedOr(19));
    const NAMES =
      "a b f print len str map type eval exec open getattr sorted sys re json __builtins__ __import__ dict list int globals math".split(
        " ",
      );
    const ATTRIBUTES =
      "__class__ join format split items append stdin stdout read write modules path __globals__ decode update keys exit argv loads sub pi pop __name__ get".split(
        " ",
      );
    const expression = (depth: number): string => {
      const next = (): string => expression(depth + 1);
      if (depth > 3) return pick(["1", "'eval'", "a", "b", "'1'", "[]", "()", "{}", "'{0.x}'"]);
      switch (below(16)) {
        case 0:
        case 1:
          return pick(NAMES);
        case 2:
        case 3:
          return `${next()}.${pick(ATTRIBUTES)}`;
        case 4:
        case 5:
          return `${next()}(${next()})`;
        case 6:
          return `${next()}.${pick(ATTRIBUTES)}(${next()}${pick(["", `, ${next()}`])})`;
        case 7:
          return `${next()} ${pick(["+", "-", "or", "and", "%", "in", "is not", "if 1 else", "//"])} ${next()}`;
        case 8:
          return `[${next()}, ${next()}]`;
        case 9:
          return `[${next()} for ${pick(["a", "b", "a, b", "exec"])} in ${next()}]`;
        case 10:
          return `(lambda ${pick(["a", "a, b", "*a", "a=1"])}: ${next()})`;
        case 11:
          return `f"{${next()}}${pick(["", "{1:>{2}}", "{{a}}"])}"`;
        case 12:
          return `${next()}[${next()}]`;
        case 13:
          return `(${next()})`;
        case 14:
          return `{${next()}: ${next()}}`;
        default:
          return pick(["1", "'eval'", "'a{}b'", "'''x'''", "r'\\d'", "b'x'", "a", "f(1)"]);
      }
    };
    const statement = (): string =>
      pick([
        () => `${pick(["a", "b", "a, b", "exec", "a[0]"])} = ${expression(0)}`,
        () => `print(${expression(0)})`,
        () => expression(0),
        () => `for a in ${expression(0)}:\n  ${expression(0)}`,
        () => `def f(a, b=2):\n  return ${expression(0)}`,
        () => `try: ${expression(0)}\nexcept Exception as a: print(a)`,
        () => `a += ${expression(1)}`,
        () => `import ${pick(["sys", "re", "json", "math", "os", "sys as a"])}`,
        () => `with ${expression(1)} as a: ${expression(1)}`,
      ])();
    const silent: string[] = [];
    for (let round = 0; round < Math.max(ROUNDS, 7200); round += 1) {
      const last = below(2) === 0 ? statement() : "";
      const source = `import sys, re, json, math\na = []\nb = 'x'\ndef f(a): return a\n${statement()}\n${statement()}\n${last}`;
      if (readPython(source, plain).length === 0) silent.push(source);
    }
    expect(silent.length).toBeGreaterThan(ROUNDS / 2);
    const result = spawnSync(python!, ["-I", "-c", AUDIT], {
      input: JSON.stringify(silent),
      encoding: "utf8",
      timeout: 300_000,
      maxBuffer: 1 << 26,
    });
    expect(JSON.parse(result.stdout === "" ? JSON.stringify(result.stderr) : result.stdout)).toEqual({
      canary: [true, true],
      ran: true,
      fallen: [],
    });
  }, 3_600_000);
});
