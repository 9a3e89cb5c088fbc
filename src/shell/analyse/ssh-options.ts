import { addCode } from "../code.ts";
import { applyKind } from "../kinds.ts";
import { describe, doubt, emitFile, type Invocation } from "../invocation.ts";
import { literal, textOf } from "../value.ts";
import { valuesOf } from "./given.ts";

/** ssh_config(5): keys that choose how the other machine is reached, and nothing that happens here. */
const HARMLESS = new Set(
  (
    "addkeystoagent addressfamily batchmode bindaddress bindinterface canonicaldomains canonicalizefallbacklocal canonicalizehostname casignaturealgorithms " +
    "certificatefile channeltimeout checkhostip ciphers compression connectionattempts connecttimeout controlmaster controlpersist enableescapecommandline " +
    "escapechar exitonforwardfailure fingerprinthash forkafterauthentication forwardagent forwardx11 forwardx11timeout forwardx11trusted globalknownhostsfile " +
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
      if (value.toLowerCase() !== "none") inv.run.script(inv.cx, inv.state, literal(value), { is: "none" }, { span: inv.span });
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
