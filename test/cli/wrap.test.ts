import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { interpreterOf, wrapped } from "../../packages/assent/src/cli/wrap-launcher.ts";
import { assent, scratch, type Run, type Scratch } from "../scratch.ts";

interface Wrapping extends Scratch {
  readonly bin: string;
  readonly run: (...args: readonly string[]) => Run;
  readonly script: (name: string, content: string | Uint8Array, mode?: number) => string;
}

function place(): Wrapping {
  const here = scratch();
  const bin = join(here.home, "bin");
  mkdirSync(bin);
  const script = (name: string, content: string | Uint8Array, mode = 0o755): string => {
    const file = join(bin, name);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  };
  const run = (...args: readonly string[]): Run => assent(here, ["wrap", ...args], "", { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` });
  return { ...here, bin, run, script };
}

describe("assent wrap", () => {
  it.each<readonly [why: string, content: string | Uint8Array, mode: number]>([
    ["a shell script", "#!/bin/sh\necho hello\n", 0o755],
    ["env and an argument", "#!/usr/bin/env node\nconsole.log(1)\n", 0o700],
    ["blanks and a carriage return", "#! /bin/sh  -e \r\necho\r\n", 0o555],
    ["nothing but its first line", "#!/bin/cat", 0o755],
    ["bytes that are no UTF-8", Buffer.concat([Buffer.from("#!/bin/sh\n# caf"), Buffer.from([0xe9, 0x0a, 0x00, 0xff])]), 0o4711],
  ])("gives %s back byte for byte", (_, content, mode) => {
    const here = place();
    const file = here.script("tool", content, mode);
    const before = readFileSync(file);
    const wrap = here.run("wrap", "tool");
    expect([wrap.status, wrap.stderr]).toEqual([0, ""]);
    expect(readFileSync(file, "latin1")).toMatch(/^#!.*\/\.local\/share\/assent\/wrap\/tool\n/);
    expect(statSync(file).mode & 0o7777).toBe(mode);
    expect(here.run("unwrap", "tool").stdout).toBe("unwrapped tool\n");
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(statSync(file).mode & 0o7777).toBe(mode);
    expect(here.run("list").stdout).toBe("no program is wrapped\n");
  });

  it("changes what a link leads to, and leaves the link", () => {
    const here = place();
    mkdirSync(join(here.home, "lib"));
    const target = here.write("~/lib/cli.js", "#!/usr/bin/env node\n");
    chmodSync(target, 0o755);
    symlinkSync("../lib/cli.js", join(here.bin, "tool"));
    expect(here.run("wrap", "tool").status).toBe(0);
    expect(lstatSync(join(here.bin, "tool")).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("/wrap/tool\n");
    expect(here.run("unwrap", "tool").status).toBe(0);
    expect(readFileSync(target, "utf8")).toBe("#!/usr/bin/env node\n");
  });

  it("puts a launcher in front of what is not a script, or is not the user's, or on demand", () => {
    const here = place();
    const file = here.script("tool", "#!/bin/sh\n");
    for (const args of [["true"], ["--shim", "tool"]]) {
      const { status, stdout } = here.run("wrap", ...args);
      expect(status).toBe(0);
      expect(stdout).toContain('export PATH="$HOME/.local/share/assent/bin:$PATH"');
    }
    expect(readFileSync(file, "utf8")).toBe("#!/bin/sh\n");
    expect(here.run("list").stdout).toMatch(/^tool +not first in PATH .*\ntrue +not first in PATH /);
    expect(here.run("wrap", "--in-place", "false").stderr).toContain("is not a script");
    expect(here.run("unwrap", "tool").status).toBe(0);
    expect(existsSync(join(here.home, ".local/share/assent/bin/tool"))).toBe(false);
  });

  it("sees an upgrade, leaves it alone and wraps it again", () => {
    const here = place();
    here.script("tool", "#!/bin/sh\necho 1\n");
    here.run("wrap", "tool");
    const file = here.script("tool", "#!/bin/bash\necho 2\n");
    expect(here.run("list", "--json").stdout).toContain('"state":"replaced"');
    expect(here.run("wrap", "tool").status).toBe(0);
    expect(here.run("unwrap", "tool").stdout).toBe("unwrapped tool\n");
    expect(readFileSync(file, "utf8")).toBe("#!/bin/bash\necho 2\n");
    here.run("wrap", "tool");
    here.script("tool", "#!/bin/dash\n");
    expect(here.run("unwrap", "tool").stdout).toContain("was replaced since, and is left as it is");
    expect(readFileSync(file, "utf8")).toBe("#!/bin/dash\n");
  });

  it.each<readonly [args: readonly string[], message: string, exit: number]>([
    [["wrap", "nosuch"], "nosuch: not found", 2],
    [["unwrap", "nosuch"], "no program `nosuch` is wrapped", 2],
    [["wrap", "./-x"], "cannot be the name", 1],
    [["wrap", "tool"], "tool is wrapped already", 1],
  ])("says what is wrong: %s", (args, message, exit) => {
    const here = place();
    here.script("tool", "#!/bin/sh\n");
    here.run("wrap", "tool");
    chmodSync(here.write("-x", "#!/bin/sh\n"), 0o755);
    const { status, stderr } = here.run(...args);
    expect(status).toBe(exit);
    expect(stderr).toContain(message);
  });

  it("knows a wrapped program, so that no run starts in a run", () => {
    const here = place();
    const file = here.script("tool", "#!/usr/bin/env node --x\n");
    here.run("wrap", "--profile", "p", "tool");
    expect(wrapped(here, file)).toMatchObject({ launcher: { profile: "p" }, start: ["/usr/bin/env", "node --x", file] });
    here.run("wrap", "true");
    expect(wrapped(here, join(here.home, ".local/share/assent/bin/true"))?.start).toEqual([expect.stringMatching(/\/true$/)]);
    expect(wrapped(here, "/bin/true")).toBeUndefined();
  });

  it("installs a package with npm and wraps its programs", () => {
    const here = place();
    here.write("pkg/package.json", JSON.stringify({ name: "pkg-of-ours", version: "1.0.0", bin: { ours: "cli.js", other: "o.js" } }));
    here.write("pkg/cli.js", "#!/usr/bin/env node\nconsole.log(1)\n");
    here.write("pkg/o.js", "#!/usr/bin/env node\n");
    const prefix = join(here.home, "npm");
    const env = { npm_config_prefix: prefix, npm_config_cache: join(here.root, "cache"), npm_config_install_links: "true" };
    const { status, stdout } = assent(here, ["wrap", "install", "--with", "npm", "./pkg", "--offline"], "", env);
    expect([status, stdout]).toEqual([0, expect.stringContaining("wrapped ours:")]);
    expect(readFileSync(join(prefix, "bin/ours"), "utf8")).toContain("/wrap/ours\nconsole.log(1)\n");
    expect(here.run("list").stdout).toMatch(/^other +wrapped .*\n?ours|^ours +wrapped/m);
  });

  it("installs with pipx, and says when there is neither", () => {
    const here = place();
    here.script(
      "pipx",
      `#!/bin/sh
case $1 in
  environment) echo ${here.home}/.local/bin;;
  install) mkdir -p ${here.home}/.local/bin; printf '#!/bin/sh\\n' > ${here.home}/.local/bin/app; chmod 755 ${here.home}/.local/bin/app;;
  list) echo '{"venvs":{"app":{"metadata":{"main_package":{"apps":["app"]}}}}}';;
esac
`,
    );
    const path = { PATH: `${here.bin}:/bin` };
    expect(
      assent(here, ["wrap", "install", "app", "--with", "pipx"], "", path).stdout +
        assent(here, ["wrap", "install", "--with", "pipx", "app"], "", path).stdout,
    ).toContain("wrapped app:");
    const { status, stderr } = assent(here, ["wrap", "install", "x"], "", { PATH: here.home });
    expect([status, stderr]).toEqual([1, expect.stringContaining("neither pipx nor npm is installed")]);
  });
});

it.each<readonly [line: string, words: readonly string[] | undefined]>([
  ["#!/bin/sh\n", ["/bin/sh"]],
  ["#!/usr/bin/env -S node --x  \n", ["/usr/bin/env", "-S node --x"]],
  ["#!\t /bin/sh\t-e\n", ["/bin/sh", "-e"]],
  ["#!/bin/sh\r\n", ["/bin/sh\r"]],
  ["#!\n", undefined],
  ["\x7fELF", undefined],
])("the kernel reads %j", (line, words) => {
  expect(interpreterOf(Buffer.from(line))).toEqual(words);
});
