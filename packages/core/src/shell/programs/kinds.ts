import { attempt } from "../../data/index.ts";
import type { Target } from "../../action/index.ts";
import { baseName, parentOf, resolvePath } from "../../path/index.ts";
import { commandOfKey, isInertKey, showsUntracked, skipsChecks } from "./analyse/git-config.ts";
import { isLarge } from "./sizes.ts";
import { applyEffect } from "./effects.ts";
import { inlineCode, isDescriptor, scriptFile } from "./code.ts";
import { describe, doubt, emitFile, emitTarget, refuse, type Invocation } from "./invocation.ts";
import { readVariable } from "../knowledge/environment.ts";
import { handOn } from "../words/variables.ts";
import type { Kind } from "../knowledge/read-spec.ts";
import { changePlaces, foldersOf, targetsOf } from "../words/paths.ts";
import { assignTo, evaluateAsArithmetic } from "../words/evaluated.ts";
import { joinPlaces } from "../words/state.ts";
import { literal, prefixOf, textOf, unknown, type Value } from "../words/value.ts";
import { expansion } from "../interpret/walk.ts";

/** What happens to an operand or option value of this kind. */
export function applyKind(inv: Invocation, kind: Kind, value: Value): void {
  switch (kind.is) {
    case "text":
      return;
    case "word":
      if (textOf(value) === undefined) refuse(inv, `${describe(value)} decides what ${inv.name} does and is only known at run time`);
      return;
    case "file":
      if (textOf(value) === "-" && isStream(inv, kind)) return;
      // xmllint, deno, helm and others fetch a file that is written as an address.
      if (
        (kind.operation === "read" || kind.operation === "list") &&
        prefixOf(value).includes("://") &&
        /^[a-z][a-z0-9+.-]*:\/\//i.test(prefixOf(value))
      )
        url(inv, value);
      if (kind.operation === "read" || kind.operation === "rename" || kind.operation === "link") inv.sources.push(value);
      emitFile(inv, kind.operation, value, kind.tree, kind.visible, kind.certificate);
      return;
    case "number":
      if (
        !/^[-+]?(\d+\.?\d*|\.\d+)[kKMGTbB%]?$/.test(
          textOf(value) ?? (value.atoms.every((atom) => typeof atom !== "string" && "hole" in atom && atom.number === true) ? "1" : ""),
        )
      ) {
        doubt(inv, `${describe(value)} is not a number: on some systems ${inv.name} takes it for an operand`);
      }
      return;
    case "amount":
    case "width":
      if (kind.is === "amount" ? isLarge(textOf(value)) : isLarge(String(Number.parseInt(prefixOf(value)) || 0)))
        inv.cx.addDanger(inv.exec, "resource-bomb");
      return;
    case "name":
      registryName(inv, value);
      return;
    case "only":
    case "without":
    case "withoutfile":
    case "withoutfolder":
      // What a walk keeps and leaves out is worked out where it begins.
      return;
    case "dest":
      destination(inv, value);
      return;
    case "dir":
      // hg works in a repository that is read from an address.
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(prefixOf(value))) url(inv, value);
      // Of two folders some programs take the second from the first, as git(1) does, and some the last alone, as env(1).
      inv.places = [inv.places, inv.state.places]
        .map((places) => changePlaces(places, value, (path) => inv.cx.world.canonical(path)))
        .reduce((nested, last) => (inv.places === inv.state.places ? nested : joinPlaces(nested, last)));
      inv.cx.refineExec(inv.exec, { folders: foldersOf(inv.places, inv.cx.world.cwd) ?? [inv.cx.world.cwd] });
      return;
    case "url":
      url(inv, value);
      return;
    case "host":
      host(inv, value);
      return;
    case "port":
      port(inv, value);
      return;
    case "shell":
      inv.cx.started(() => inv.run.script(inv.cx, inv.state, value, inv.stdin, { span: inv.span }));
      return;
    case "argv":
      inv.cx.started(() => inv.run.argv(inv.cx, inv.state, [value], inv.stdin));
      return;
    case "env":
      environmentWord(inv, value);
      return;
    case "code":
      inlineCode(inv, kind.language, value, false);
      return;
    case "foreign":
      inlineCode(inv, kind.language, value, true);
      return;
    case "lasting":
      lasting(inv, kind.language, value);
      return;
    case "script":
      scriptFile(inv, kind.language, value);
      return;
    case "sed":
    case "awk":
    case "jq":
    case "yq":
    case "sql":
      inlineCode(inv, kind.is, value, false);
      return;
    case "pid":
      inv.cx.add({
        kind: "process",
        operation: "signal",
        target: textOf(value) ?? describe(value),
        origin: { by: "command", exec: inv.exec },
      });
      return;
    case "gitkey":
      gitKey(inv, value);
      return;
    case "secret":
      applyEffect(inv, { is: "secrets" });
      return;
    case "names":
      if (isDescriptor(textOf(value)) || textOf(value) === "-") applyEffect(inv, { is: "names" });
      else {
        emitFile(inv, "read", value);
        emitTarget(inv, "read", { kind: "unknown", why: `the files that ${describe(value)} names` });
      }
      return;
    case "setting":
      applyEffect(inv, { is: "system", area: "settings" });
      applyEffect(inv, { is: "danger", danger: "host-effect" });
      return;
    case "terminal":
      applyEffect(inv, { is: "terminal" });
      return;
    case "variable":
      assignTo(inv, value, unknown("what a builtin gives a variable", true));
      return;
    case "sum":
      evaluateAsArithmetic(expansion(inv.cx, inv.state), value, `${describe(value)}, which ${inv.name} is given,`);
      return;
    case "refuse":
      if (inv.args.operands.includes(value)) refuse(inv, `what ${inv.name} does with ${describe(value)} is not known`);
      else if (inv.args.options.some((given) => given.value === value || given.second === value))
        refuse(inv, `${inv.name} is given an option that can run code or lift a protection`);
      else refuse(inv, `what ${inv.name} does by itself is not known`);
      return;
  }
}

