import { FORGES, HANDED_OUT, SENDS_ON } from "#knowledge/hosts";

/** A public forge, where remotes may be named without a question. */
export const isForge = (host: string): boolean => FORGES.includes(` ${host.toLowerCase()} `);

/** A host that anybody may read from without a question, as long as nothing but an address is sent: the key `public` of the tables. */
export const isReadByAll = (host: string): boolean => isForge(host) || HANDED_OUT.includes(` ${host} `);

/** The host, and those that it sends on to whoever asks for a file. */
export const readWith = (host: string): readonly string[] => [host, ...(SENDS_ON[host] ?? [])];
