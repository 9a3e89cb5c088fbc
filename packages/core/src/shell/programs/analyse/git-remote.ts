// git's other repositories: where it fetches from, pushes to and clones.
import { resolvePath } from "../../../path/index.ts";
import { worksInOwnRepository } from "../../../policy/index.ts";
import { describe, emitFile, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { isForge } from "../public-hosts.ts";
import type { ShellPlace } from "../../words/state.ts";
import { copiedFiles } from "./git-revisions.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";

/** git-push(1): a refspec that begins with `+` forces, one that begins with `:` deletes. */
export function gitPush(inv: Invocation): void {
  remoteAddress(inv, inv.args.operands[0]);
  for (const operand of inv.args.operands.slice(1)) {
    const start = prefixOf(operand);
    if (start.startsWith("+") || start.startsWith(":")) inv.cx.addDanger(inv.exec, "force-push");
    else if (textOf(operand) === undefined && start === "")
      refuse(inv, "a refspec only known at run time may force or delete", "write the branch out");
  }
}

/**
 * gitremote-helpers(7): `ext::CMD` runs a command, other `NAME::` helpers run `git-remote-NAME`.
 * A URL is a host of its own; a bare word is a remote of the configuration; a path is another repository, but the one of the project itself.
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
  } else if (/^(https?|git|ssh|ftps?):\/\//.test(text)) {
    const at = inv.cx.actions.length;
    applyKind(inv, { is: "url" }, value);
    const fetched = inv.cx.actions[at];
    if (
      fetched?.kind === "net" &&
      fetched.host !== undefined &&
      fetched.port === undefined &&
      text.startsWith("https://") &&
      isForge(fetched.host)
    )
      inv.cx.actions[at] = { ...fetched, forge: true };
  } else if (/^[^/]*@[^/:]+:|^[\w.-]+:(?!\/\/)/.test(text)) applyKind(inv, { is: "host" }, value);
  else if (/^(\/|\.{1,2}(\/|$)|~|file:)/.test(text) && !isOwnTop(inv, text)) inv.cx.addDanger(inv.exec, "foreign-repository");
}

/**
 * The project's own repository by its folder: `.`, `../..` or the whole path, so that no link and no name with `.git` behind it, which
 * git tries as well, can stand there.
 */
function isOwnTop({ cx: { world }, places }: Invocation, text: string): boolean {
  const root = world.canonical(world.projectRoot);
  const isPlain = /^\.{1,2}(\/\.{1,2})*\/?$/.test(text) || text === root;
  const leads = (place: ShellPlace): boolean => place.is === "at" && resolvePath(world.canonical(place.path), text) === root;
  return (
    isPlain &&
    places.length > 0 &&
    places.every(leads) &&
    world.kind(`${root}/.git`) !== "missing" &&
    worksInOwnRepository(root, false, world)
  );
}

/** Every operand of clone, fetch, ls-remote, remote add and the like may be an address. */
export function gitRemote(inv: Invocation): void {
  const [first, ...more] = inv.args.operands;
  // `remote add NAME URL`: the second word is the address too.
  remoteAddress(inv, first);
  for (const operand of more) if (/^[\w.+-]+::|:\/\//.test(textOf(operand) ?? "")) remoteAddress(inv, operand);
}

/** git-clone(1), git-submodule(1): what comes fills a folder that is named after its address, where no other is named. */
export function gitClone(inv: Invocation): void {
  gitRemote(inv);
  const [address, folder] = inv.args.operands;
  if (address !== undefined && isOwnTop(inv, (textOf(address) ?? "").replace(/\/?\.git\/?$/, "") || ".")) copiedFiles(inv);
  const [, name] = /([^/:]+?)(?:\/?\.git)?\/*$/.exec(address === undefined ? "" : (textOf(address) ?? "")) ?? [];
  if (folder === undefined && name?.startsWith(".") === true) emitFile(inv, "write", literal(name), true);
}

/** git-ls-remote(1) only reads, by ssh with the user's login, as the forge's own client does (`gh api`): nobody but a public forge learns of it. */
export function gitLsRemote(inv: Invocation): void {
  const from = inv.cx.actions.length;
  gitRemote(inv);
  const text = textOf(inv.args.operands[0] ?? literal("")) ?? "";
  const host = /^(?:ssh:\/\/\w[\w.-]*@[\w.-]+\/|\w[\w.-]*@[\w.-]+:)/.exec(text)?.[0].replace(/^.*@|[:/]$/g, "") ?? "";
  if (!isForge(host)) return;
  for (const [at, action] of inv.cx.actions.entries())
    if (at >= from && action.kind === "net") inv.cx.actions[at] = { ...action, upkeep: true };
}
