import { visible } from "@assent/core/action";
import { agentName } from "@assent/core/policy";
import { inspect } from "@assent/guard/inspect";
import { changeConsent, readConsent, thisMachine } from "@assent/guard/state";
import { engine } from "@assent/page/preview";
import { JSON_VERSION } from "./json.ts";
import { absolute } from "./place.ts";
import { complain } from "./policy-target.ts";
import { writeStdout } from "./stdio.ts";

const COMMAND = "agents";

/** `assent agents trust|restrict|forget NAME`: what a person thinks of a sub-agent. Compared without case. */
export function nameAgent(word: string, opinion: "trusted" | "restricted" | "forgotten"): number {
  const name = agentName(word);
  if (name === "") {
    complain(COMMAND, "an agent needs a name", "`assent log --stats` shows the names of those that have asked");
    return 2;
  }
  const { trusted, restricted } = readConsent(thisMachine());
  if (opinion === "forgotten" && ![...trusted, ...restricted].some((other) => agentName(other) === name)) {
    complain(COMMAND, `you have said nothing about ${visible(name)}`, "`assent agents list` shows of whom you have");
    return 2;
  }
  const problem = changeConsent(thisMachine(), (consent) => {
    const without = (names: readonly string[]): readonly string[] => names.filter((other) => agentName(other) !== name);
    const trusted = without(consent.trusted);
    const restricted = without(consent.restricted);
    return {
      ...consent,
      trusted: opinion === "trusted" ? [...trusted, name].toSorted() : trusted,
      restricted: opinion === "restricted" ? [...restricted, name].toSorted() : restricted,
    };
  });
  if (problem !== undefined) {
    complain(COMMAND, visible(problem));
    return 1;
  }
  writeStdout(`${visible(name)} is ${opinion}\n`);
  return 0;
}

/** `assent agents list`: who is trusted, who is restricted, and where that is said. */
export function listAgents(options: { readonly json?: boolean }): number {
  const machine = thisMachine();
  const consent = readConsent(machine);
  const { agents } = inspect({ machine, cwd: absolute("."), own: engine.own }).policy.settings.automation;
  if (options.json === true) {
    const { trusted, restricted } = consent;
    writeStdout(`${JSON.stringify({ v: JSON_VERSION, said: { trusted, restricted }, policy: agents })}\n`);
    return 0;
  }
  const row = (opinion: string, names: readonly string[], where: string): void => {
    for (const name of names) writeStdout(`${opinion.padEnd(10)}  ${visible(name).padEnd(24)}  ${where}\n`);
  };
  row("trusted", consent.trusted, "you");
  row("trusted", agents.trusted, "policy");
  row("restricted", consent.restricted, "you");
  row("restricted", agents.restricted, "policy");
  const named = consent.trusted.length + agents.trusted.length;
  writeStdout(
    named === 0
      ? "no sub-agent is trusted by name: all may do what the main agent may do\n"
      : "you are asked about everything that other sub-agents want\n",
  );
  return 0;
}
