/**
 * Whether a command is a call of apply_patch, and of which patch. Only forms in which nothing else happens are
 * calls; every other command with the word in it is judged as what it is.
 */
export type PatchCall = { readonly is: "patch"; readonly text: string } | { readonly is: "invalid" } | { readonly is: "none" };

export function patchCall(argv: readonly string[]): PatchCall {
  if (argv[0] === "apply_patch") return argv.length === 2 && argv[1] !== undefined ? { is: "patch", text: argv[1] } : { is: "invalid" };
  const [shell = "", option = "", script = ""] = argv;
  if (argv.length !== 3 || !/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(shell) || !/^-l?c$/.test(option)) return { is: "none" };
  const text = inHeredoc(script);
  return text === undefined ? { is: "none" } : { is: "patch", text };
}

const START = /^[ \t\n]*apply_patch[ \t]*<<[ \t]*(?:'([\w-]+)'|"([\w-]+)"|([\w-]+))[ \t]*$/;

/** The body of a heredoc that is the whole script. */
function inHeredoc(script: string): string | undefined {
  const at = script.indexOf("\n", script.search(/\S/));
  if (at < 0) return undefined;
  const start = START.exec(script.slice(0, at));
  if (start === null) return undefined;
  const [, single, double, plain] = start;
  const lines = script.slice(at + 1).split("\n");
  const end = lines.indexOf(single ?? double ?? plain ?? "");
  // What follows would run, too.
  if (end < 0 || lines.slice(end + 1).some((line) => line.trim() !== "")) return undefined;
  const body = lines.slice(0, end).join("\n");
  // Without quotes the shell changes the text.
  return plain !== undefined && /[$`\\]/.test(body) ? undefined : body;
}
