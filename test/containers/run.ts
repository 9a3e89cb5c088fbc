import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asRoot, asUser, type Engine, Engines } from "./engines.ts";

/**
 * `npm run containers [-- PLACE...] [--json] [--write]`: what Assent does in containers of Docker, containerd and Podman, with their own
 * filters. Needs root, docker.io, podman, runc and busybox-static. `--write`: the rows of evidence/machines.md.
 */
interface Place {
  readonly name: string;
  readonly order: number;
  readonly how: string;
  readonly start: (engines: Engines) => Engine;
  /** What differs from `EXPECTED`. */
  readonly expected?: Readonly<Record<string, string | RegExp>>;
  /** What is run there instead of `inside.sh`; it gets no row. */
  readonly script?: string;
}

const DOCKER = "a container of Docker 20.10.24 (runc 1.1.5) with its default filter and capabilities, without network";
const PODMAN = "a container of Podman 4.3.1 (runc 1.1.5) with its default filter and capabilities, without network";
const WITHOUT_COPIES = { lacks: "less pidfd-getfd" };

const PLACES: Readonly<Record<string, Place>> = {
  docker: {
    name: "Docker, as a user",
    order: 40,
    how: `${DOCKER}, as uid 1000`,
    start: (engines) => engines.docker(asUser),
    expected: WITHOUT_COPIES,
  },
  "docker-root": {
    name: "Docker, as root",
    order: 41,
    how: `${DOCKER}, as root`,
    start: (engines) => engines.docker(asRoot),
    expected: { ...WITHOUT_COPIES, uid: "0" },
  },
  "docker-ptrace": {
    name: "Docker with SYS_PTRACE",
    order: 42,
    how: `${DOCKER} and \`--cap-add SYS_PTRACE\`, as uid 1000`,
    start: (engines) => engines.docker(["--cap-add", "SYS_PTRACE", ...asUser]),
  },
  pod: {
    name: "Kubernetes, restricted",
    order: 43,
    how: "a container of containerd 1.6.20 with its default filter (`RuntimeDefault`), no capability, no new privileges, a read-only root and two tmpfs volumes, as uid 1000; no kubelet",
    start: (engines) => engines.pod(),
    expected: { ...WITHOUT_COPIES, kernel: /NoNewPrivs: 1/ },
  },
  podman: {
    name: "Podman, as a user",
    order: 44,
    how: `${PODMAN}, as uid 1000`,
    start: (engines) => engines.podman(asUser),
  },
  "podman-root": {
    name: "Podman, as root",
    order: 45,
    how: `${PODMAN}, as root`,
    start: (engines) => engines.podman(asRoot),
    expected: { uid: "0" },
  },
  "podman-rootless": {
    name: "Podman, rootless",
    order: 46,
    how: `${PODMAN}, started by an ordinary user, as uid 1000 in it`,
    start: (engines) => engines.rootless(),
  },
};

/** An engine that refuses what a run cannot do without: it is refused with the reason, and the hook goes on. */
const REFUSING = readFileSync(join(process.cwd(), "test/containers/refused.sh"), "utf8");
const REFUSED: Readonly<Record<string, readonly [calls: string, off: string, why: RegExp]>> = {
  "no-seccomp": ["seccomp", "listener", /system call filter is refused \(EPERM\) by a filter/],
  "no-landlock": [
    "landlock_create_ruleset landlock_add_rule landlock_restrict_self",
    "landlock",
    /Landlock is refused \(EPERM\) by a filter/,
  ],
  "no-ptrace": ["ptrace", "ptrace", /could not look at the program before it starts \(ptrace: EPERM\)/],
  "no-pidfd": ["pidfd_open", "pidfd-open", /pidfd_open: EPERM; `assent doctor` says/],
  "no-openat2": ["openat2", "openat2", /EPERM.*`assent doctor` says/],
};
const ALL: Readonly<Record<string, Place>> = {
  ...PLACES,
  ...Object.fromEntries(
    Object.entries(REFUSED).map(([id, [calls, off, why]]): [string, Place] => [
      id,
      {
        name: id,
        order: 0,
        how: "",
        start: (engines) => engines.stricter(calls.split(" ")),
        script: REFUSING,
        expected: {
          hook: '"permissionDecision":"deny"',
          doctor: "1",
          off: new RegExp(`\\b${off}\\b`),
          run: "125",
          started: "1",
          why,
          confined: "{}",
          unconfined: /was not sandboxed: commands cannot be supervised here/,
        },
      },
    ]),
  ),
};