/**
 * What git keeps for later: an allow for the command does not cover it. Of a template each file is seen being written;
 * seeing a key set does not say who told it.
 */
function lasting(inv: Invocation, language: string, value: Value): void {
  if (language === "git-config" && isInertKey(prefixOf(value).split("=")[0] ?? "", value)) return;
  inv.cx.unknown(`${describe(value)} stays in the repository and can name what git runs later`, {
    span: inv.span,
    ...(language === "git-config" ? { lasting: true } : {}),
  });
  inlineCode(inv, language, value, true);
}

/** `git -c KEY=VALUE`: nobody's allow rule covers it, and what it runs is told for those who deny that. */
function gitKey(inv: Invocation, value: Value): void {
  if (showsUntracked(value)) emitTarget(inv, "read", { kind: "unknown", why: `${describe(value)} shows files that nobody tracks` });
  if (skipsChecks(value)) applyEffect(inv, { is: "danger", danger: "skips-checks" });
  if (isInertKey(prefixOf(value).split("=")[0] ?? "", value)) return;
  // The template of new repositories: its configuration and hooks are copied into them.
  if (/^init\.templatedir\b/i.test(prefixOf(value))) lasting(inv, "git-hooks", value);
  else inlineCode(inv, "git-config", value, true);
  const command = commandOfKey(value);
  if (command !== undefined) inv.run.script(inv.cx, inv.state, literal(command), inv.stdin, { span: inv.span });
}

/**
 * Whether `-` is standard input or output, and no file of that name: `cp - b`, `ln -s -`, `tee -`. Tried with GNU, uutils, BusyBox and
 * toybox; `tee -` prints in the last two.
 */
function isStream(inv: Invocation, kind: Extract<Kind, { readonly is: "file" }>): boolean {
  if (kind.operation === "read") return inv.spec.operands?.includes("dest") !== true;
  return kind.stdout === true || (kind.operation === "write" && kind.tree);
}

/** cp(1), mv(1), ln(1): a folder receives each source under its own name, anything else is the new file itself. */
function destination(inv: Invocation, value: Value): void {
  const operation = inv.spec.operands?.includes("link") === true ? "link" : "write";
  const { world } = inv.cx;
  // mv(1): a folder comes with what is in it. What is not there yet may be one by then.
  const isFolderMoved = (source: Value): boolean =>
    targetsOf(source, inv.places).some((target) => target.kind !== "path" || world.kind(target.path) !== "file");
  const recursive =
    (inv.spec.operands?.includes("rename") === true && inv.sources.some(isFolderMoved)) ||
    inv.args.options.some(
      ({ option }) => option?.consequences.some((c) => c.then === "become" && c.to.is === "file" && c.to.tree) === true,
    );
  // ln(1): a link that leads to a folder is replaced as a file is.
  const replaces = (path: string): boolean =>
    operation === "link" &&
    inv.args.options.some(({ option }) => option?.names.some((name) => name === "-n" || name === "-h") === true) &&
    world.canonical(path) !== resolvePath(world.canonical(parentOf(path)), baseName(path));
  for (const target of physical(inv, value)) {
    const isFolder =
      target.kind === "path" &&
      (inv.sources.length > 1 ||
        textOf(value)?.endsWith("/") === true ||
        (world.kind(world.canonical(target.path)) === "directory" && !replaces(target.path)));
    if (!isFolder || target.kind !== "path") {
      emitTarget(inv, operation, target, recursive);
      continue;
    }
    for (const source of inv.sources) {
      const name = textOf(source)?.replace(/\/+$/, "").split("/").at(-1);
      if (name !== undefined && name !== "" && name !== "." && name !== "..")
        emitTarget(inv, operation, { kind: "path", path: resolvePath(target.path, name) }, recursive);
      else emitTarget(inv, operation, { kind: "unknown", why: `the name of ${describe(source)}`, within: target.path }, recursive);
    }
  }
}

/** What a word names to the kernel: `link/..` is the folder that holds what the link leads to. */
function physical(inv: Invocation, value: Value): readonly Target[] {
  const targets = targetsOf(value, inv.places);
  const text = textOf(value);
  if (text === undefined || !/(^|\/)\.\.(\/|$)/.test(text)) return targets;
  return targets.map((target, i) => {
    const place = text.startsWith("/") ? "" : inv.places[i]?.is === "at" ? `${inv.places[i].path}/` : undefined;
    return target.kind === "path" && place !== undefined ? { kind: "path", path: inv.cx.world.canonical(`${place}${text}`) } : target;
  });
}

