import { quote, type Call, type FileAction } from "@assent/core/action";
import { baseName } from "@assent/core/path";
import { isOfPreset, type RuleSource, type Verdict, verdictOf } from "@assent/core/policy";

/**
 * Sockets of the file system. Connecting to one is judged as writing its file, so that `Write(/run/docker.sock)` grants
 * it; but what lets a program write in a folder says nothing about the services that have their sockets there, so only a
 * rule counts, and for sockets of known power only one that names the socket itself.
 */
export interface SocketDeps {
  readonly judge: (action: FileAction) => Verdict;
  /** `SSH_AUTH_SOCK` and the like, where they are set. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Refused without a question and without a word: the C library falls back on asking the name servers itself. */
export function isResolverSocket(path: string): boolean {
  return /^(?:\/var)?\/run\/(?:nscd\/socket|systemd\/resolve\/io\.systemd\.Resolve(?:\.Monitor)?|avahi-daemon\/socket|\.nscd_socket)$/.test(
    path,
  );
}

const POWER: readonly (readonly [path: RegExp, what: string])[] = [
  [/\/docker[^/]*\.sock$|\/docker\/[^/]*\.sock$/, "the Docker daemon, which can do anything as root"],
  [/\/(?:podman|buildkit|buildkitd)[^/]*\.sock$/, "a container engine, which can start programs outside this run"],
  [/\/(?:containerd|crio|cri-dockerd|dockershim)[^/]*\.sock$/, "a container engine, which can do anything as root"],
  [/\/(?:lxd|incus)\/.*unix\.socket$|\/libvirt\//, "a virtual machine manager, which can start programs outside this run"],
  [/\/snapd[^/]*\.socket$|\/flatpak\//, "a package manager's service"],
  [
    /(?:^|\/)ssh-[^/]+\/agent\.\d+$|\/(?:S\.gpg-agent\.ssh|ssh-agent[^/]*|agent\.sock|keyring\/ssh)$/,
    "a key agent, which signs in anywhere with your keys",
  ],
  [/\/S\.(?:gpg-agent|scdaemon|keyboxd|dirmngr)[^/]*$/, "the GnuPG agent, which signs and decrypts with your keys"],
  [/\/keyring\/|\/kwallet|\/1password|\/bitwarden/i, "a password store"],
  [/\/bus$|\/dbus[^/]*|\/system_bus_socket$|\/at-spi\//, "D-Bus, through which other programs start and do things outside this run"],
  [/\/systemd\/(?:private|notify|journal|io\.|userdb|resolve)/, "systemd, which can start programs outside this run"],
  [/\/\.X11-unix\/|\/wayland-\d+$|\/pipewire-|\/pulse\//, "the desktop: windows, keyboard, clipboard, sound"],
  [/\/tmux-\d+\/|\/screens?\/|\/S-[^/]+\/|\/zellij/, "a terminal multiplexer, which types commands into shells outside this run"],
  [/\/(?:emacs\d*|nvim[^/]*|vscode-[^/]*)(?:\/|$)/, "an editor, which runs commands outside this run"],
  [/\/(?:cups|acpid|udev|initctl)/, "a service of the system"],
  [/\/dev\/log$/, "the system's log"],
];

/** Who listens there, as far as its place tells, and that it can do what the run may not; undefined: nothing known. */
export function powerOf(path: string, env: SocketDeps["env"]): string | undefined {
  if (path === env.SSH_AUTH_SOCK) return "the ssh agent, which signs in anywhere with your keys";
  if (path === env.DOCKER_HOST?.replace(/^unix:\/\//, "")) return "the Docker daemon, which can do anything as root";
  return POWER.find(([pattern]) => pattern.test(path))?.[1];
}

/** `path`: canonical. `own`: the socket was made in this run. */
export function judgeUnixConnect(path: string, own: boolean, deps: SocketDeps): { action: FileAction; verdict: Verdict } {
  const action = socketAction("connect", path);
  const verdict = deps.judge(action);
  // Protections speak of files; what they have in mind is asked about below.
  const denied = verdict.decision === "deny" && (verdict.basis !== "protection" || isOfPreset(verdict.builtin));
  if (denied) return { action, verdict };
  if (own) {
    return { action, verdict: verdictOf("allow", "own-socket") };
  }
  const power = powerOf(path, deps.env);
  if (verdict.decision === "allow") {
    if (verdict.basis === "grant") return { action, verdict };
    if (verdict.basis === "rule" && (power === undefined || (verdict.rule !== undefined && namesPath(verdict.rule, path)))) {
      return { action, verdict };
    }
  } else if (verdict.basis === "rule" || verdict.basis === "floor") return { action, verdict };
  return {
    action,
    verdict: verdictOf("ask", power === undefined ? "foreign-socket" : "powerful-socket", {
      reason: power === undefined ? `a program outside this run made the socket ${path}` : `the socket ${path} leads to ${power}`,
      help: {
        person: `to allow it: assent allow ${quote(`Write(${path})`)}`,
        model: `go on without it, or ask the user to allow it: assent allow ${quote(`Write(${path})`)}`,
      },
    }),
  };
}

/** Making the file of a socket is writing it. */
export function judgeUnixBind(path: string, deps: Pick<SocketDeps, "judge">): { action: FileAction; verdict: Verdict } {
  const action = socketAction("bind", path);
  return { action, verdict: deps.judge(action) };
}

function socketAction(name: "connect" | "bind", path: string): FileAction {
  const call: Call = { name, args: [path, "0"] };
  return { kind: "file", operation: "write", target: { kind: "path", path }, origin: { by: "tool" }, call };
}

/** The rule says this file, not a pattern or a folder it falls under. */
function namesPath(rule: RuleSource, path: string): boolean {
  const name = baseName(path);
  const written = /\(\s*([^,)]*?)\s*[,)]/.exec(rule.text)?.[1] ?? "";
  return !/[*?[{]/.test(written) && (written === path || written.endsWith(`/${name}`));
}
