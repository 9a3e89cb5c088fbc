import { describe, expect, test } from "vitest";
import type { AnyGuard } from "../../packages/library/src/sdk/adapters/guards.ts";
import { guardTools as aiTools } from "@assent/library/sdk/ai-sdk";
import { canUseTool, hooks } from "@assent/library/sdk/claude-agent-sdk";
import { permissionMiddleware } from "@assent/library/sdk/langchain";
import { guardTools as mastraTools, permissionHooks } from "@assent/library/sdk/mastra";
import { guardTools as openaiTools, inputGuardrail } from "@assent/library/sdk/openai-agents";
import { createGuard } from "@assent/library/sdk";
import {
  canAutoApprove,
  createConsoleToolset,
  createRuleset,
  LocalBackend,
  openGuard,
  PermissionChecker,
  presets,
} from "@assent/library/sdk/compat";
import { scratch } from "../scratch.ts";

/** Options as plain JavaScript gives them: no type finds a mistake there, and a guard that is another than was meant must not be made. */

type Give = (options: Readonly<Record<string, unknown>>) => unknown;
// oxlint-disable typescript/no-unsafe-type-assertion -- what no type checked is the point
const TAKES: Readonly<Record<string, Give>> = {
  openGuard: (options) => openGuard(options),
  PermissionChecker: (options) => new PermissionChecker(presets.default, options),
  LocalBackend: (options) => new LocalBackend({ root: scratch().project, ...options }),
  createRuleset: (options) => createRuleset(options),
  createConsoleToolset: (options) => createConsoleToolset(new LocalBackend({ root: scratch().project }), options),
};

const WRONG: readonly (readonly [of: string, options: Readonly<Record<string, unknown>>, said: string])[] = [
  ["openGuard", { preset: "readonly" }, "does not know the option `preset`"],
  ["openGuard", { files: "none" }, "does not know the option `files`"],
  ["openGuard", { onask: () => true }, "does not know the option `onask`"],
  ["openGuard", { policy: {} }, "does not know the option `policy`"],
  ["openGuard", { policyFiles: "a.jsonc" }, "`policyFiles` must be a list of texts"],
  ["openGuard", { policyFiles: [1] }, "`policyFiles` must be a list of texts"],
  ["openGuard", { onAsk: true }, "`onAsk` must be a function"],
  ["openGuard", { audit: "no" }, "`audit` must be true or false"],
  ["openGuard", { cwd: 1 }, "`cwd` must be a text"],
  ["openGuard", { machine: null }, "`machine` must be an object"],
  ["openGuard", { constructor: 1 }, "does not know the option `constructor`"],
  ["PermissionChecker", { policyfiles: [] }, "does not know the option `policyfiles`"],
  ["PermissionChecker", { files: "nothing" }, '`files` must be "machine" or "none"'],
  ["PermissionChecker", { askFallback: "allow" }, '`askFallback` must be "error" or "deny"'],
  ["LocalBackend", { permission: presets.readonly }, "does not know the option `permission`"],
  ["LocalBackend", { ruleset: presets.readonly }, "does not know the option `ruleset`"],
  ["LocalBackend", { supervised: true }, "does not know the option `supervised`"],
  ["LocalBackend", { supervise: "yes" }, "`supervise` must be true or false"],
  ["LocalBackend", { execute: 0 }, "`execute` must be true or false"],
  ["LocalBackend", { allowedDirectories: "/repo" }, "`allowedDirectories` must be a list of texts"],
  ["LocalBackend", { outside: "always" }, '`outside` must be "never" or "ask"'],
  ["LocalBackend", { timeout: Number.NaN }, "`timeout` must be a number"],
  ["createRuleset", { denysecrets: true }, "does not know the option `denysecrets`"],
  ["createRuleset", { allow_write: true }, "does not know the option `allow_write`"],
  ["createRuleset", { allowWrite: "no" }, "`allowWrite` must be true or false"],
  ["createConsoleToolset", { editformat: "lines" }, "does not know the option `editformat`"],
  ["createConsoleToolset", { editFormat: "line" }, '`editFormat` must be "text" or "lines"'],
];

test.each(WRONG)("%s %j", (of, options, said) => {
  expect(() => TAKES[of]?.(options)).toThrow(said);
});

test.each([null, [], "readonly", 1])("openGuard(%j) takes no such thing", (options) => {
  expect(() => openGuard(options as unknown as object)).toThrow("takes an object of options");
});

test("what is undefined is not given", () => {
  expect(() => openGuard({ cwd: undefined, onAsk: undefined } as object)).not.toThrow();
});

test.each([{ policies: "suggest" }, { writableroots: ["/"] }, { policy: "yolo" }, { sandbox: "yes" }])(
  "canAutoApprove %j asks",
  (options) => {
    const { machine, project } = scratch();
    expect(canAutoApprove(["ls"], { policy: "suggest", workdir: project, machine }).type).toBe("auto-approve");
    const wrong: object = { policy: "suggest", workdir: project, machine, ...options };
    expect(canAutoApprove(["ls"], wrong as { policy: "suggest" }).type).toBe("ask-user");
  },
);

const CODE = createGuard({ cwd: "/" });
const OPEN = openGuard({ audit: false });
const ADAPTERS: Readonly<Record<string, (guard: object, options: object) => unknown>> = {
  guardTools: (guard, options) => aiTools(guard as AnyGuard, options),
  "guardTools of OpenAI Agents": (guard, options) => openaiTools(guard as AnyGuard, [{ type: "function", name: "bash" }], options),
  "guardTools of Mastra": (guard, options) => mastraTools(guard as AnyGuard, { bash: { execute: () => "" } }, options),
  inputGuardrail: (guard, options) => inputGuardrail(guard as AnyGuard, options),
  permissionHooks: (guard, options) => permissionHooks(guard as AnyGuard, options),
  permissionMiddleware: (guard, options) => permissionMiddleware(guard as AnyGuard, options),
  hooks: (guard, options) => hooks(guard as AnyGuard, options),
  canUseTool: (guard, options) => canUseTool(guard as AnyGuard, options),
};

describe.each(Object.entries(ADAPTERS))("%s", (_, give) => {
  test.each<readonly [object, object, string]>([
    [{}, {}, "takes a guard first"],
    [CODE, { efects: {} }, "does not know the option `efects`: did you mean `effects`?"],
    [CODE, { effects: { bash: "shell" } }, 'the effect of `bash` must be "nothing" or a function of the input'],
    [OPEN, { effects: { bash: "nothing" } }, "`effects` need a guard of createGuard"],
    [CODE, { facts: { bash: "shell" } }, "the facts of `bash` must say what it does"],
    [OPEN, { facts: { bash: { does: "shel" } } }, "the facts of `bash` must say what it does"],
    [CODE, { effects: { bash: "nothing" }, facts: { bash: { does: "shell", field: "command" } } }, "has an effect and facts"],
    [CODE, { facts: [] }, "`facts` must be an object"],
  ])("%#: %j is an error that names what is wrong", (guard, options, said) => {
    expect(() => give(guard, options)).toThrow(said);
  });
});
