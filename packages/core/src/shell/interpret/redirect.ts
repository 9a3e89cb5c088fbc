import type { Redirection, SyntaxNode } from "unbash";
import { resolvePath } from "../../path/index.ts";
import { isEndlessFile, isLinelessFile } from "../programs/sizes.ts";
import { BY_SHELL } from "../words/context.ts";
import { expandFields, expandParts, expandText, type Expansion } from "../words/expand.ts";
import { targetsOf } from "../words/paths.ts";
import { readNames, readSubscript } from "../words/arithmetic.ts";
import {
  endless,
  holeOf,
  isEndless,
  isNetwork,
  join,
  literal,
  NOTHING,
  prefixOf,
  sequence,
  textOf,
  type Hole,
  type Stream,
  type Value,
} from "../words/value.ts";
import { assignVariable } from "../words/variables.ts";
import { hasZshDollar } from "../words/parameter.ts";
import { takeAround } from "../words/input.ts";
import type { FileOperation, Span } from "../../action/index.ts";

export interface Redirected {
  /** What the command reads, when the redirections change it. */
  readonly stdin: Stream | undefined;
  /** Its output goes to a file: nothing reaches the next command. */
  readonly captured: boolean;
  /** Its output goes into `>(…)`: only what that prints comes out again. */
  readonly piped: boolean;
  /** Error messages, or what is written to another descriptor, go where the output goes. */
  readonly errors: boolean;
  /** It goes into a file that may be the output under another name. */
  readonly doubtful: boolean;
  /** A file that cannot be opened leaves the command undone. */
  readonly uncertain: boolean;
  /** Descriptors that lead where what is written is kept. */
  readonly kept: ReadonlySet<number>;
}

type OutputTarget = "out" | "err" | "pipe" | "elsewhere" | "doubtful";

/** A word behind a redirection, and what is known of it. */
interface Opened {
  readonly value: Value;
  readonly text: string | undefined;
  readonly hole: Hole | undefined;
  readonly prefix: string;
}

const OUTPUTS: Readonly<Record<string, 1 | 2>> = { "/dev/stdout": 1, "/dev/fd/1": 1, "/dev/stderr": 2, "/dev/fd/2": 2 };

const NOT_REDIRECTED: Omit<Redirected, "kept"> = {
  stdin: undefined,
  captured: false,
  piped: false,
  errors: false,
  doubtful: false,
  uncertain: false,
};

