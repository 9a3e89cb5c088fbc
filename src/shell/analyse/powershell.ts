import { fromBase64 } from "../languages/index.ts";
import { describe, refuse, type Invocation } from "../invocation.ts";
import { concat, literal, textOf } from "../value.ts";

/** pwsh(1): names of options in any case and as short as one likes; all that follows `-Command` is the command. */
export function powershell(inv: Invocation): void {
  for (const [at, word] of inv.words.entries()) {
    const name = (textOf(word) ?? "").replace(/^(?:--|\/)/, "-").toLowerCase();
    const rest = inv.words.slice(at + 1);
    if (/^-c(?:o(?:m(?:m(?:a(?:n(?:d(?:witharg\w*)?)?)?)?)?)?)?$/.test(name) || name === "-cwa") {
      const [first = literal(""), ...more] = rest;
      inv.run.script(
        inv.cx,
        inv.state,
        more.reduce((a, b) => concat(concat(a, literal(" ")), b), first),
        inv.stdin,
        { span: inv.span },
      );
      return;
    }
    if (/^-e(?:c|nc?\w*)?$/.test(name)) {
      const given = rest[0] === undefined ? undefined : textOf(rest[0]);
      if (given === undefined) refuse(inv, `the code that ${inv.name} runs is only known at run time: ${describe(rest[0] ?? word)}`);
      // UTF-16, little end first.
      else inv.run.script(inv.cx, inv.state, literal(fromBase64(given).replaceAll("\0", "")), inv.stdin, { span: inv.span });
      return;
    }
    if (!name.startsWith("-") || /^-f(?:i(?:l(?:e)?)?)?$/.test(name)) return;
  }
}
