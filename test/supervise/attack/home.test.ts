import { describe, expect, it } from "vitest";
import { attack } from "./world.ts";

/**
 * Tools where a version manager would put them; each makes the folders that it keeps for itself, as in a new home: in its own process,
 * for what it starts is not the tool.
 */
const tools = (own: Readonly<Record<string, readonly string[]>>): string =>
  [
    "mkdir -p /srv/home/.volta/bin",
    ...Object.entries(own).map(([name, paths]) => {
      const lines = [
        "#!/usr/bin/python3",
        "import os, pathlib",
        `for path in ${JSON.stringify(paths)}:`,
        '    made = pathlib.Path(os.path.expanduser("~"), path)',
        "    try:",
        "        made.parent.mkdir(parents=True, exist_ok=True)",
        '        made.write_text("x")',
        "    except OSError as error:",
        "        print(error)",
      ];
      return `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} > /srv/home/.volta/bin/${name}; chmod 755 /srv/home/.volta/bin/${name}`;
    }),
  ].join("\n");

describe.concurrent("in a home where nothing has run yet", () => {
  it("programs make the folders above their own", async () => {
    const own = {
      npm: [".npm/_logs/a", ".npm/_cacache/index/b"],
      pnpm: [".local/share/pnpm/store/x", ".local/state/pnpm/state.json"],
      yarn: [".yarn/berry/cache/x", ".cache/yarn/v6/x"],
      pip: [".cache/pip/http/x"],
      cargo: [".cargo/registry/index/x", ".cargo/.package-cache", ".cargo/.package-cache-mutate", ".cargo/.global-cache-journal"],
      go: ["go/pkg/mod/cache/x", ".cache/go-build/00/x", ".config/go/telemetry/local/x"],
    };
    const { out } = await attack({
      before: tools(own),
      program: Object.keys(own)
        .map((name) => `/srv/home/.volta/bin/${name} install`)
        .join("\n"),
      after: "cd /srv/home; find . -type f",
    });
    for (const path of Object.values(own).flat()) expect(out).toContain(`./${path}\n`);
  });

  it("but nothing beside them, and nobody else does", async () => {
    const { out } = await attack({
      before: tools({ npm: [".npm/own", ".npmx/a/b", ".config/autostart/x.desktop"] }),
      program: "mkdir ~/.cache; /srv/home/.volta/bin/npm install; mkdir ~/.yarn; cd /srv/home; find . ! -path './.volta*'",
      after: "ls -A /srv/home",
    });
    expect(out).not.toMatch(/^(?:\.\/)?(?:\.npm\/own|\.npmx.*|\.config|\.cache|\.yarn)$/m);
    expect(out).toMatch(/^\.npm$/m);
  });

  it("what npm itself does offline", async () => {
    const { out } = await attack({
      before: `mkdir lib; echo '{"name":"lib","version":"1.0.0"}' > lib/package.json; echo '{"name":"a"}' > package.json`,
      program: "npm install --offline --no-audit --no-fund ./lib",
      after: "ls /srv/home/.npm; ls node_modules; cat /srv/events",
    });
    expect(out).toMatch(/^_logs$/m);
    expect(out).toMatch(/^lib$/m);
    expect(out).not.toContain("refused");
  });
});

it("a home that is a link, or behind one, is the home", async () => {
  const { out } = await attack({
    before: "mkdir /srv/var; mv /srv/home /srv/var/home; ln -s var/home /srv/home; echo color=TOKEN > ~/.npmrc",
    program:
      "cat ~/.ssh/id_rsa /srv/var/home/.ssh/id_rsa ~/.npmrc; echo x >> ~/.bashrc; echo x > ~/.agent-permissions.jsonc; npm config get registry; echo done",
    after: "ls -A /srv/home/; cat /srv/home/.agent-permissions.jsonc",
  });
  expect(out).not.toMatch(/SECRETKEY|color=TOKEN|^\.bashrc$/m);
  // npm may read its own, and keep its log.
  expect(out).toMatch(/^\.npm$/m);
  expect(out).toMatch(/^done$/m);
  expect(out).toContain('"permissions"');
});

it("a clone that fails takes its own folders away again", async () => {
  const { out } = await attack({ program: "git clone --quiet file:///nonexistent/x y; ls", after: "" });
  expect(out).not.toMatch(/^y$/m);
});
