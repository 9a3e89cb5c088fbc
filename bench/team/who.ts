import { createHash } from "node:crypto";

/** Machines of the bench: what they are called and what they show follows from their number, so that no process has to tell another. */
export const machineId = (at: number): string => createHash("sha256").update(`bench machine ${at}`).digest("base64url").slice(0, 22);
export const machineToken = (at: number): string => createHash("sha256").update(`bench token ${at}`).digest("base64url");

/** As a line of a machine's log looks, of the usual length. */
export function bodyOf(machine: number, seq: number, time: string): string {
  return (
    `{"v":1,"time":"${time}","point":"hook","agent":"claude","event":"request","session":"s${machine}","cwd":"/home/ada/project${seq % 40}",` +
    `"tool":"shell","input":{"command":"git log --oneline -n ${seq} src/part${machine % 97}"},"verdict":"allow","basis":"knowledge","answer":"allow",` +
    `"reason":"\`git log\` does only what is listed here","builtin":"git log","actions":[{"action":"exec git log --oneline","verdict":"allow",` +
    `"basis":"knowledge","builtin":"git log"},{"action":"read /home/ada/project/.git","verdict":"allow","basis":"default"}],"unknowns":[],"ms":3.1,"seq":${seq}}`
  );
}