/** What the shell opens for these redirections. Writing `/dev/null` and copying descriptors is harmless. */
export function readRedirections(ex: Expansion, redirections: readonly Redirection[]): Redirected {
  if (redirections.length === 0) return { ...NOT_REDIRECTED, kept: ex.state.kept };
  let stdin: Stream | undefined;
  const read = (stream: Stream): void => {
    if (stdin === undefined || !ex.cx.maybeZsh) stdin = stream;
    else if (ex.cx.shell === "zsh") stdin = sequence([stdin, stream]);
    else
      stdin = { is: "unknown", why: "several inputs, which zsh joins and bash does not", network: isNetwork(stdin) || isNetwork(stream) };
  };
  // Where the two outputs lead, redirection by redirection.
  const outputs = new Map<number, OutputTarget>([
    [1, "out"],
    [2, "err"],
  ]);
  const kept = new Set(ex.state.kept);
  // zsh writes into all of several files (zshmisc(1), MULTIOS).
  const here = new Set<number>();
  const keep = (descriptor: number, keeps: boolean): void => {
    if (keeps) here.add(descriptor);
    if (here.has(descriptor)) kept.add(descriptor);
    else kept.delete(descriptor);
  };
  let socket = false;
  let uncertain = false;
  for (const redirection of redirections) {
    const span = ex.cx.span(redirection);
    if (redirection.type === "HereDoc") {
      const { body, delimiter } = redirection;
      const value =
        delimiter?.quoted === true
          ? literal(bodyText(redirection))
          : body.parts === undefined
            ? literal(withoutEscapes(bodyText(redirection)))
            : expandParts(ex, body.parts);
      if (ex.cx.maybeZsh && delimiter?.quoted !== true && hasZshDollar(body.text.replace(/['"]/g, ""), false))
        ex.cx.unknown("bash and zsh read a `$` in a here-document differently", { span, help: "quote the delimiter" });
      if (isStdin(redirection.descriptor)) read({ is: "text", value });
      continue;
    }
    if (redirection.type === "HereString") {
      const value = redirection.target === undefined ? literal("") : expandText(ex, redirection.target);
      if (isStdin(redirection.descriptor)) read({ is: "text", value: { atoms: join([...value.atoms, "\n"]), many: false } });
      continue;
    }
    if (redirection.descriptor?.type === "FileDescriptorVariable") assignDescriptor(ex, redirection.descriptor.name, span);
    const { target, operator } = redirection;
    if (target === undefined) {
      ex.cx.unknown("a redirection without a target", { span });
      continue;
    }
    if (ex.cx.maybeZsh && target.text.startsWith("!")) ex.cx.unknown("zsh reads `>!` as a forced redirection", { span });
    for (const value of expandFields(ex, target)) {
      const opened: Opened = { value, text: textOf(value), prefix: prefixOf(value), hole: holeOf(value) };
      const { text } = opened;
      if (sharesInput(ex, operator, opened)) takeAround(ex.cx, ex.state, "pieces");
      if ((operator === ">&" || operator === "<&") && text !== undefined && /^(\d+-?|-)$/.test(text)) {
        const [copy, source] = [redirection.descriptor, Number.parseInt(text, 10)];
        const number = copy === undefined ? (operator === ">&" ? 1 : 0) : copy.type === "FileDescriptor" ? copy.value : -1;
        outputs.set(number, outputs.get(source) ?? "elsewhere");
        keep(number, kept.has(source));
        // `>& /dev/tcp/HOST/PORT 0>&1`: what comes from there is read.
        if (socket && redirection.descriptor?.type === "FileDescriptor" && redirection.descriptor.value === 0) read(SOCKET);
        else if (operator === "<&" && isStdin(redirection.descriptor) && !/^0?-?$/.test(text))
          read({ is: "unknown", why: `what is open as descriptor ${text}`, network: false });
        continue;
      }
      if (operator === "<&" && text !== undefined) continue;
      if (operator === ">&" && expandsAgain(redirection.descriptor, opened))
        ex.cx.unknown("bash expands the word behind >& once more, which can run code hidden in its text", {
          span,
          help: "write &>, or > and 2>&1",
        });
      if (!opensSurely(ex, operator, text)) uncertain = true;
      const reads = operator === "<" || operator === "<>" || operator === "<&";
      const writes = operator !== "<" && operator !== "<&";
      if (reads) {
        open(ex, "read", opened, span);
        if (isStdin(redirection.descriptor)) read(fileContent(ex, opened));
        if (/^\/dev\/(tcp|udp)\//.test(text ?? "")) socket = true;
      }
      if (writes) {
        open(ex, "write", opened, span);
        if (/^\/dev\/(tcp|udp)\//.test(text ?? "")) socket = true;
        const fd = redirection.descriptor?.type === "FileDescriptor" ? redirection.descriptor.value : operator === "<>" ? 0 : 1;
        const pipe = opened.hole?.pipe !== undefined;
        const copied = OUTPUTS[text ?? ""];
        const leads = pipe
          ? "pipe"
          : copied !== undefined
            ? (outputs.get(copied) ?? "elsewhere")
            : isPlainFile(ex, text)
              ? "elsewhere"
              : "doubtful";
        // ksh93 collects the text of `$(…)` in a file: who opens the output by its name empties it, or writes over it (1.0.4, run).
        const isCollected = leads === "out" || leads === "doubtful" || (leads === "err" && ex.cx.collects === "errors");
        if (isCollected && ex.state.portable && ex.cx.collects !== "nothing")
          ex.cx.unknown("ksh93 forgets what a substitution has printed where its output is opened by name", {
            span,
            help: "write >&1 or >&2",
          });
        const both = (operator === "&>" || operator === "&>>" || operator === ">&") && redirection.descriptor === undefined;
        for (const descriptor of both ? [fd, 2] : [fd]) {
          outputs.set(descriptor, leads);
          keep(descriptor, copied === undefined ? text !== "/dev/null" && !pipe : kept.has(copied));
        }
      }
    }
  }
  const out = outputs.get(1);
  const errors = [...outputs].some(([descriptor, leads]) => descriptor !== 1 && leads === "out");
  if (errors && ex.cx.collects === "output") ex.cx.collects = "errors";
  return {
    stdin,
    captured: out !== "out" && out !== "pipe",
    piped: out === "pipe",
    errors,
    doubtful: [...outputs.values()].includes("doubtful"),
    uncertain,
    kept,
  };
}

interface Written {
  readonly out: Stream;
  readonly redirected: Redirected;
  readonly redirects: readonly Redirection[];
  readonly input?: Stream;
  readonly words?: readonly SyntaxNode[];
  /** The first action of who writes it. */
  readonly first: number;
}

/** Says so where what has no end is kept: in a file, or by what stands in `>(…)`, which is walked once more. */
export function doubtAmount(ex: Expansion, { out, redirected, redirects, input, words = [], first }: Written): void {
  const { cx } = ex;
  const pours = redirected.piped && isEndless(out);
  const fed = pours ? redirects.flatMap((one) => (one.type === "Redirect" && one.target !== undefined ? [one.target] : [])) : [];
  for (const word of input !== undefined && isEndless(input) ? [...words, ...fed] : fed)
    for (const part of word.type === "Word" ? (word.parts ?? []) : [])
      if (part.type === "ProcessSubstitution" && part.operator === ">" && part.script !== undefined)
        ex.run(cx, ex.state.fork(), part.script, endless(NOTHING));
  if (!isEndless(out) || !redirected.kept.has(1)) return;
  const exec = cx.actions.findIndex((action, at) => at >= first && action.kind === "exec");
  if (exec >= 0) cx.addDanger(exec, "resource-bomb");
}

/** A file that is neither a descriptor of the shell's nor a link to one. */
function isPlainFile({ cx, state }: Expansion, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (text === "/dev/null" || text === "/dev/tty") return true;
  if (cx.links.length > 0) return false;
  const places = text.startsWith("/") ? ["/"] : state.places.map((place) => (place.is === "unknown" ? undefined : place.path));
  return places.every((place) => place !== undefined && !/^\/(?:dev|proc)(?:\/|$)/.test(cx.world.canonical(resolvePath(place, text))));
}

/** Where a descriptor that is open already is opened or copied anew, both read on in the same place. */
function sharesInput(ex: Expansion, operator: string, { text, hole, prefix }: Opened): boolean {
  if (operator === "<&") return !/^0?-?$/.test(text ?? "");
  if (!operator.startsWith("<") || hole?.pipe !== undefined) return false;
  // A name below a folder is looked for where the shell stands.
  return !isPlainFile(ex, text ?? (hole?.below === true ? `${prefix}.` : undefined));
}

/** bash makes `&>WORD` of `>&WORD` when the word has turned out to be no number, and expands it again (5.2, do_redirection_internal). */
function expandsAgain(descriptor: Redirection["descriptor"], { value, hole }: Opened): boolean {
  if (descriptor !== undefined && !(descriptor.type === "FileDescriptor" && descriptor.value === 1)) return false;
  if (hole !== undefined && hole.number !== true && hole.ambient !== true && hole.pipe === undefined) return true;
  const text = value.atoms.map((atom) => (typeof atom === "string" ? atom : "glob" in atom ? "*" : "")).join("");
  return /[$`'"\\*?[\s<>(){}]|^~/.test(text);
}

/** `{name}>file` puts the number of the descriptor into a variable. */
function assignDescriptor(ex: Expansion, name: string, span: Span | undefined): void {
  const number = { atoms: [{ hole: true, why: "a file descriptor", number: true } as const], many: false };
  const [, variable = "", subscript = ""] = /^(\w+)(?:\[(.*)\])?/s.exec(name) ?? [];
  if (!readSubscript(subscript)) ex.cx.unknown("an array subscript is evaluated as arithmetic, which can run code");
  // zsh takes only plain names there: this is a pattern to it, and one that no file matches ends the line (zshmisc(1), Redirection).
  if (ex.cx.maybeZsh && name.includes("["))
    ex.cx.unknown("a subscript in the name of a descriptor variable, which zsh takes for a pattern", { span });
  readNames(ex, subscript);
  assignVariable(ex.cx, ex.state, variable, number, { exported: false });
}

const isStdin = (descriptor: Redirection["descriptor"]): boolean =>
  descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0);

function bodyText(redirection: Extract<Redirection, { type: "HereDoc" }>): string {
  const { text } = redirection.body;
  return redirection.operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}

/** A backslash counts in front of these alone (bash(1), Here Documents). */
const withoutEscapes = (text: string): string => text.replace(/\\([\\$`\n])/g, (_, escaped: string) => (escaped === "\n" ? "" : escaped));

const SOCKET: Stream = { is: "unknown", why: "what a connection sends", network: true };

function fileContent(ex: Expansion, { value, text, hole }: Opened): Stream {
  if (hole?.pipe !== undefined) return hole.pipe;
  if (/^\/dev\/(tcp|udp)\//.test(text ?? "")) return SOCKET;
  if (text === "/dev/null") return { is: "text", value: literal("") };
  const content: Stream = { is: "unknown", why: text === undefined ? "the content of a file" : `the content of ${text}`, network: false };
  const paths = targetsOf(value, ex.state.places).flatMap((target) => (target.kind === "path" ? [target.path] : []));
  return paths.some(isEndlessFile) ? endless(content, paths.some(isLinelessFile)) : content;
}

const HARMLESS_DEVICES = new Set("/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/random /dev/urandom".split(" "));

function opensSurely({ cx, state }: Expansion, operator: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (HARMLESS_DEVICES.has(text)) return true;
  const [place, ...more] = state.places;
  if (operator !== "<" || more.length > 0 || place?.is !== "at") return false;
  return cx.world.kind(cx.world.canonical(resolvePath(place.path, text))) === "file";
}

function open(ex: Expansion, operation: FileOperation, { value, text, hole, prefix }: Opened, span: Span | undefined): void {
  if (hole?.pipe !== undefined) return;
  if (text !== undefined && (HARMLESS_DEVICES.has(text) || /^\/dev\/fd\/\d+$/.test(text))) return;
  const socket = /^\/dev\/(tcp|udp)\/([^/]*)\/?([^/]*)/.exec(text ?? "");
  if (socket !== null || (text === undefined && /^\/dev\/(tcp|udp|$)/.test(prefix))) {
    const port = Number(socket?.[3]);
    ex.cx.add({
      kind: "net",
      operation: "connect",
      host: socket?.[2]?.toLowerCase(),
      port: Number.isInteger(port) ? port : undefined,
      origin: BY_SHELL,
      ...(span === undefined ? {} : { span }),
    });
    return;
  }
  for (const target of targetsOf(value, ex.state.places)) {
    ex.cx.add({
      kind: "file",
      operation,
      target,
      origin: BY_SHELL,
      ...(span === undefined ? {} : { span }),
      ...(text === undefined ? {} : { asGiven: text }),
    });
  }
}
