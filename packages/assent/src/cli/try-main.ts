import { fail, watchOutput } from "./fail.ts";
import { plainTry, tryCommand } from "./try.ts";

/** `assent try`, without the other commands: they would take as long again to load. */
export async function main(): Promise<void> {
  const plain = plainTry(process.argv.slice(3));
  if (plain === undefined) return readWords();
  watchOutput();
  try {
    process.exit(await tryCommand(plain.words, plain.flags, plain.literal));
  } catch (error) {
    fail(error);
  }
}

async function readWords(): Promise<void> {
  const { parse } = await import("./parse.ts");
  const { frame } = await import("./program-frame.ts");
  const { addTryCommand } = await import("./program-run.ts");
  const assent = frame();
  addTryCommand(assent);
  await parse(assent);
}
