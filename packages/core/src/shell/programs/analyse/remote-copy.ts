// Copies between machines, and what their options start.
import { resolvePath } from "../../../path/index.ts";
import { addCode } from "../code.ts";
import { applyEffect } from "../effects.ts";
import { describe, doubt, emitFile, emitTarget, refuse, type Invocation } from "../invocation.ts";
import { applyKind } from "../kinds.ts";
import { targetsOf } from "../../words/paths.ts";
import { holeOf, literal, prefixOf, textOf, type Value } from "../../words/value.ts";
import { has, valuesOf } from "../given.ts";
import { sharedInput } from "../../words/input.ts";

/** Where a word of scp or rsync points: this machine, another one, or what only the run tells. */
type CopyEnd =
  | { readonly at: "here" | "anywhere"; readonly path: Value }
  | { readonly at: "there"; readonly host: string; readonly path: string | undefined };

/** A colon in front of any slash makes it a host (scp.c `colon`, rsync's `check_for_hostspec`); `:path` is the host named before. */
function endOf(value: Value): CopyEnd {
  const text = textOf(value);
  const prefix = prefixOf(value);
  const url = /^(?:scp|rsync|sftp):\/\/([^/]*)(?:\/(.*))?$/s.exec(prefix);
  if (url !== null) return { at: "there", host: url[1] ?? "", path: text === undefined ? undefined : (url[2] ?? "") };
  const host = /^((?:[^/:[\]]*@)?\[[^\]/]*\]|[^/:]*)::?(.*)$/s.exec(prefix);
  if (host !== null) return { at: "there", host: host[1] ?? "", path: text === undefined ? undefined : (host[2] ?? "") };
  return {
    at:
      text === undefined &&
      !prefix.includes("/") &&
      holeOf(value)?.below !== true &&
      holeOf(value)?.number !== true &&
      holeOf(value) !== undefined
        ? "anywhere"
        : "here",
    path: value,
  };
}

function connect(inv: Invocation, end: CopyEnd): void {
  if (end.at === "here") return;
  if (end.at !== "there") {
    applyKind(inv, { is: "host" }, end.path);
    return;
  }
  if (/(^|@)-/.test(end.host)) refuse(inv, `the host \`${end.host}\` begins with a dash and may be read as an option of ssh`);
  if (end.host !== "") applyKind(inv, { is: "host" }, literal(end.host));
}

interface Copy {
  readonly inv: Invocation;
  readonly recursive: boolean;
  /** What the source is when it ends in a slash: its content (rsync) or itself. */
  readonly slashMeansContent: boolean;
}

/** scp(1). Reading a secret here and writing there is seen by the judge: the read is protected. */
export function scp(inv: Invocation): void {
  sshOptions(inv);
  const ends = inv.args.operands.map(endOf);
  for (const end of ends) connect(inv, end);
  const sources = ends.slice(0, -1);
  const dest = ends.at(-1);
  const copy = { inv, recursive: has(inv, "-r"), slashMeansContent: false };
  readSources(copy, sources);
  if (dest !== undefined && ends.length > 1) writeDest(copy, dest, sources);
  spread(inv);
}

/** rsync(1). */
export function rsync(inv: Invocation): void {
  const ends = inv.args.operands.map(endOf);
  for (const end of ends) connect(inv, end);
  const copy = { inv, recursive: has(inv, "-a", "-r"), slashMeansContent: true };
  const lists = ends.length === 1 || has(inv, "--list-only");
  const sources = ends.length === 1 ? ends : ends.slice(0, -1);
  const dest = ends.length === 1 ? undefined : ends.at(-1);
  const dry = has(inv, "-n") || lists;
  if (lists) for (const source of sources) if (source.at !== "there") emitFile(inv, "list", source.path, copy.recursive);
  if (!lists) readSources(copy, sources);
  if (ends.some((end) => end.at === "there"))
    applyEffect(inv, { is: "remote", operation: dest?.at === "there" && !dry ? "change" : "read", service: "ssh" });
  if (dest === undefined || dry) return;
  writeDest(copy, dest, sources);
  if (DELETING.some((name) => has(inv, name)) && dest.at !== "there") emitFile(inv, "delete", dest.path, true);
  if (has(inv, "--remove-source-files"))
    for (const source of sources) if (source.at !== "there") emitFile(inv, "delete", source.path, copy.recursive);
  spread(inv);
}

const DELETING = ["--delete", "--delete-before", "--delete-during", "--delete-delay", "--delete-after", "--delete-excluded"];

function readSources({ inv, recursive }: Copy, sources: readonly CopyEnd[]): void {
  for (const source of sources) if (source.at !== "there") emitFile(inv, "read", source.path, recursive);
}

/** An unquoted last word may be several: sources, then the destination. */
function spread(inv: Invocation): void {
  const last = inv.args.operands.at(-1);
  if (last?.many === true && endOf(last).at !== "there") emitFile(inv, "read", last);
  const [first] = inv.args.operands;
  if (inv.args.operands.length === 1 && first?.many === true) emitFile(inv, "write", first);
}

