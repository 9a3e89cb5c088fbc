import { describe, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { textOf, type Value } from "../value.ts";

/**
 * gitremote-helpers(7): `ext::CMD` runs a command, other `NAME::` helpers run `git-remote-NAME`.
 * A URL is a host of its own; a bare word is a remote of the configuration; a path is another repository.
 */
export function remoteAddress(inv: Invocation, value: Value | undefined): void {
  if (value === undefined) return;
  const text = textOf(value);
  if (text === undefined) {
    refuse(inv, `the repository is only known at run time: ${describe(value)}`, "write the remote out");
    return;
  }
  if (/^[\w.+-]+::/.test(text)) {
    inv.cx.add({
      kind: "code",
      language: "git remote helper",
      source: "inline",
      detail: text,
      foreign: true,
      origin: { by: "command", exec: inv.exec },
    });
    // clone, `remote add` and others keep the address.
    inv.cx.unknown(`\`${text.split("::")[0] ?? ""}::\` starts a helper program`, { span: inv.span, lasting: true });
  } else if (/^(https?|git|ssh|ftps?):\/\//.test(text)) applyKind(inv, { is: "url" }, value);
  else if (/^[^/]*@[^/:]+:|^[\w.-]+:(?!\/\/)/.test(text)) applyKind(inv, { is: "host" }, value);
  else if (/^(\/|\.{1,2}(\/|$)|~|file:)/.test(text)) inv.cx.addDanger(inv.exec, "foreign-repository");
}

/** git-request-pull(1): START URL [END]. */
export function gitRequestPull(inv: Invocation): void {
  remoteAddress(inv, inv.args.operands[1]);
}

/** Every operand of clone, fetch, ls-remote, remote add and the like may be an address. */
export function gitRemote(inv: Invocation): void {
  const named = inv.args.operands.slice(0, inv.args.operands.length > 2 ? inv.args.operands.length : 2);
  const first = named[0];
  // `remote add NAME URL`: the second word is the address too.
  remoteAddress(inv, first);
  for (const operand of named.slice(1)) if (/^[\w.+-]+::|:\/\//.test(textOf(operand) ?? "")) remoteAddress(inv, operand);
}
