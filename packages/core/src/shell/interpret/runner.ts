import { dispatch } from "./command.ts";
import type { CommandRunner } from "../programs/invocation.ts";
import { parseShell } from "../words/parse.ts";
import { doubtScript } from "./portable.ts";
import { ShellState } from "../words/state.ts";
import { holeOf, NOTHING, textOf, unknown, untold } from "../words/value.ts";
import { runScript } from "./walk.ts";

/** What a new shell process knows: the folder; variables only where they were exported, which is not tracked. */
function childState(state: ShellState, reader: string | undefined): ShellState {
  const child = new ShellState(state.places);
  for (const name of state.variables.keys()) child.setVariable(name, unknown(`$${name} in a new shell`, true));
  child.environment = state.environment;
  // What programs start without naming a shell is read by `sh`.
  child.portable = reader === undefined || !/^(?:.*\/)?(?:bash|rbash|zsh)$/.test(reader);
  return child;
}

/** How commands run other commands. */
export const RUNNER: CommandRunner = {
  argv(cx, state, argv, stdin, runner) {
    if (!cx.enter()) return NOTHING;
    const at = cx.actions.length;
    const { out } = dispatch({ cx, state: state.fork(), argv, env: [], stdin, span: cx.outerSpan, external: true, runner: RUNNER });
    cx.leave();
    const started = cx.actions[at];
    if (runner !== undefined && started?.kind === "exec") cx.actions[at] = { ...started, runner };
    return untold(out);
  },
  script(cx, state, value, stdin, options) {
    const text = textOf(value);
    if (text === undefined) {
      const hole = holeOf(value);
      if (hole?.network === true) {
        const exec = cx.add({
          kind: "exec",
          program: "sh",
          argv: [{ known: true, text: "sh" }],
          trusted: false,
          env: [],
          origin: { by: "shell" },
        });
        cx.addDanger(exec, "download-exec");
      }
      cx.unknown(`shell code that is only known at run time: ${hole?.why ?? "a pattern"}`, {
        span: options?.span,
        help: "write the commands out",
      });
      // What is known of the text may already be refused: `sh -c "rm -rf ~; $x"`.
      if (hole === undefined || value.many || !value.atoms.some((atom) => typeof atom === "string"))
        return { is: "unknown", why: "the output of a script", network: false };
    }
    const source = text ?? value.atoms.map((atom) => (typeof atom === "string" ? atom : "${ASSENT_UNKNOWN}")).join("");
    if (!cx.carry(source)) return NOTHING;
    const parsed = parseShell(source);
    if (!parsed.ok) {
      cx.unknown(`${parsed.reason} (in code passed to a shell)`, { span: options?.span });
      return NOTHING;
    }
    if (!cx.enter()) return NOTHING;
    const inner = options?.keep === true ? state.fork() : childState(state, options?.reader);
    doubtScript(cx, inner, parsed.script, options?.span);
    if (options?.positional !== undefined) inner.positional = options.positional;
    const outerSpan = cx.outerSpan;
    cx.outerSpan = options?.span ?? outerSpan ?? { start: 0, end: 0 };
    cx.escapes.push({ from: "shell", states: [] });
    const { out } = runScript(cx, inner, parsed.script.commands, stdin, source);
    cx.escapes.pop();
    cx.leave();
    cx.outerSpan = outerSpan;
    return out;
  },
};
