import { describe, doubt, refuse, type Invocation } from "../invocation.ts";
import { textOf } from "../value.ts";
import { has, valuesOf } from "./given.ts";

/** `secret`, `Secrets`, `secrets.v1.`, `secret/name`: one part of kubectl's list of resources. */
const SECRET = /^secrets?([./].*)?$/i;

/** kubectl get(1): an output format shows what a secret holds; without one there are only names. */
export function kubectlSecrets(inv: Invocation): void {
  const shows = has(inv, "-o", "--output", "--template");
  for (const path of valuesOf(inv, "--raw")) {
    if (!/^[\w./?=&-]+$/.test(textOf(path) ?? "") || /secret/i.test(textOf(path) ?? "")) refuse(inv, `may show secrets of the cluster: ${describe(path)}`);
  }
  const named = inv.args.operands.some((operand) => (textOf(operand) ?? "secret").split(",").some((part) => SECRET.test(part.trim())));
  const inFile = valuesOf(inv, "-f", "--filename", "-k", "--kustomize").length > 0;
  if (!named && !inFile) return;
  const reason = named ? "shows secrets of the cluster" : "may show secrets of the cluster: the file says what is shown";
  if (shows) refuse(inv, reason, "show names only, or let the user run it");
  else doubt(inv, reason);
}
