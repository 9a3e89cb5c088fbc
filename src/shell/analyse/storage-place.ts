import { describe, refuse, type Invocation } from "../invocation.ts";
import { prefixOf, textOf } from "../value.ts";

/** rclone(1), "Connection strings": `:sftp,ssh=CMD:path` and `remote,ssh=CMD:path` run CMD. */
export function storagePlace(inv: Invocation): void {
  for (const word of inv.args.operands) {
    const place = textOf(word);
    if (place === undefined ? /^:|,/.test(prefixOf(word)) || !/^([\w-]+:|\.?\/)/.test(prefixOf(word)) : /^:|^[^:]*,/.test(place))
      refuse(inv, `${describe(word)} may hold settings of ${inv.name}, which can name a program`, "use a remote that is configured");
  }
}
