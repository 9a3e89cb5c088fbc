import type { Invocation } from "../invocation.ts";
import { applyEffect } from "../effects.ts";
import { plainVariable } from "../languages/environment.ts";
import { textOf } from "../value.ts";

/** A word of a variable's name that says it holds, or leads to, a secret. */
const SECRET =
  /(^|_)(pass|passwd|password|passphrase|pwd|pat|secrets?|tokens?|jwt|keys?|apikey|auth|authorization|credentials?|creds?|cookies?|session|private|cert|signing|salt|dsn|url|uri|conn|connection|webhook|otp|pin)(_|\d*$)|(secret|token|password|passwd|apikey)s?$/i;

/** Without a name, everything is printed. */
export function printenv(inv: Invocation): void {
  const names = inv.args.operands.map((operand) => textOf(operand));
  if (names.length === 0 || names.some((name) => name === undefined || (!plainVariable(name) && SECRET.test(name))))
    applyEffect(inv, { is: "environment" });
}
