import { spawn } from "node:child_process";
import { assent, type Scratch } from "../scratch.ts";

const env = (place: Scratch): Record<string, string> => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: place.home });

/** What the hook answers Claude Code where that would ask; undefined: it is left to ask. */
export function hooked(place: Scratch, command: string, dist?: string): string | undefined {
  const payload = {
    session_id: "s-1",
    cwd: place.project,
    permission_mode: "default",
    hook_event_name: "PermissionRequest",
    tool_name: "Bash",
    tool_input: { command },
    permission_suggestions: [],
  };
  const { stdout } = assent(place, ["check", "--agent", "claude"], JSON.stringify(payload), {}, dist);
  const answer = JSON.parse(stdout) as {
    readonly hookSpecificOutput?: { readonly decision?: { readonly updatedInput?: { readonly command?: string } } };
  };
  return answer.hookSpecificOutput?.decision?.updatedInput?.command;
}

/** The services are this process's own, so it may not wait. */
export const start = (place: Scratch, command: string): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn("bash", ["-c", command], { cwd: place.project, env: env(place), stdio: "ignore", timeout: 20_000 });
    child.once("exit", resolve);
  });
