import { baseName } from "../../path/index.ts";

/** Programs that can do nothing inside a run, and the way out. */
const TRACES = /^(?:gdb|gdbserver|lldb|lldb-server|strace|ltrace|perf|rr|bpftrace|dlv|uftrace)$/;
const CONFINES = /^(?:bwrap|firejail|unshare|nsenter|chroot|podman|buildah|systemd-nspawn|proot|runc|crun|apptainer|singularity)$/;

/** Asks for nothing but words. */
const HELP = /^(?:-V|-h|-v|--version|--help|help|version)$/;

/** What to say when a program starts that would only fail with "operation not permitted". */
export function hintFor(path: string, [, first]: readonly string[]): string | undefined {
  const name = baseName(path);
  if (first === undefined || HELP.test(first)) return undefined;
  if (TRACES.test(name))
    return `${name} looks into other programs, which nothing in a supervised run can: start it without \`assent run\`. What the run itself does: \`assent run --strace FILE\``;
  if (CONFINES.test(name))
    return `${name} makes a sandbox or container, which nothing in a supervised run can: leave it out, or start it without \`assent run\``;
  return undefined;
}
