import { applyEffect } from "../effects.ts";
import { emitFile, type Invocation } from "../invocation.ts";
import { resolvePath } from "../../path/index.ts";
import { literal, prefixOf, textOf, type Value } from "../value.ts";

/** Options of docker, podman and their like that lead out of the container: to the host's processes, devices, users or rights. */
const LEAVES =
  /^--(?:privileged(?!=false)|(?:pid|ipc|uts|userns|cgroupns|cgroup-parent|rootfs|runtime|device|device-cgroup-rule|cap-add|volumes-from|allow)(?=$|=)|security-opt(?=$|=))/;
/** With these values they do not. */
const STAYS =
  /^(?:private|none|shareable|container:.*|keep-id.*|auto.*|nomap|no-new-privileges(?:[:=]true)?|NET_BIND_SERVICE|runc|crun|nvidia)$/i;
const VALUED = /^--(?:pid|ipc|uts|userns|cgroupns|cap-add|security-opt|runtime)$/;

/** docker run, create, exec, build, volume create: what of the host a container is given. */
export function containerRights(inv: Invocation): void {
  const words = inv.words.map((word) => textOf(word));
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
