import { adviceForPerson, printAction, visible } from "@assent/core/action";
import { answerableRemote, isConfined, type JudgedAction, type JudgedUnknown, type Verdict } from "@assent/core/policy";
import type { Outcome } from "@assent/guard/engine";
import { writeStdout } from "./stdio.ts";

/** Version of every `--json` form: docs/json.md. It rises when a field changes its meaning or goes away. */
export const JSON_VERSION = 1;

/** What a command says by `--json`, and its exit code. */
export function writeJson(fields: object, exit = 0): number {
  writeStdout(`${JSON.stringify({ v: JSON_VERSION, ...fields })}\n`);
  return exit;
}

export function verdictFields({ decision, basis, reason, rule, builtin, grant, help, untrusted }: Verdict): Record<string, unknown> {
  return {
    verdict: decision,
    basis,
    reason: visible(reason),
    help: help === undefined ? undefined : adviceForPerson(help),
    rule,
    builtin,
    grant,
    untrusted,
  };
}

/** The table and the line by which something was judged. */
type TableOf = (judged: JudgedAction) => string | undefined;

const actionFields = (judged: JudgedAction, tableOf: TableOf): Record<string, unknown> => ({
  text: printAction(judged.action),
  ...verdictFields(judged.verdict),
  table: tableOf(judged),
  action: judged.action,
});
const unknownFields = ({ unknown: { reason, help, span, exec, lasting }, verdict }: JudgedUnknown): Record<string, unknown> => ({
  ...(help === undefined ? {} : { help }),
  ...(span === undefined ? {} : { span }),
  ...(exec === undefined ? {} : { exec }),
  ...(lasting === undefined ? {} : { lasting }),
  ...verdictFields(verdict),
  reason: visible(reason),
});

/** One judged request as JSON. `changes` are the rules that would allow it. */
export function outcomeJson(outcome: Outcome, tableOf: TableOf, changes?: readonly string[]): Record<string, unknown> {
  const { request, verdict, answer, warnings, basis } = outcome;
  const afar = basis === undefined ? undefined : answerableRemote(verdict, basis);
  return {
    ...verdictFields(verdict),
    confined: isConfined(verdict) ? true : undefined,
    answer: answer.decision,
    tool: request.tool,
    cwd: request.cwd,
    actions: verdict.actions.map((judged) => actionFields(judged, tableOf)),
    unknowns: verdict.unknowns.map(unknownFields),
    ...(afar === undefined ? {} : { team: { people: afar.people, passkey: afar.passkeys !== undefined, wait: afar.wait } }),
    ...(changes === undefined ? {} : { changes }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(visible) }),
  };
}