/** A folder receives each source under its own name; anything else is the new file itself. */
function writeDest({ inv, recursive, slashMeansContent }: Copy, dest: CopyEnd, sources: readonly CopyEnd[]): void {
  if (dest.at === "there") return;
  const relative = slashMeansContent && has(inv, "-R", "--relative");
  for (const target of targetsOf(dest.path, inv.places)) {
    const folder =
      target.kind === "path" &&
      (sources.length > 1 ||
        textOf(dest.path)?.endsWith("/") === true ||
        inv.cx.world.kind(inv.cx.world.canonical(target.path)) === "directory");
    if (target.kind !== "path" || !folder || relative) {
      emitTarget(inv, "write", target, recursive || relative, textOf(dest.path));
      continue;
    }
    for (const source of sources) {
      const text = source.at === "there" ? source.path : textOf(source.path);
      const name = text?.replace(/\/+$/, "").split("/").at(-1);
      if (slashMeansContent && recursive && text !== undefined && /(^|\/)\.?$/.test(text)) emitTarget(inv, "write", target, true);
      else if (name === undefined || name === "" || name === "." || name === ".." || (source.at === "there" && /[*?[{$`~\\]/.test(name)))
        emitTarget(
          inv,
          "write",
          { kind: "unknown", why: `the name of ${source.at === "there" ? "what is fetched" : describe(source.path)}`, within: target.path },
          recursive,
        );
      else emitTarget(inv, "write", { kind: "path", path: resolvePath(target.path, name) }, recursive);
    }
  }
}

/** ssh_config(5): keys that choose how the other machine is reached, and nothing that happens here. */
const HARMLESS = new Set(
  (
    "addkeystoagent addressfamily batchmode bindaddress bindinterface canonicaldomains canonicalizefallbacklocal canonicalizehostname casignaturealgorithms " +
    "certificatefile channeltimeout checkhostip ciphers compression connectionattempts connecttimeout controlmaster controlpersist enableescapecommandline " +
    "escapechar exitonforwardfailure fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout " +
    "forwardx11trusted globalknownhostsfile " +
    "gssapiauthentication gssapidelegatecredentials hashknownhosts hostbasedauthentication hostkeyalgorithms hostkeyalias hostname identitiesonly " +
    "identityfile ipqos kbdinteractiveauthentication kexalgorithms loglevel logverbose macs nohostauthenticationforlocalhost numberofpasswordprompts " +
    "obscurekeystroketiming passwordauthentication port preferredauthentications pubkeyacceptedalgorithms pubkeyacceptedkeytypes pubkeyauthentication " +
    "rekeylimit requesttty requiredrsasize sendenv serveralivecountmax serveraliveinterval sessiontype setenv stdinnull streamlocalbindmask " +
    "streamlocalbindunlink stricthostkeychecking tcpkeepalive updatehostkeys user verifyhostkeydns visualhostkey permitlocalcommand proxyusefdpass"
  ).split(" "),
);
const RUNS = new Set(["proxycommand", "localcommand", "knownhostscommand"]);
const LOADS = new Set(["pkcs11provider", "securitykeyprovider", "xauthlocation", "include", "smartcarddevice"]);
const LISTENS = new Set(["localforward", "remoteforward", "dynamicforward", "gatewayports", "permitremoteopen", "remotecommandforward"]);

/** `-o KEY=VALUE` of ssh, scp and sftp: a command that runs here, a library, a listener, a file; other keys are not understood. */
export function sshOptions(inv: Invocation): void {
  for (const given of valuesOf(inv, "-o")) {
    const text = textOf(given);
    const [, key = "", value = ""] = /^\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)"?([^]*?)"?\s*$/.exec(text ?? "") ?? [];
    const name = key.toLowerCase();
    if (HARMLESS.has(name)) continue;
    if (RUNS.has(name)) {
      if (value.toLowerCase() !== "none") inv.run.script(inv.cx, inv.state, literal(value), sharedInput(inv.stdin), { span: inv.span });
    } else if (LOADS.has(name)) addCode(inv, "library", "inline", value, true);
    else if (LISTENS.has(name)) inv.cx.addDanger(inv.exec, "listener");
    else if (name === "tunnel" || name === "tunneldevice") {
      if (value.toLowerCase() !== "no") inv.cx.addDanger(inv.exec, "raw-connection");
    } else if (name === "userknownhostsfile" || name === "controlpath" || name === "revokedhostkeys") {
      if (!/^(?:none|\/dev\/null)$/i.test(value)) emitFile(inv, name === "revokedhostkeys" ? "read" : "write", literal(value));
    } else if (name === "proxyjump") {
      if (value.toLowerCase() !== "none") for (const host of value.split(",")) applyKind(inv, { is: "host" }, literal(host));
    } else doubt(inv, `${inv.name} is given the setting ${describe(given)}`);
  }
}

/** rclone(1), "Connection strings": `:sftp,ssh=CMD:path` and `remote,ssh=CMD:path` run CMD. */
export function storagePlace(inv: Invocation): void {
  for (const word of inv.args.operands) {
    const place = textOf(word);
    if (place === undefined ? /^:|,/.test(prefixOf(word)) || !/^([\w-]+:|\.?\/)/.test(prefixOf(word)) : /^:|^[^:]*,/.test(place))
      refuse(inv, `${describe(word)} may hold settings of ${inv.name}, which can name a program`, "use a remote that is configured");
  }
}
