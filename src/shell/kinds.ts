import type { Finding } from "./languages/finding.ts";
import { LANGUAGES } from "./languages/index.ts";
import { describe, doubt, emitFile, emitTarget, refuse, type Invocation } from "./invocation.ts";
import { readVariable } from "./knowledge/environment.ts";
import type { Effect, Kind } from "./knowledge/read-spec.ts";
import { resolvePath, targetsOf } from "./paths.ts";
import { changePlaces } from "./places.ts";
import { concat, holeOf, isGlob, isNetwork, literal, patternOf, prefixOf, textOf, type Stream, type Value } from "./value.ts";

/** What happens to an operand or option value of this kind. */
export function applyKind(inv: Invocation, kind: Kind, value: Value): void {
  switch (kind.is) {
    case "text":
      return;
    case "word":
      if (textOf(value) === undefined) refuse(inv, `${describe(value)} decides what ${inv.name} does and is only known at run time`);
      return;
    case "file":
      if (textOf(value) === "-" && (kind.operation === "read" || kind.operation === "write")) return;
      if (kind.operation === "read" || kind.operation === "rename" || kind.operation === "link") inv.sources.push(value);
      emitFile(inv, kind.operation, value, kind.tree, kind.visible);
      return;
    case "number":
      if (!/^[-+]?[\d.]+[A-Za-z%]*$/.test(textOf(value) ?? (value.atoms.every((atom) => typeof atom !== "string" && "hole" in atom && atom.number === true) ? "1" : ""))) {
        doubt(inv, `${describe(value)} is not a number: on some systems ${inv.name} takes it for an operand`);
      }
      return;
    case "only":
    case "without":
      if (textOf(value) !== undefined || isGlob(value)) inv[kind.is].push(textOf(value) ?? patternOf(value));
      // A run-time `--include` may let anything in; a run-time `--exclude` leaves out nothing that is certain.
      else if (kind.is === "only") inv.only.push("*");
      return;
    case "dest":
      destination(inv, value);
      return;
    case "dir":
      inv.places = changePlaces(inv.places, value);
      return;
    case "url":
      url(inv, value);
      return;
    case "host":
      host(inv, value);
      return;
    case "shell":
      inv.run.script(inv.cx, inv.state, value, inv.stdin, { span: inv.span });
      return;
    case "argv":
      inv.run.argv(inv.cx, inv.state, [value], inv.stdin);
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
      inv.cx.add({ kind: "process", operation: "signal", target: textOf(value) ?? describe(value), origin: { by: "command", exec: inv.exec } });
      return;
    case "refuse":
      refuse(inv, `${inv.name} is given an option that can run code or lift a protection`);
      return;
  }
}

/** cp(1), mv(1), ln(1): a folder receives each source under its own name, anything else is the new file itself. */
function destination(inv: Invocation, value: Value): void {
  const operation = inv.spec.operands?.includes("link") === true ? "link" : "write";
  const recursive = inv.args.options.some((given) => given.option?.consequences.some((c) => c.then === "become" && c.to.is === "file" && c.to.tree) === true);
  for (const target of targetsOf(value, inv.places)) {
    const isFolder = target.kind === "path" && (inv.sources.length > 1 || textOf(value)?.endsWith("/") === true || inv.cx.world.kind(inv.cx.world.canonical(target.path)) === "directory");
    if (!isFolder || target.kind !== "path") {
      emitTarget(inv, operation, target, recursive);
      continue;
    }
    for (const source of inv.sources) {
      const name = textOf(source)?.replace(/\/+$/, "").split("/").at(-1);
      if (name !== undefined && name !== "" && name !== "." && name !== "..") emitTarget(inv, operation, { kind: "path", path: resolvePath(target.path, name) }, recursive);
      else emitTarget(inv, operation, { kind: "unknown", why: `the name of ${describe(source)}`, within: target.path }, recursive);
    }
  }
}

