#!/usr/bin/env bash
# codespell 2.2.2 (Debian 12): keys of `setup.cfg`, `.codespellrc` and `pyproject.toml` are handed to the parser of its command line, which
# takes any beginning of an option's name. `wri =` in a settings file is `--write-changes`: a plain `codespell a.txt` then corrects the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq codespell=2.2.2-1 python3-chardet=5.1.0+dfsg-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
export PYTHONPATH="$PWD/root/usr/lib/python3/dist-packages"
run() { python3 -c 'import sys; from codespell_lib import main; sys.exit(main(*sys.argv[1:]))' a.txt >/dev/null 2>&1 || true; }
for key in '' 'write-changes' 'write' 'wri'; do
  mkdir work && cd work
  echo 'recieve' > a.txt
  printf '[codespell]\n' > .codespellrc
  if [ -n "$key" ]; then printf '%s =\n' "$key" >> .codespellrc; fi
  run
  echo "key \`$key\`: $(cat a.txt)"
  cd .. && rm -r work
done | tee seen.txt

diff - seen.txt <<'SEEN'
key ``: recieve
key `write-changes`: receive
key `write`: receive
key `wri`: receive
SEEN
