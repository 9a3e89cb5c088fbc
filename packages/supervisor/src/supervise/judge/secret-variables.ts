import { existsSync } from "node:fs";
import { isSecretName, redactString, REDACTED } from "@assent/guard/audit";

const found = new WeakMap<Readonly<Record<string, string>>, readonly string[]>();

/**
 * Variables that hold a secret, by their names and by the shape of their values: `GITHUB_TOKEN`, `DATABASE_URL` with a password in it.
 * INVARIANT: nobody changes an environment once it was given.
 */
export function secretVariables(env: Readonly<Record<string, string>>): readonly string[] {
  let names = found.get(env);
  if (names === undefined) found.set(env, (names = Object.entries(env).flatMap(([name, value]) => (isSecret(name, value) ? [name] : []))));
  return names;
}

function isSecret(name: string, value: string): boolean {
  if (value === "" || isPath(value)) return false;
  return isSecretName(name) || redactString(value).includes(REDACTED);
}

/** `SSH_AUTH_SOCK`, `GOOGLE_APPLICATION_CREDENTIALS`: where something lies is no secret, and the file is judged by itself. */
const isPath = (value: string): boolean => value.startsWith("/") && existsSync(value);