/** `%XX` undone; text that is no valid escape stays as it is, as curl has it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function url(inv: Invocation, value: Value): void {
  const origin = { by: "command", exec: inv.exec } as const;
  const span = inv.span === undefined ? {} : { span: inv.span };
  const text = textOf(value);
  const prefix = text ?? prefixOf(value);
  const withScheme = /^[a-z][a-z0-9+.-]*:/i.test(prefix) ? prefix : `http://${prefix}`;
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
    ...(text === undefined ? { why: describe(value) } : { url: text }),
    origin,
    ...span,
  });
}

function host(inv: Invocation, value: Value): void {
  const text = textOf(value);
  const match = text === undefined ? null : /^(?:[^@/]*@)?(\[[^\]]+\]|[^:/@]+)(?::(\d+))?/.exec(text);
  inv.cx.add({
    kind: "net",
    operation: "connect",
    host: match?.[1]?.toLowerCase().replace(/^\[|\]$|\.$/g, ""),
    port: match?.[2] === undefined ? undefined : Number(match[2]),
    ...(text === undefined ? { why: describe(value) } : {}),
    origin: { by: "command", exec: inv.exec },
  });
}

/** `NAME=VALUE` in front of a wrapped command. */
export function environmentWord(inv: Pick<Invocation, "cx" | "span" | "name">, value: Value): void {
  const prefix = prefixOf(value);
  const equals = prefix.indexOf("=");
  if (equals < 0) {
    refuse(inv, `${inv.name} sets a variable only known at run time`);
    return;
  }
  const found = readVariable(prefix.slice(0, equals), textOf(value)?.slice(equals + 1));
  if (found !== "harmless") refuse(inv, `sets ${prefix.slice(0, equals)}: ${found.steers}`, "leave the variable out");
}

function inlineCode(inv: Invocation, language: string, value: Value, foreign: boolean): void {
  const text = textOf(value);
  const reader = LANGUAGES[language];
  const isScript = language === "sed" || language === "awk" || language === "jq" || language === "yq" || language === "sql";
  if (language === "shell" || language === "sh") {
    inv.run.script(inv.cx, inv.state, value, inv.stdin, { span: inv.span });
    return;
  }
  if (text === undefined && isScript) {
    refuse(inv, `the ${language} program is only known at run time: ${describe(value)}`, "write it out");
    return;
  }
  if (text === undefined || reader === undefined || foreign) {
    const network = value.atoms.some((atom) => typeof atom !== "string" && "hole" in atom && atom.network === true);
    if (network) inv.cx.addDanger(inv.exec, "download-exec");
    addCode(inv, language, text === undefined ? "data" : "inline", text ?? describe(value), foreign);
    return;
  }
  applyFindings(inv, language, reader(text), text);
}

function addCode(inv: Invocation, language: string, source: "inline" | "file" | "project" | "data", detail: string | undefined, foreign = false): void {
  inv.cx.add({
    kind: "code",
    language,
    source,
    ...(detail === undefined ? {} : { detail: detail.slice(0, 400) }),
    ...(foreign ? { foreign: true } : {}),
    origin: { by: "command", exec: inv.exec },
    ...(inv.span === undefined ? {} : { span: inv.span }),
  });
}

export function applyFindings(inv: Invocation, language: string, findings: readonly Finding[], text: string): void {
  let code = false;
  for (const finding of findings) {
    switch (finding.does) {
      case "shell":
        inv.run.script(inv.cx, inv.state, literal(finding.command), { is: "none" }, { span: inv.span });
        doubt(inv, `the ${language} program runs a command`);
        break;
      case "file":
        emitFile(inv, finding.operation, literal(finding.path));
        break;
      case "code":
        if (!code) addCode(inv, finding.language, "inline", finding.detail);
        code = true;
        break;
      case "net":
        inv.cx.add({ kind: "net", operation: "connect", host: finding.host, port: undefined, origin: { by: "command", exec: inv.exec } });
        break;
      case "environment":
        applyEffect(inv, { is: "environment" });
        break;
      case "change":
      case "destroy":
        inv.cx.add({ kind: "remote", service: "database", operation: finding.does, origin: { by: "command", exec: inv.exec }, ...(finding.does === "destroy" ? { dangers: ["remote-destroy"] } : {}) });
        break;
      case "unknown":
        if (language === "sed" || language === "awk" || language === "jq" || language === "yq" || language === "sql") doubt(inv, `cannot tell what the ${language} program does: ${finding.why}`);
        else if (!code) {
          addCode(inv, language, "inline", text);
          code = true;
        }
        break;
    }
  }
}

