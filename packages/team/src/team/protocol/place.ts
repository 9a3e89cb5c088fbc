import type { FoundTeamRecord } from "./operate.ts";

/** Where a record stands among all, in the order in which they came: what a search and an export go on after. */
export const placeOfRecord = ({ received, machine, epoch, seq }: Pick<FoundTeamRecord, "received" | "machine" | "epoch" | "seq">): string =>
  Buffer.from(JSON.stringify([received, machine, epoch, seq])).toString("base64url");
