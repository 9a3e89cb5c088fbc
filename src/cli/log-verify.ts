import { visible } from "../action/index.ts";
import { verifyLog } from "../audit/index.ts";
import { stateFolder, thisMachine } from "../state/index.ts";
import { writeStdout } from "./stdio.ts";

/** `assent log verify`: exit 0 when the log is whole, 1 when it is not. */
export function logVerify(options: { readonly json?: boolean }): number {
  const folder = stateFolder(thisMachine());
  const verified = verifyLog(folder);
  const { records, torn, unchained, flaws } = verified;
  if (options.json === true) {
    writeStdout(`${JSON.stringify({ ok: flaws.length === 0, ...verified }, undefined, 2)}\n`);
    return flaws.length === 0 ? 0 : 1;
  }
  for (const { kind, file, line, what } of flaws)
    writeStdout(`${visible(folder)}/${visible(file)}${line === undefined ? "" : `:${line}`}: ${kind}: ${visible(what)}\n`);
  const asides = [
    ...(torn === 0 ? [] : [`${torn} torn by processes that were killed or by a full disk`]),
    ...(unchained === 0 ? [] : [`${unchained} written without a hash`]),
  ];
  const more = asides.length === 0 ? "" : `; ${asides.join(", ")}`;
  if (flaws.length === 0) writeStdout(`the log is whole: ${records} record${records === 1 ? "" : "s"}${more}\n`);
  else writeStdout(`the log is not as it was written: ${flaws.length} flaw(s) in ${records} records${more}\n`);
  return flaws.length === 0 ? 0 : 1;
}