const EXPECTED: Readonly<Record<string, string | RegExp>> = {
  kernel: /Seccomp: 2/,
  uid: "1000",
  hook: '"permissionDecision":"deny"',
  judge: "deny",
  library: "function",
  doctor: "0",
  lacks: "",
  run: "0",
  ended: "1",
  harms: "0",
  kept: "0",
  net: "hello 80 unix child",
  undo: "draft",
  unmade: "0",
  confines: "1",
  confined: "end",
  bounds: "new orig",
  errors: /^(?!.*(?:Error|EPERM|ENOSYS))/,
};

const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith("--"));
const unknown = named.find((name) => ALL[name] === undefined);
if (unknown !== undefined || words.some((word) => word.startsWith("--") && word !== "--json" && word !== "--write")) {
  process.stderr.write(`usage: npm run containers [-- ${Object.keys(ALL).join(" | ")}] [--json] [--write]\n`);
  process.exit(2);
}
if (process.getuid?.() !== 0) {
  process.stderr.write("containers: Docker's daemon is started by root alone\n");
  process.exit(2);
}

const script = readFileSync(join(process.cwd(), "test/containers/inside.sh"), "utf8");
const engines = new Engines();
let wrong = 0;
try {
  for (const [id, place] of Object.entries(ALL)) {
    if (named.length > 0 && !named.includes(id)) continue;
    const printed = place.start(engines).run(place.script ?? script);
    const seen = Object.fromEntries(
      [...printed.matchAll(/^(\w+): (.*)$/gm)].map(([, label = "", text = ""]) => [label, text.replaceAll(/\s+/g, " ").trim()]),
    );
    const problems = Object.entries({ ...(place.script === undefined ? EXPECTED : {}), ...place.expected }).flatMap(([label, expected]) => {
      const got = seen[label];
      const fits = got !== undefined && (typeof expected === "string" ? got === expected : expected.test(got));
      return fits ? [] : [`${label} is ${JSON.stringify(got)}, not ${String(expected)}`];
    });
    wrong += problems.length;
    if (words.includes("--json"))
      process.stdout.write(`${JSON.stringify({ v: 1, place: id, ok: problems.length === 0, seen, problems })}\n`);
    else process.stdout.write(`${problems.length === 0 ? "ok  " : "no  "} ${id}\n${problems.map((text) => `     ${text}\n`).join("")}`);
    if (words.includes("--write") && problems.length === 0 && place.script === undefined) writeRow(id, place, seen);
  }
} finally {
  engines.close();
}
process.exitCode = wrong === 0 ? 0 : 1;

function writeRow(id: string, { name, order, how, expected = {} }: Place, seen: Readonly<Record<string, string>>): void {
  const file = join(process.cwd(), `test/machines/results/container-${id}.json`);
  const { cells: { escapes } = {} } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { readonly cells?: { readonly escapes?: unknown } })
    : {};
  const less = seen["lacks"] !== "";
  const without = expected["lacks"] === WITHOUT_COPIES.lacks;
  const yes = (shown: string) => ({ value: "yes", shown });
  const row = {
    name,
    order,
    how,
    on: new Date().toISOString().slice(0, 10),
    command: `npm run containers -- ${id}`,
    cells: {
      hook: yes("`rm -rf ~` in Claude Code's form is denied"),
      judge: yes("`assent explain` denies a line that ends in `rm -rf ~`"),
      library: yes('`import("assent")` loads and exports `createGuard`'),
      run: yes(
        `a script makes and deletes files of the project, and ten harms that it tries fail (a secret read, writing, chmod, link, rename and mkdir outside, a signal to process 1, /proc/sys, mount, a user namespace); servers and connections on this machine work (TCP, 80 one after the other, and a UNIX socket)${without ? "; open files cannot be passed to another program" : ""}`,
      ),
      undo: yes("the deleted file is back, the made one is gone"),
      // They are played by another command (ESCAPE_CONTAINER), and put there by who played them.
      ...(escapes === undefined ? {} : { escapes }),
      doctor: {
        value: less ? "works with less" : "has all it needs",
        shown: less ? "`less` for sharing descriptors (pidfd_getfd is refused), exit status 0" : "exit status 0",
      },
    },
  };
  writeFileSync(file, `${JSON.stringify(row, null, 2)}\n`);
}
