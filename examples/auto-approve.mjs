// Which commands and patches may go ahead by themselves.
import { probeSandbox } from "assent";
import { canAutoApprove } from "assent/compat";

console.log(`programs can be supervised here: ${await probeSandbox()}`);
const patch = (...lines) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

for (const argv of [
  ["bash", "-lc", "ls && git diff"],
  ["bash", "-lc", "ls\nrm -rf ~"],
  ["npm", "test"],
  ["apply_patch", patch("*** Update File: a.txt", "@@", "-a", "+b")],
  ["apply_patch", patch("*** Update File: a.txt", "*** Move to: /etc/cron.d/a", "@@", "-a", "+b")],
])
  for (const policy of ["suggest", "auto-edit", "full-auto"]) console.log(policy, JSON.stringify(argv), canAutoApprove(argv, { policy }));
