// Containers: which rights they get, what is mounted and copied, and what shows their variables.
import { resolvePath } from "../../../path/index.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { dropPrefix } from "../options.ts";
import { emitUpkeep } from "../upkeep.ts";
import { literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";

/** Options of docker, podman and their like that lead out of the container: to the host's processes, devices, users or rights. */
const LEAVES = new RegExp(
  "^--(?:privileged(?!=false)|(?:pid|ipc|uts|userns|cgroupns|cgroup-parent|rootfs|runtime|device|device-cgroup-rule|" +
    "cap-add|volumes-from|allow)(?=$|=)|security-opt(?=$|=))",
);
/** With these values they do not. */
const STAYS =
  /^(?:private|none|shareable|container:.*|keep-id.*|auto.*|nomap|no-new-privileges(?:[:=]true)?|NET_BIND_SERVICE|runc|crun|nvidia)$/i;
const VALUED = /^--(?:pid|ipc|uts|userns|cgroupns|cap-add|security-opt|runtime)$/;

/** docker run, create, exec, build, volume create: what of the host a container is given. */
export function containerRights(inv: Invocation): void {
  const words = inv.words.map((word) => textOf(word));
  if (words.includes("--build")) emitUpkeep(inv, inv.exec, inv.places, "read $context/** !.dockerignore");
  for (const [at, text] of words.entries()) {
    const word = inv.words[at];
    if (word === undefined) continue;
    const [name, value] = split(text ?? prefixOf(word));
    const given = value ?? words[at + 1];
    if (LEAVES.test(text ?? "") && !(VALUED.test(name) && given !== undefined && STAYS.test(given))) leaves(inv);
    if (/^(?:-[a-z]*v|--volume)$/.test(name)) mounts(inv, value === undefined ? inv.words[at + 1] : literal(value));
    else if (/^-[a-uw-z]*v./.test(text ?? "") && /[/:]/.test(text ?? "")) mounts(inv, literal((text ?? "").replace(/^-[a-z]*?v=?/, "")));
    if (name === "--mount")
      for (const part of (given ?? "").split(",")) source(inv, part, /(?:^|,)(?:readonly|ro)(?:,|=true|$)/.test(given ?? ""));
    if (/^(?:-o|--opt)$/.test(name) && given?.startsWith("device=") === true) source(inv, given.replace("device=", "src="), false);
    if (/^(?:-o|--output)$/.test(name) && given !== undefined) output(inv, given);
  }
}

function split(text: string): readonly [string, string | undefined] {
  const at = text.indexOf("=");
  return text.startsWith("-") && at > 0 ? [text.slice(0, at), text.slice(at + 1)] : [text, undefined];
}

const leaves = (inv: Invocation): void => inv.cx.addDanger(inv.exec, "privilege");

/** `SOURCE:TARGET[:OPTIONS]`; without a slash it is a volume of the daemon's. */
function mounts(inv: Invocation, value: Value | undefined): void {
  if (value === undefined) return;
  const text = textOf(value);
  const given = text ?? prefixOf(value);
  const [from = "", , options = ""] = given.split(":");
  if (text === undefined && !given.includes(":")) leaves(inv);
  else mount(inv, from, /(?:^|,)ro(?:,|$)/.test(options));
}

function source(inv: Invocation, part: string, readOnly: boolean): void {
  const path = /^(?:src|source)=(.*)$/s.exec(part)?.[1];
  if (path !== undefined) mount(inv, path, readOnly);
}

/** What lies in the project is the project's to mount; anything else of the host is changed or read with the daemon's rights. */
function mount(inv: Invocation, from: string, readOnly: boolean): void {
  const { home, projectRoot, temp } = inv.cx.world;
  if (!/^[/.~]/.test(from) && !from.includes("/")) return;
  const [place] = inv.places;
  const path = resolvePath(
    place?.is === "at" ? place.path : projectRoot,
    from.replace(/^~(?=\/|$)/, () => home),
  );
  const isBelow = (root: string): boolean => root !== "/" && (path === root || path.startsWith(`${root}/`));
  const isKey = [home, projectRoot].some((key) => key !== path && key.startsWith(path === "/" ? "/" : `${path}/`)) || path === home;
  if (!isKey && (isBelow(projectRoot) || temp.some(isBelow))) return;
  // Names and clocks of the machine, mounted by every other script.
  if (/^\/etc\/(?:localtime|timezone|hosts|resolv\.conf|passwd|group)$|^\/usr\/share\/zoneinfo(?:\/|$)/.test(path)) return;
  if (readOnly && !isKey && !path.endsWith(".sock")) emitFile(inv, "read", literal(path), inv.cx.world.kind(path) !== "file");
  else leaves(inv);
}

/** `--output DIR`, `--output type=local,dest=DIR`. */
function output(inv: Invocation, given: string): void {
  const path = given.includes("=") ? /(?:^|,)dest=([^,]*)/.exec(given)?.[1] : given;
  if (path !== undefined && path !== "-") emitFile(inv, "write", literal(path), !/type=(?:tar|oci|docker)/.test(given));
}

/** `docker cp FROM TO`: the one without a container's name in front is of this machine. */
export function containerCopy(inv: Invocation): void {
  const ends = inv.words.filter((word) => prefixOf(word) === "-" || !prefixOf(word).startsWith("-"));
  const isHere = (word: Value): boolean => textOf(word) !== "-" && (/^[/.~]/.test(prefixOf(word)) || !/^[^/]*:/.test(prefixOf(word)));
  const [from, to] = ends;
  if (from !== undefined && isHere(from)) emitFile(inv, "read", from, true);
  if (to !== undefined && isHere(to)) emitFile(inv, "write", to);
  if (ends.length !== 2) applyEffect(inv, { is: "privilege" });
}

/** Fields of a container or image that hold no variables, whatever is below them. */
const PLAIN = new RegExp(
  String.raw`^\.(?:State|Name|Names|Id|ID|Created|Image|NetworkSettings|Mounts|Platform|Driver|RestartCount|RepoTags|RepoDigests|` +
    String.raw`Size|Architecture|Os|Config\.(?:Image|Labels|ExposedPorts|WorkingDir|Hostname|User|Tty|Volumes|Healthcheck))(?:\.|$)`,
);

/** docker-inspect(1) shows the variables of a container, unless a format picks other things. */
export function dockerInspect(inv: Invocation): void {
  const formats = valuesOf(inv, "--format").map(textOf);
  if (formats.length === 0 || !formats.every((format) => format !== undefined && isPlain(format))) applyEffect(inv, { is: "environment" });
}

/** docker compose config fills in variables, those of .env too, unless it only names what there is. */
export function composeConfig(inv: Invocation): void {
  if (!has(inv, "--services", "--volumes", "--profiles", "--quiet")) applyEffect(inv, { is: "environment" });
}

/** True when a Go template names nothing but plain fields. */
function isPlain(format: string): boolean {
  // Without one it is the word `json`: everything.
  if (!format.includes("{{")) return false;
  /** Whether `.` is something that was looked at before. */
  const inner: boolean[] = [false];
  for (const [, body = ""] of format.matchAll(/\{\{-?(.*?)-?\}\}/gs)) {
    const code = body.replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '""').trim();
    const [word = ""] = code.split(/\s/, 1);
    if (/^(?:define|template|block)$/.test(word)) return false;
    if (word === "end") inner.pop();
    for (const token of code.match(/\$\w*(?:\.\w+)*|(?:\.\w+)+|\.(?!\w)/g) ?? []) {
      const seen = /^\$\w+/.test(token) || (inner.at(-1) === true && token.startsWith("."));
      if (!seen && !PLAIN.test(token.replace(/^\$(?=\.)/, ""))) return false;
    }
    if (word === "range" || word === "with") inner.push(true);
    if (word === "if") inner.push(inner.at(-1) === true);
  }
  return inner.length === 1;
}

