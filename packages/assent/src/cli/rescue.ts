import { mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { diffLines } from "diff";
import { planUninstall, readInstalled } from "@assent/hosts/agents/install";
import { errorCode, readEditable, type Machine } from "@assent/guard/state";

/**
 * The door on the bad day. With Node, the package, the policy or the disk gone every hook refuses, and whatever Assent could do about it
 * is gone as well. So what takes our entries out of every agent is written beforehand: a script for `sh` that uses nothing but
 * coreutils(1), and beside it what each file is to say then. It makes no file where it can rename one: a full disk has room for names.
 */
export const rescueFolder = ({ home }: Pick<Machine, "home">): string => `${home}/.local/share/assent`;

/** What a person types. */
export const RESCUE = "sh ~/.local/share/assent/rescue";

const MAX_BYTES = 4 << 20;

/** Writes the script and what it needs for the files that `install` has changed; takes all of it away where there are none. A problem. */
export function writeRescue(machine: Machine): string | undefined {
  const folder = rescueFolder(machine);
  const files = `${folder}/rescue.d`;
  try {
    const installed = readInstalled(machine);
    rmSync(files, { recursive: true, force: true });
    if (installed.length === 0) {
      rmSync(`${folder}/rescue`, { force: true });
      if (readdirSync(folder).length === 0) rmdirSync(folder);
      return undefined;
    }
    mkdirSync(files, { recursive: true, mode: 0o700 });
    for (const [at, { agent, file }] of installed.entries()) {
      const found = readEditable(file, MAX_BYTES);
      if (found.is !== "text") continue;
      const planned = planUninstall(
        agent,
        { is: "entries", file, format: file.endsWith(".toml") ? "toml" : "json", entries: [] },
        installed,
      );
      if (planned.is === "change") writeCase(`${files}/${at + 1}`, file, found.text, planned.change.next);
    }
    writeFileSync(`${folder}/rescue`, SCRIPT, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : errorCode(error);
  }
}

function writeCase(folder: string, file: string, now: string, next: string | undefined): void {
  mkdirSync(`${folder}/parts`, { recursive: true, mode: 0o700 });
  const mode = statSync(file).mode & 0o777;
  const write = (name: string, text: string): void => writeFileSync(`${folder}/${name}`, text, { mode });
  write("file", file);
  write("now", now);
  if (next === undefined) return write("goes", "");
  write("next", next);
  for (const [at, [ours, theirs]] of partsOf(now, next).entries()) {
    mkdirSync(`${folder}/parts/${at + 1}`, { mode: 0o700 });
    write(`parts/${at + 1}/ours`, ours);
    write(`parts/${at + 1}/theirs`, theirs);
  }
}

/** Whole lines that are ours, each with what stands there without us. */
function partsOf(now: string, next: string): readonly (readonly [ours: string, theirs: string])[] {
  const parts: [string, string][] = [];
  let open: [string, string] | undefined;
  for (const { value, added, removed } of diffLines(now, next)) {
    if (!added && !removed) open = undefined;
    else {
      if (open === undefined) parts.push((open = ["", ""]));
      open[removed ? 0 : 1] += value;
    }
  }
  return parts.filter(([ours]) => ours.trim() !== "");
}

/** POSIX (XCU 2); tried with dash and BusyBox. */
const SCRIPT = `#!/bin/sh
# Takes Assent out of every agent on this machine, without Node and without Assent itself. Written by \`assent install\`.
# For a person, in a terminal: sh ~/.local/share/assent/rescue
set -u
umask 077
case $0 in */*) here=\${0%/*} ;; *) here=. ;; esac
here=$(cd -- "$here" && pwd -P) || exit 1

say() { printf '%s\\n' "$*"; }

# Agents start commands without a terminal, and mark their own shells.
agent="\${CLAUDECODE-}\${CODEX_SANDBOX-}\${CODEX_THREAD_ID-}\${GEMINI_CLI-}\${CURSOR_AGENT-}"
agent="$agent\${OPENCODE-}\${QWEN_CODE-}\${COPILOT_CLI-}\${AGENT-}"
if [ ! -t 0 ] || [ ! -t 1 ] || [ -n "$agent" ]; then
  say 'This is for a person, in a terminal of their own: it takes Assent out of every agent. Nothing was changed.' >&2
  exit 2
fi

found=
for folder in "$here"/rescue.d/*/; do
  [ -f "\${folder}file" ] || continue
  found=yes
  say "  $(cat -- "\${folder}file")"
done
if [ -z "$found" ]; then
  say 'Assent is registered with no agent of yours. Nothing was changed.'
  exit 0
fi
say 'are the files with entries of Assent. They are taken out, and a copy of each file stays in'
say "  $here/rescue.d"
say 'Your agents then ask you by themselves again. \`assent install\` brings it back.'
printf 'Take them out? [y/N] '
read -r answer || answer=
case $answer in [yY] | [yY][eE][sS]) ;; *) say 'Nothing was changed.'; exit 1 ;; esac

# Renaming needs no room, so a full disk does not stop it; where the copy lies on another one, mv(1) copies.
put() {
  mv -f -- "$file" "\${folder}was" && mv -f -- "$1" "$file" && return 0
  [ -e "$file" ] || mv -f -- "\${folder}was" "$file"
  return 1
}

status=0
for folder in "$here"/rescue.d/*/; do
  [ -f "\${folder}file" ] || continue
  file=$(cat -- "\${folder}file"; printf x)
  file=\${file%x}
  if [ ! -f "$file" ]; then
    say "$file: is not there any more"
    continue
  fi
  if [ ! -r "$file" ] || [ ! -w "$file" ]; then
    say "$file: may not be changed by you: sudo sh '$here/rescue'" >&2
    status=1
    continue
  fi
  text=$(cat -- "$file"; printf x)
  now=$(cat -- "\${folder}now"; printf x)
  if [ "$text" = "$now" ]; then
    if [ -f "\${folder}goes" ]; then
      mv -f -- "$file" "\${folder}was" || { status=1; continue; }
    elif [ -f "\${folder}next" ]; then
      put "\${folder}next" || { say "$file: could not be written" >&2; status=1; continue; }
    else
      say "$file: nothing of Assent is in it"
      continue
    fi
    say "$file: taken out"
    continue
  fi
  # It was changed since: what is ours is looked for as it was written, whole lines.
  changed=
  left=
  for part in "\${folder}parts"/*/; do
    [ -f "\${part}ours" ] || continue
    ours=$(cat -- "\${part}ours"; printf x)
    ours=\${ours%x}
    theirs=$(cat -- "\${part}theirs"; printf x)
    theirs=\${theirs%x}
    case $text in
      *"$ours"*"$ours"*) left=yes ;;
      *"$ours"*) text=\${text%%"$ours"*}$theirs\${text#*"$ours"}; changed=yes ;;
      *) ;;
    esac
  done
  case $text in
    *'check --agent '* | *'"check", "--agent'* | *'Written by \`assent install\`'*) left=yes ;;
    *) ;;
  esac
  if [ -n "$changed" ]; then
    text=\${text%x}
    if printf '%s' "$text" > "\${folder}new" 2>/dev/null && [ "$(cat -- "\${folder}new"; printf x)" = "\${text}x" ] && put "\${folder}new"; then
      say "$file: taken out"
    else
      say "$file: could not be written, perhaps the disk is full: make room (df -h), then try again" >&2
      status=1
    fi
  elif [ -z "$left" ]; then
    say "$file: nothing of Assent is in it"
  fi
  if [ -n "$left" ]; then
    say "$file: somebody changed our entries there: take out by hand what names \\\`check --agent\\\`" >&2
    status=1
  fi
done
[ "$status" -ne 0 ] || say 'Done. Start your agents again.'
exit "$status"
`;