/** A script file given to an interpreter. Its content is not read: project code is the host's question. */
function scriptFile(inv: Invocation, language: string, value: Value): void {
  const pipe = holeOf(value)?.pipe;
  const text = textOf(value);
  if (pipe !== undefined || text === "-" || text === "/dev/stdin" || text === "/dev/fd/0") {
    codeFromStream(inv, language, pipe ?? inv.stdin);
    return;
  }
  emitFile(inv, "read", value);
  addCode(inv, language, text === undefined ? "data" : "file", text ?? describe(value));
}

/** An interpreter whose program arrives through a pipe. */
export function codeFromStream(inv: Invocation, language: string, stream: Stream): void {
  if (isNetwork(stream)) inv.cx.addDanger(inv.exec, "download-exec");
  const isShell = language === "sh" || language === "shell";
  if (stream.is === "text") {
    if (isShell) inv.run.script(inv.cx, inv.state, stream.value, { is: "none" }, { span: inv.span });
    else inlineCode(inv, language, stream.value, false);
    return;
  }
  if (stream.is === "none" && !isShell) {
    addCode(inv, language, "data", "standard input");
    return;
  }
  const why = stream.is === "none" ? "standard input" : stream.is === "paths" ? "a list of paths" : stream.why;
  refuse(inv, `${inv.name} runs code that is only known at run time: ${why}`, "write the code to a file, read it, then run the file");
}

export function applyEffect(inv: Invocation, effect: Effect): void {
  const origin = { by: "command", exec: inv.exec } as const;
  switch (effect.is) {
    case "remote":
      inv.cx.add({ kind: "remote", service: effect.service, operation: effect.operation, origin });
      return;
    case "code":
      if (effect.source === "stdin") codeFromStream(inv, effect.language, inv.stdin);
      else addCode(inv, effect.language, "project", undefined);
      return;
    case "system":
      inv.cx.add({ kind: "system", area: effect.area, origin });
      return;
    case "danger":
      inv.cx.addDanger(inv.exec, effect.danger);
      return;
    case "file":
      emitFile(inv, effect.operation, tablePath(inv, effect.path), effect.tree);
      return;
    case "net":
    case "listen":
      inv.cx.add({ kind: "net", operation: effect.is === "net" ? "connect" : "listen", host: undefined, port: undefined, why: "a host its configuration names", origin });
      return;
    case "process":
      inv.cx.add({ kind: "process", operation: "signal", target: "", origin });
      return;
    case "privilege":
      inv.cx.add({ kind: "privilege", detail: inv.name, origin, dangers: ["privilege"] });
      return;
    case "environment":
      doubt(inv, `${inv.name} shows environment variables, which may hold secrets`, "print the one variable you need");
      return;
    case "terminal":
      doubt(inv, `${inv.name} is interactive: what it does is decided while it runs`);
      return;
    case "repository":
      repository(inv);
      return;
  }
}

/** A path as a table writes it: `~` is home, `$git` the repository's folder. */
export function tablePath(inv: Pick<Invocation, "cx">, path: string): Value {
  if (path === "~" || path.startsWith("~/")) return concat(literal(inv.cx.world.home), literal(path.slice(1)));
  if (path === "$git" || path.startsWith("$git/")) return literal(`${inv.cx.world.projectRoot}/.git${path.slice(4)}`);
  return literal(path);
}

/** A repository's configuration names programs that git runs (fsmonitor, textconv): only the project's own is trusted. */
function repository(inv: Invocation): void {
  const root = inv.cx.world.canonical(inv.cx.world.projectRoot);
  const inside = inv.places.every((place) => {
    if (place.is === "unknown") return false;
    const path = inv.cx.world.canonical(place.path);
    return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
  });
  if (!inside) inv.cx.addDanger(inv.exec, "foreign-repository");
}