const LISTS = new RegExp(
  "^(?:-[ALlnw]|-[Lln].+|-o=?(?:name|wide)?|--output(?:=name|=wide)?|--(?:all-namespaces|no-headers|show-labels|show-kind|ignore-not-found|" +
    "watch|watch-only)|--(?:namespace|selector|label-columns|context|sort-by|field-selector|chunk-size|request-timeout)(?:=.*)?)$",
);

/**
 * kubectl-get(1): a list tells names and how many entries each has. Any other form, a template (which needs no -o) and the log of -v show
 * what the entries hold, and so does describe. Options stand anywhere.
 */
export function kubectlCounts(inv: Invocation): void {
  const exec = inv.cx.actions[inv.exec];
  const words = exec?.kind === "exec" ? exec.argv.slice(1).map((word) => (word.known ? word.text : undefined)) : [undefined];
  const isPlain = words.every((word, at) => {
    const last = words[at - 1];
    if (last === "-o" || last === "-o=" || last === "--output") return word === "name" || word === "wide";
    if (word === undefined) return /^(?:-[nl]|--(?:namespace|context|selector))$/.test(last ?? "");
    return word.startsWith("-") ? LISTS.test(word) : word !== "describe";
  });
  if (!isPlain) applyEffect(inv, { is: "environment" });
  kubectlOutput(inv);
}

/** kubectl(1): `-o go-template-file=FILE` prints what the file says; with `-o templatefile` it is named by --template. */
export function kubectlOutput(inv: Invocation): void {
  for (const value of valuesOf(inv, "-o", "--output")) {
    const file = /^[a-z-]*file=/.exec(prefixOf(value));
    if (file !== null) emitFile(inv, "read", dropPrefix(value, file[0].length));
    else if ((textOf(value) ?? "").endsWith("file") && has(inv, "--template"))
      for (const name of valuesOf(inv, "--template")) emitFile(inv, "read", name);
    else if (textOf(value) === undefined)
      doubt(inv, `how kubectl prints is only known at run time: ${describe(value)}`, "write the format out");
  }
}