/** A package or chart that a configured registry is asked for; npm(1), helm(1) also take an address, a folder or a repository. */
function registryName(inv: Invocation, value: Value): void {
  const prefix = prefixOf(value);
  if (/^[a-z][a-z0-9+.-]*:/i.test(prefix)) url(inv, value);
  else if (/^[./~]./.test(prefix) || (prefix.includes("/") && !prefix.startsWith("@")))
    doubt(inv, `${describe(value)} is not the name of a package`);
  else if (textOf(value) === undefined && !/^(@|[\w.-]+[@.])/.test(prefix))
    refuse(inv, `${describe(value)} may be an address from which ${inv.name} fetches`, "write the name out");
}

/** `%XX` undone; text that is no valid escape stays as it is, as curl has it. */
function decoded(path: string): string {
  return attempt(() => decodeURIComponent(path), path);
}

function url(inv: Invocation, value: Value): void {
  const origin = { by: "command", exec: inv.exec } as const;
  const span = inv.span === undefined ? {} : { span: inv.span };
  const text = textOf(value);
  const prefix = text ?? prefixOf(value);
  // `localhost:3000/x` is a host with its port, and no scheme of that name.
  const withScheme = /^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(prefix) ? prefix : `http://${prefix}`;
  // A host that is not followed by a slash yet may go on in the unknown part.
  const whole = text !== undefined || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i.test(withScheme);
  let parsed: URL | undefined;
  try {
    parsed = whole ? new URL(withScheme) : undefined;
  } catch {
    parsed = undefined;
  }
  if (parsed?.protocol === "file:") {
    emitFile(inv, "read", text === undefined ? value : literal(decoded(parsed.pathname)));
    return;
  }
  inv.cx.add({
    kind: "net",
    operation: "fetch",
    host: parsed === undefined || parsed.hostname === "" ? undefined : parsed.hostname.replace(/\.$/, ""),
    port: parsed?.port === undefined || parsed.port === "" ? undefined : Number(parsed.port),
    ...(text === undefined ? { why: describe(value), ...seemingHost(prefix) } : { url: text }),
    origin,
    ...span,
  });
}

/** `http://localhost:$PORT`: what is not known is the port, unless it is `x@another-host`. */
function seemingHost(prefix: string): { readonly seems?: string } {
  const host = /^(?:(?:https?|wss?):\/\/)?([\w.-]+|\[[\da-f:]+\]):$/i.exec(prefix)?.[1];
  return host === undefined ? {} : { seems: host.toLowerCase().replace(/^\[|\]$/g, "") };
}

function host(inv: Invocation, value: Value): void {
  const text = textOf(value);
  const match = text === undefined ? null : /^(?:[^@/]*@)?(\[[^\]]+\]|[^:/@]+)(?::(\d+))?/.exec(text);
  inv.cx.add({
    kind: "net",
    operation: "connect",
    host: match?.[1]?.toLowerCase().replace(/^\[|\]$|\.$/g, ""),
    port: match?.[2] === undefined ? onePort(inv.ports) : Number(match[2]),
    ...(text === undefined ? { why: describe(value) } : {}),
    origin: { by: "command", exec: inv.exec },
  });
}

/** The port stands before or behind the host that it belongs to. */
function port(inv: Invocation, value: Value): void {
  const text = textOf(value) ?? "";
  inv.ports.push(/^\d{1,5}$/.test(text) ? Number(text) : Number.NaN);
  inv.cx.setPort(inv.exec, inv.ports[0], onePort(inv.ports));
}

/** Which of two counts is the program's to say; a range, or what is not known, is none. */
const onePort = ([first, ...more]: readonly number[]): number | undefined =>
  first === undefined || Number.isNaN(first) || more.some((other) => other !== first) ? undefined : first;

/** `NAME=VALUE` in front of a wrapped command. */
export function environmentWord(inv: Pick<Invocation, "cx" | "state" | "span" | "name">, value: Value): void {
  const prefix = prefixOf(value);
  const equals = prefix.indexOf("=");
  if (equals < 0) {
    refuse(inv, `${inv.name} sets a variable only known at run time`);
    return;
  }
  const name = prefix.slice(0, equals);
  // cross-env takes only the end of such a name, npm any letters in it.
  if (!/^[A-Za-z_]\w*$/.test(name)) refuse(inv, `sets \`${name}\`, which is not the name of a variable`);
  const found = readVariable(name, textOf(value)?.slice(equals + 1));
  if (typeof found === "object" && found.everywhere) refuse(inv, `sets ${name}: ${found.controls}`, "leave the variable out");
  const [first = "", ...rest] = value.atoms;
  const atoms = typeof first === "string" && first.length > equals + 1 ? [first.slice(equals + 1), ...rest] : rest;
  handOn(inv.state, name, { value: { atoms, many: false }, span: inv.span });
}
