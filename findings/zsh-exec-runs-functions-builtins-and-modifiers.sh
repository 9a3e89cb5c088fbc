#!/usr/bin/env bash
# zsh 5.9 and bash 5.2.15 (Debian 12): behind `exec` bash looks for a program, whatever functions and builtins there are. zsh runs the
# function, the builtin, and what stands behind `noglob`, `command` and `-` (whose program gets a dash in front of its name), then ends.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq zsh=5.9-4+b15 zsh-common=5.9-4 bash=5.2.15-2+b13 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
zsh=$(find root -type f -name 'zsh5' -o -type f -path '*bin/zsh' | head -n 1)
for shell in "$zsh -f" "root/bin/bash --norc"; do
  name=$(basename "${shell%% *}")
  for line in 'f() { echo function; }; exec f' "exec eval 'echo builtin'" 'exec noglob echo modifier' "exec - sh -c 'echo \$0'"; do
    # shellcheck disable=SC2086
    echo "${name%5}: $line: $(PATH=/usr/bin:/bin $shell -c "$line; echo goes on" 2>/dev/null || echo "not found")"
  done
done | tee seen.txt

diff - seen.txt <<'SEEN'
zsh: f() { echo function; }; exec f: function
zsh: exec eval 'echo builtin': builtin
zsh: exec noglob echo modifier: modifier
zsh: exec - sh -c 'echo $0': -sh
bash: f() { echo function; }; exec f: not found
bash: exec eval 'echo builtin': not found
bash: exec noglob echo modifier: not found
bash: exec - sh -c 'echo $0': not found
SEEN
