import type { Outcome } from "@assent/guard/engine";
import type { Decision } from "@assent/core/policy";
import { AGENTS, type Agent, type Setup } from "@assent/hosts/agents";
import { installPlace } from "@assent/hosts/agents/install";
import { between } from "./policy-docs.ts";

/** What is generated from what the agents' files say about their hosts. */
export const agentsDocs: readonly { readonly file: string; readonly update: (before: string) => string }[] = [
  {
    file: "docs/agents.md",
    update: (before) =>
      [
        ["hosts", table()],
        ["steering", controlling()],
      ].reduce((text, [name = "", block = ""]) => between(text, name, block), before),
  },
  {
    file: "site/generated/hosts.md",
    update: () => `${["# Agents, host by host", "## What becomes of a verdict", verdicts(), ...AGENTS.flatMap(part)].join("\n\n")}\n`,
  },
];

const HOME = "/home/you";

const set = (agent: Agent): readonly (Agent & { readonly setup: Setup })[] =>
  agent.setup === undefined ? [] : [{ ...agent, setup: agent.setup }];

function table(): string {
  const rows = AGENTS.flatMap(set).map(
    ({ id, name, setup }) =>
      `| ${name} | \`${id}\` | ${setup.minimum ?? "?"} | ${setup.asks} | ${setup.unrun === undefined ? "yes" : "no"} |`,
  );
  return ["| agent | `--agent` | from version | what must be asked | driven for real |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** What becomes of each verdict, as the host's own file answers it on its first event. */
function verdicts(): string {
  const rows = AGENTS.flatMap(set).map(({ name, protocol, setup }) => {
    const { payload, env = {} } = setup.sample("x", "/p");
    const reading = protocol.read({ payload, event: setup.events[0], env, folder: "/p" });
    if (reading.is !== "request") throw new Error(`${name}: the sample is no request`);
    const { request } = reading;
    const told = (decision: Decision): string => {
      const verdict = { decision, basis: "rule", reason: "r", actions: [], unknowns: [] } as const;
      const { envelope, exit } = protocol.write({
        request,
        verdict,
        answer: { decision, reason: "r", modelReason: "r" },
      } as unknown as Outcome);
      return JSON.stringify([envelope, exit]);
    };
    const noOpinion = JSON.stringify([protocol.noOpinion.envelope, protocol.noOpinion.exit]);
    const { asks, decides } = request.host;
    const dialog = setup.asks.startsWith("a dialog")
      ? "a question; without a user interface refused with the reason"
      : "refused with the reason";
    const question = asks ? "a question" : dialog;
    const own = "left to the host";
    const cells = [
      told("allow") === noOpinion ? own : "goes ahead without the host's own question",
      question,
      decides ? own : question,
      told("none") === noOpinion ? own : question,
      setup.denies ?? "refused, the model reads the reason",
      setup.noOpinion,
    ];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [
    "| agent | `allow` | `ask` by a rule, a danger, a secret | `ask` by a default alone | `none` | `deny` | left to the host, and with hooks off |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** What settings of a repository do to each host, and where nothing in it reaches the hooks. */
function controlling(): string {
  const rows = AGENTS.flatMap(set).map(({ name, setup: { controlled, managed } }) => {
    const way =
      managed === undefined
        ? "no place is known"
        : `\`${managed.file}\` (${managed.known}${controlled.unhooking === undefined ? "" : ", not against the variables"})`;
    return `| ${name} | ${controlled.said} | ${way} |`;
  });
  return ["| agent | what a repository can do | what holds against it |", "|---|---|---|", ...rows].join("\n");
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
      `## ${name}`,
      "",
      `Registered in ${files.join(" and ")}, for ${setup.events.map((event) => `\`${event}\``).join(", ")}.${setup.after === undefined ? "" : ` ${setup.after}.`} When the hook itself fails: ${setup.fails}.`,
      "",
      "What Assent cannot enforce there:",
      "",
      ...setup.cannot.map((what) => `- ${what}`),
    ];
    return lines.join("\n");
  });
}

const machine = { home: HOME, env: {}, platform: "linux", uid: 1000, temp: [], managedPolicy: "/etc/assent/policy.jsonc" };
