import { fail, watchOutput } from "./fail.ts";
import { plainTry, tryCommand } from "./try.ts";

/** `assent try`, without the other commands: they would take as long again to load. False: commander has to read its words. */
export async function main(): Promise<boolean> {
  const plain = plainTry(process.argv.slice(3));
  if (plain === undefined) return false;
  watchOutput();
  try {
    process.exit(await tryCommand(plain.words, plain.flags, plain.literal));
  } catch (error) {
    fail(error);
  }
  return true;
}
