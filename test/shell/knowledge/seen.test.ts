import { expect, test } from "vitest";
import { printAction } from "@assent/core/action";
import { verdictFor } from "./decide.ts";

/** What `npm run verify` saw commands do that no table said: each is predicted now. */
const SEEN: readonly (readonly [command: string, prediction: string])[] = [
  ["cargo tree", "write /home/u/p/Cargo.lock"],
  ["dot -Tsvg a.dot", "write /home/u/.cache/fontconfig/**"],
  ["gcloud config list", "write /home/u/.config/gcloud/**"],
  ["git add -n .", "list /home/u/p/**"],
  ["git add --dry-run -A", "list /home/u/p/**"],
  ["git lfs ls-files", "write /home/u/p/.git/config"],
  ["git merge-tree main feature", "write /home/u/p/.git/objects/**"],
  ["gio tree src", "list /home/u/p/src/**"],
  ["go list ./...", "write /home/u/p/.git/index"],
  ["gofmt -l .", "read /home/u/p/**"],
  ["jps -l", "write recursively /tmp/hsperfdata_*"],
  ["journalctl -b", "read /var/log/journal/**"],
  ["last -5", "read /var/log/**"],
  ["npm view x", "write /home/u/.npm/_cacache/**"],
  ["parallel ls ::: a.txt", "write /home/u/.parallel/tmp/**"],
  ["printf '%s' 'a b' | xargs -n1 echo", "exec echo b"],
  ["rpm -qa", "write /home/u/.rpmdb/**"],
  ["sqlite3 none.db 'select 1'", "write /home/u/p/none.db"],
  ["ssh-agent -s", "write recursively /tmp/ssh-*"],
  ["svn status", "write /home/u/.subversion/auth/**"],
  ["terraform --version", "write /home/u/.terraform.d/checkpoint_cache"],
  ["tmux ls", "write recursively /tmp/tmux-*"],
  ["top -b -n 1", "write /home/u/.config/procps/**"],
  ["valgrind ls", "write /tmp/vgdb-*"],
];

test.each(SEEN)("%s: %s", (command, prediction) => {
  expect(verdictFor(command).actions.map(({ action }) => printAction(action))).toContain(prediction);
});
