import { AGENTS, type Agent, type Setup } from "../src/agents/index.ts";
import { installPlace } from "../src/agents/install/index.ts";
import { between } from "./policy-docs.ts";

/** What is generated from what the agents' files say about their hosts. */
export const agentsDocs: readonly { readonly file: string; readonly update: (before: string) => string }[] = [
  {
    file: "docs/agents.md",
    update: (before) =>
      between(between(between(before, "hosts", table()), "steering", steering()), "host by host", AGENTS.flatMap(part).join("\n\n")),
  },
];

const HOME = "/home/you";

const set = (agent: Agent): readonly (Agent & { readonly setup: Setup })[] =>
  agent.setup === undefined ? [] : [{ ...agent, setup: agent.setup }];

function table(): string {
  const rows = AGENTS.flatMap(set).map(
    ({ id, name, setup }) =>
      `| ${name} | \`${id}\` | ${setup.minimum ?? "?"} | ${setup.asks} | ${setup.fails} | ${setup.unrun === undefined ? "yes" : `**not run**: ${setup.unrun.replace(/^written from documentation, not run: /, "written from documentation; ")}`} |`,
  );
  return [
    "| agent | `--agent` | from version | what must be asked | when the hook itself fails | driven for real |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** What settings of a repository do to each host, and where nothing in it reaches the hooks. */
function steering(): string {
  const rows = AGENTS.flatMap(set).map(({ id, name, setup: { steered, managed, greets } }) => {
    const way =
      managed === undefined
        ? "no place is known that only an administrator can write"
        : `\`sudo assent install --managed --agent ${id}\` writes \`${managed.file}\` (${managed.known})`;
    return `| ${name} | ${steered.said} | ${way} | ${greets === undefined ? "`assent doctor`" : "`assent doctor`, and a message when a session starts"} |`;
  });
  return ["| agent | what a repository can do | what holds against it | where it is said |", "|---|---|---|---|", ...rows].join("\n");
}

function part(agent: Agent): readonly string[] {
  return set(agent).map(({ name, id, setup }) => {
    const place = installPlace(
      id as Parameters<typeof installPlace>[0],
      { node: "/usr/bin/node", folder: "/opt/assent/dist" },
      machine,
      undefined,
    );
    const files = setup.registrations(place).map(({ file }) => `\`${file.replace(HOME, "~")}\``);
    const lines = [
      `### ${name}`,
      "",
      `Registered in ${files.join(" and ")}, for ${setup.events.map((event) => `\`${event}\``).join(", ")}.${setup.after === undefined ? "" : ` ${setup.after}.`}`,
      "",
      "What Assent cannot enforce there:",
      "",
      ...setup.cannot.map((what) => `- ${what}`),
    ];
    return lines.join("\n");
  });
}

const machine = { home: HOME, env: {}, platform: "linux", uid: 1000, temp: [], managedPolicy: "/etc/assent/policy.jsonc" };
