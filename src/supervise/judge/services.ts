import { readFileSync } from "node:fs";
import type { Action } from "../../action/index.ts";

/** Services that programs talk to and the folders of their own that they keep meanwhile. `~/` is home. */
interface Service {
  readonly hosts: readonly string[];
  readonly own: readonly string[];
  /** Where a person may have configured another host: variables and files. */
  readonly configured?: { readonly variables: readonly string[]; readonly files: readonly string[]; readonly pattern: RegExp };
}

const NPM: Service = {
  hosts: ["registry.npmjs.org", "registry.yarnpkg.com"],
  own: [
    "~/.npm/_cacache",
    "~/.npm/_logs",
    "~/.npm/_npx",
    "~/.npm/_update-notifier-last-checked",
    "~/.npm/_libvips",
    "~/.cache/node",
    "~/.cache/node-gyp",
    "~/.cache/pnpm",
    "~/.local/share/pnpm",
    "~/.local/state/pnpm",
    "~/.cache/yarn",
    "~/.yarn/berry",
    "~/.bun/install/cache",
  ],
  configured: {
    variables: ["npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER"],
    files: [".npmrc", "~/.npmrc", "/etc/npmrc", ".yarnrc.yml"],
    pattern: /^\s*(?:(?:@[\w.-]+:)?registry\s*=|npmRegistryServer:)\s*"?(https?:\/\/[^\s"]+)/gm,
  },
};
const PYPI: Service = {
  hosts: ["pypi.org", "files.pythonhosted.org"],
  own: ["~/.cache/pip", "~/.cache/uv", "~/.cache/pypoetry", "~/.local/share/uv"],
  configured: {
    variables: ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"],
    files: ["~/.config/pip/pip.conf", "~/.pip/pip.conf", "/etc/pip.conf"],
    pattern: /^\s*(?:extra-)?index-url\s*=\s*(https?:\/\/\S+)/gm,
  },
};
const GIT: Service = {
  hosts: [],
  own: [],
  configured: {
    variables: [],
    files: [".git/config", "../.git/config", "../../.git/config"],
    pattern: /^\s*(?:push)?url\s*=\s*((?:https?|ssh|git):\/\/\S+|[\w.-]+@[\w.-]+:\S+)/gm,
  },
};

const SERVICES: Readonly<Record<string, Service>> = {
  npm: NPM,
  pypi: PYPI,
  git: GIT,
  crates: {
    hosts: ["index.crates.io", "static.crates.io", "crates.io"],
    own: [
      "~/.cargo/registry",
      "~/.cargo/git",
      "~/.cargo/.package-cache",
      "~/.cargo/.package-cache-mutate",
      "~/.cargo/.global-cache",
      "~/.cargo/.global-cache-journal",
    ],
  },
  go: { hosts: ["proxy.golang.org", "sum.golang.org"], own: ["~/go/pkg", "~/.cache/go-build", "~/.config/go/telemetry"] },
};

/** What programs keep for themselves whatever they are asked to do, by the first word of their knowledge entry. */
const OWN: Readonly<Record<string, Service>> = {
  npm: NPM,
  npx: NPM,
  pnpm: NPM,
  yarn: NPM,
  bun: NPM,
  pip: PYPI,
  pip3: PYPI,
  uv: PYPI,
  cargo: SERVICES["crates"] ?? NPM,
  go: SERVICES["go"] ?? NPM,
};

/** What a started program may do without a question: what it does for itself, and what its words say it does. */
export interface Errand {
  /** Files and folders with everything in them; what it starts may write them too. */
  readonly writes: readonly string[];
  /** Of its service: open to this program and its own helpers, not to the scripts that it starts. */
  readonly hosts: readonly KnownHost[];
}

export interface KnownHost {
  readonly host: string;
  readonly port: number | undefined;
}

/** Programs that do a client's talking for it: git's own, and the shell it signs in with; what pip builds with. */
const HELPERS: Readonly<Record<string, { readonly path: RegExp; readonly words?: RegExp }>> = {
  git: { path: /^\/usr\/(?:local\/)?(?:bin\/(?:git|ssh)|lib(?:exec)?\/git-core\/git(?:-[\w-]+)?)$/ },
  pip: { path: /^\/usr\/bin\/python3?(?:\.\d+)?$/, words: /^\/usr\/\S+\/pip\/__pip-runner__\.py$/ },
};

/** Whether a program that is started goes on with the errand of the one that starts it. */
export function isHelper(client: string, path: string, words: readonly string[]): boolean {
  const helper = HELPERS[/^pip3?$/.test(client) ? "pip" : client];
  return helper?.path.test(path) === true && (helper.words === undefined || words.some((word) => helper.words?.test(word)));
}

interface ServiceContext {
  readonly home: string;
  readonly cwd: string;
  readonly env: (name: string) => string | undefined;
}

/** The errand of a command whose lowered actions these are. */
export function errandOf(program: string, actions: readonly Action[], around: ServiceContext): Errand {
  const writes: string[] = [];
  const hosts: KnownHost[] = [];
  const serve = (service: Service): void => {
    writes.push(...service.own.map((path) => path.replace(/^~(?=\/)/, around.home)));
    for (const host of [...service.hosts, ...configuredHosts(service, around)]) hosts.push({ host, port: undefined });
  };
  const own = OWN[program];
  if (own !== undefined) serve(own);
  for (const action of actions) {
    if (action.kind === "file" && action.upkeep === true && action.target.kind !== "unknown")
      writes.push(action.target.kind === "glob" ? action.target.pattern.replace(/\/\*\*$/, "") : action.target.path);
    else if (action.kind === "remote" && action.operation === "read") {
      const service = SERVICES[action.service];
      if (service !== undefined && service !== own) serve(service);
    }
  }
  return { writes: writes.filter((path) => path.startsWith("/") && !/[*?[]/.test(path)), hosts };
}

function configuredHosts({ configured }: Service, { home, cwd, env }: ServiceContext): readonly string[] {
  if (configured === undefined) return [];
  const urls = configured.variables.flatMap((name) => (env(name) ?? "").split(/\s+/));
  for (const file of configured.files) {
    const path = file.startsWith("~/") ? home + file.slice(1) : file.startsWith("/") ? file : `${cwd}/${file}`;
    try {
      for (const [, url = ""] of readFileSync(path, "utf8").matchAll(configured.pattern)) urls.push(url);
    } catch {
      // Not there: nothing is configured in it.
    }
  }
  return urls.flatMap((url) => {
    const ssh = /^[\w.-]+@([\w.-]+):/.exec(url)?.[1];
    if (ssh !== undefined) return [ssh.toLowerCase()];
    return URL.canParse(url) ? [new URL(url).hostname] : [];
  });
}
