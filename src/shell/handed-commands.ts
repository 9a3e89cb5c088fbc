import type { Context } from "./context.ts";
import type { Runner } from "./invocation.ts";
import type { ShellState } from "./state.ts";
import { literal, textOf, type Value } from "./value.ts";

interface Call {
  readonly cx: Context;
  readonly state: ShellState;
  readonly run: Runner;
}

/** Programs that ruin what they are pointed at, and packages that do the same. */
const RUINS = /^(?:rm|shred|dd|mkfs(?:\.\w+)?|chmod|chown|wipefs)$/;
const REMOVERS = /^(?:npm:)?(?:rimraf|del|del-cli|premove|rmrf)(?:@[\w.^~-]+)?$/;
/** `rm -rf ~` written into one word. */
const LINE = /^\s*(?:sudo\s+)?(?:rm|shred|dd|mkfs(?:\.\w+)?|chmod|chown|rimraf|del-cli)\s[^]*(?:[\s=][/~]|\$\{?HOME)/;
/** What they are given is for another machine, another file system, or a text for somebody to read. */
const ELSEWHERE =
  /^(?:docker|podman|nerdctl|kubectl|oc|ssh|mosh|adb|vagrant|lxc|incus|multipass|limactl|heroku|fly|flyctl|wsl|orb|orbctl|claude|codex|gemini)$/;
/** Known programs that start others by words that are not all known. */
const RUNNERS =
  /^(?:npx|npm|pnpm|pnpx|yarn|yarnpkg|bun|bunx|uv|uvx|pipx|hatch|pixi|tox|nox|rvm|composer|gem|go|cargo|mise|fnm|nvm|n|jenv|rbenv|pyenv|nodenv|devbox|flox|nix|pkgx|tea|lerna|nx|dx|deno|poetry|pdm|rye|conda|mamba|micromamba|corepack|volta)$/;

/**
 * Words behind a program that may start them: where one of them and what follows would ruin something outside the project,
 * it is judged as if it ran. Nothing is found by it that a person could mean inside the project.
 */
export function readHandedCommands(call: Call, name: string, words: readonly Value[], known: boolean, exec: number): void {
  if (known ? !RUNNERS.test(name) : ELSEWHERE.test(name)) return;
  const texts = words.map((word) => textOf(word));
  if (!known && REMOVERS.test(name) && leavesProject(call, texts)) judge(call, words, ["rm", "-rf"], exec);
  texts.forEach((text, at) => {
    if (text === undefined) return;
    const rest = words.slice(at + 1);
    const line = text.replace(/^--?[\w-]+=/, "");
    if (RUINS.test(text) && leavesProject(call, texts.slice(at + 1))) judge(call, rest, [text], exec);
    else if (REMOVERS.test(text) && leavesProject(call, texts.slice(at + 1))) judge(call, rest, ["rm", "-rf"], exec);
    else if (LINE.test(line))
      call.run.script(call.cx, call.state.fork(), literal(line.replace(/^\s*(?:rimraf|del-cli)\s/, "rm -rf ")), { is: "none" }, {});
  });
}

function judge({ cx, state, run }: Call, rest: readonly Value[], program: readonly string[], exec: number): void {
  run.argv(cx, state.fork(), [...program.map(literal), ...rest], { is: "none" }, exec);
}

function leavesProject({ cx }: Call, texts: readonly (string | undefined)[]): boolean {
  const { projectRoot, temp } = cx.world;
  return texts.some((text) => {
    const path = text?.replace(/^of=/, "") ?? "";
    return path.startsWith("/") && !path.startsWith("/dev/null") && ![projectRoot, ...temp].some((root) => path.startsWith(`${root}/`));
  });
}
