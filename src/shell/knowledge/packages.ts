import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Package managers of operating systems. Looking is known; everything that installs changes the machine.

export const packages: readonly CommandSpec[] = [
  {
    names: "apt apt-get aptitude apt-cache apt-mark apt-file",
    otherwise: "host-effect",
    helps: "--help",
    summary: "packages of Debian",
    // -o and -c may name hooks that run.
    options: rows(
      "-q --quiet; -qq; -y --yes --assume-yes; -s --simulate --dry-run --just-print --recon; -a --all-versions; --installed; --upgradable; --names-only; -n; -f --fix-broken; -V --verbose-versions; --no-install-recommends; --no-install-suggests; -i --important; --recurse; --installed-only; --manual-installed; -h --help -> stop; -v --version -> stop",
      "# hooks: -o --option -c --config-file -t",
    ),
    subcommands: {
      "list|search|show|policy|depends|rdepends|showpkg|showsrc|madison|pkgnames|stats|dump|unmet|dotty|showauto|showmanual|showhold|find|check":
        {
          options: "-u --upgradeable",
          operands: "text*",
          examples: {
            allow: ["apt list -u", "apt list --installed", "apt show curl", "apt-cache policy curl", "apt search x", "apt-mark showhold"],
            ask: ["apt list -o APT::Update::Pre-Invoke::=evil"],
          },
        },
      "update|install|remove|purge|upgrade|full-upgrade|dist-upgrade|autoremove|autopurge|reinstall|clean|autoclean|build-dep|source|download|changelog|edit-sources|satisfy|hold|unhold|auto|manual|dselect-upgrade":
        {
          operands: "text*",
          effects: "system packages, danger host-effect, remote.read packages",
          examples: { ask: ["apt install x", "apt-get update", "apt-get -y remove x", "apt-get install ./evil.deb", "apt-mark hold x"] },
        },
    },
    examples: { allow: ["apt --version"], ask: ["apt nonsense"] },
  },
  {
    names: "dpkg",
    otherwise: "host-effect",
    summary: "packages of Debian",
    options: rows(
      "-l --list; -L --listfiles; -s --status; -S --search; -p --print-avail; -W --show; -f --field -> text becomes read; -c --contents -> text becomes read; -I --info -> text becomes read; -C --audit; -V --verify; --get-selections; --print-architecture; --print-foreign-architectures; --compare-versions; --no-pager; --help -> stop; --version -> stop",
      "# everything else installs, removes or configures",
    ),
    operands: "text*",
    examples: {
      allow: ["dpkg -l", "dpkg -L curl", "dpkg -S /bin/ls", "dpkg --print-architecture"],
      ask: ["dpkg -i evil.deb", "dpkg --configure -a", "dpkg -P x", "dpkg --root=x -l"],
      deny: ["dpkg -f .env"],
    },
  },
  {
    names: "dpkg-query",
    summary: "packages of Debian",
    options: rows(
      "-l --list; -L --listfiles; -s --status; -S --search; -p --print-avail; -W --show; -f --showformat=text; --no-pager",
      "--help -> stop; --version -> stop",
    ),
    operands: "text*",
    examples: { allow: ["dpkg-query -W -f '${Version}' curl", "dpkg-query -l"] },
  },
  {
    names: "rpm",
    otherwise: "host-effect",
    upkeep: ["write ~/.rpmdb/**"],
    summary: "packages of Red Hat",
    // --eval and --define expand macros that run programs.
    // -i alone installs, so the letter is known only behind -q.
    options: rows(
      "-q --query; -qi; -qia; -qai; -qil; -qli; -qif; -qc; -a --all; --info; -l --list; -f --file; -c --configfiles; -d --docfiles; -R --requires; --provides; --whatprovides; --whatrequires; --changelog; -s --state; --last; -V --verify; --version -> stop; --help -> stop",
      "# fetches addresses: -p --package",
    ),
    operands: "text*",
    examples: {
      allow: ["rpm -qa", "rpm -ql bash", "rpm -q --changelog bash", "rpm -V bash"],
      ask: ["rpm -i evil.rpm", "rpm -e x", "rpm --eval '%(id)'", "rpm -qa --queryformat '%{NAME}'", "rpm -Uvh x.rpm"],
    },
  },
  {
    names: "pacman",
    otherwise: "host-effect",
    summary: "packages of Arch",
    options: rows(
      "-Q; -Qi; -Ql; -Qs; -Qo; -Qe; -Qet; -Qt; -Qdt; -Qtd; -Qd; -Qm; -Qn; -Qu; -Qq; -Qqe; -Qk; -Ss; -Si; -Sl; -Sg; -Ssq; -Fl; -Fq; -V --version -> stop; -h --help -> stop",
      "# everything else changes packages",
    ),
    operands: "text*",
    examples: {
      allow: ["pacman -Q", "pacman -Qi bash", "pacman -Ss vim"],
      ask: ["pacman -Syu", "pacman -S x", "pacman -Rns x", "pacman -Q --config=evil"],
    },
  },
  {
    names: "dnf yum microdnf zypper apk snap flatpak port nix-env",
    otherwise: "host-effect",
    summary: "packages",
    options: rows("-q --quiet; -y --assumeyes; -v --verbose; --installed; --available; -h --help -> stop; --version -> stop; -V -> stop"),
    subcommands: {
      "list|info|search|provides|whatprovides|repoquery|repolist|deplist|check-update|history list|packages|patterns|products|se|if|policy|dot|version|audit|find|connections|interfaces|services|changes|known|remotes|remote-ls":
        { operands: "text*", examples: { allow: ["dnf list --installed", "apk info", "snap list", "yum search x"] } },
      "install|remove|erase|update|upgrade|downgrade|reinstall|autoremove|clean|makecache|groupinstall|localinstall|swap|module|distro-sync|in|rm|up|dup|add|del|fix|refresh|enable|disable|switch|run|connect|disconnect|set|unset|start|stop|restart|uninstall|override|remote-add|remote-delete|selfupdate|cache":
        {
          style: "none",
          operands: "text*",
          effects: "system packages, danger host-effect",
          examples: { ask: ["dnf install x", "apk add x", "snap remove x", "flatpak run x", "yum -y update"] },
        },
    },
    examples: { allow: ["dnf --version"], ask: ["nix-env -iA nixpkgs.x", "dnf nonsense"] },
  },
  {
    names: "brew",
    summary: "Homebrew",
    // Formulae are Ruby code, which looking at one may load, from a tap or a path too.
    options: rows(
      "-q --quiet; -v --verbose; -d --debug; -h --help -> stop; --version -> stop; --prefix -> stop; --cellar -> stop; --cache -> stop; --repository -> stop; --env -> stop; --config -> stop",
    ),
    subcommands: {
      "list|ls|search|leaves|outdated|config|doctor|casks|formulae|--prefix|--cellar|--repository|shellenv|commands|missing|tap-info|services list":
        {
          options: rows(
            "--versions; --formula --formulae; --cask --casks; --json[=text]; --tree; --installed; --installed-on-request; --greedy; --full-name; -1; --pinned; --analytics; --topological; --annotate; --include-build; --recursive; -l; -r; -t",
          ),
          operands: "text*",
          examples: { allow: ["brew list", "brew search x", "brew outdated --json=v2", "brew services list"] },
        },
      "info|abv|deps|uses|desc|log|options|cat": {
        options: rows(
          "--versions; --formula --formulae; --cask --casks; --json[=text]; --tree; --installed; --full-name; --include-build; --recursive; -1; -s=text; -n=text; -d=text",
        ),
        analyse: "brew-names",
        examples: {
          allow: [
            "brew info jq",
            "brew deps --tree jq",
            "brew info --json=v2 openssl@3",
            "brew desc python@3.12",
            "brew uses --installed jq",
          ],
          none: ["brew info evil/tap/x", "brew info ./evil.rb", "brew info evil.rb"],
          ask: ["brew cat $(cat a.txt)"],
        },
      },
      "install|uninstall|remove|rm|upgrade|update|reinstall|tap|untap|link|unlink|pin|unpin|cleanup|autoremove|services|edit|create|bundle|sh|ruby|test|fetch|migrate|postinstall|developer|analytics|irb|extract|bump|home":
        {
          style: "none",
          operands: "text*",
          effects: "system packages, danger host-effect",
          examples: { ask: ["brew install jq", "brew upgrade", "brew tap evil/x", "brew services start x", "brew ruby -e 'x'"] },
        },
    },
    examples: { allow: ["brew --version", "brew --prefix"], none: ["brew nonsense"] },
  },
];
