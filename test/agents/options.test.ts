import { describe, expect, it } from "vitest";
import { AGENTS, type HostFacts, OTHERS } from "@assent/hosts/agents";
import { agentCall } from "../../packages/core/src/policy/tables/agent-commands.ts";
import { harmlessOptions } from "../../scripts/harmless-options.ts";
import { exec } from "../policy/language.ts";

const HARMLESS = harmlessOptions();
const HOSTS = [...AGENTS.map(({ facts }): HostFacts => facts), ...OTHERS].flatMap(({ commands }) => ("none" in commands ? [] : [commands]));
const asks = (command: string): boolean => agentCall(exec(command)) !== undefined;

describe("options of the hosts", () => {
  it.each(HOSTS.map(({ programs, options = {} }) => [programs[0] ?? "", options] as const))(
    "%s: starting it with one that takes hooks or questions away, or loads code, is a question",
    (program, { hooks = [], questions = [], code = [] }) => {
      expect([...hooks, ...questions, ...code].filter((option) => !asks(`${program} ${option} x`))).toEqual([]);
    },
  );

  it.each(Object.entries(HARMLESS).map(([program, { options }]) => [program, options] as const))(
    "%s: one that is harmless is no question",
    (program, options) => {
      expect(options.filter((option) => asks(`${program} ${option} x`))).toEqual([]);
    },
  );
});
