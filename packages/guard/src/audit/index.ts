export { appendAll, appendAudit, KEEP, KEEP_UNSENT, type Keep } from "./append.ts";
export { AUDIT_FILE } from "./files.ts";
export { verifyLog, type Flaw, type VerifiedLog } from "./verify.ts";
export { auditLine, type Decided, givenFields } from "./record.ts";
export { isSecretName } from "./secret-names.ts";
export { redact, redactString, REDACTED, type Redacted, tokensIn } from "./redact-text.ts";
export { NOT_SENT, withoutContents } from "./without-contents.ts";
export { decidedBy, isDecision, isLeftToHost, isQuestion, isRefusal, toldBy } from "./outcome.ts";
export { Follower, readRecord, type LogEntry } from "./read.ts";
export { isWanted, lastOf, query, type FoundRecord, type Query } from "./query.ts";
export {
  entriesFrom,
  glanceAtLog,
  type LogExtent,
  type LogGlance,
  type LogPage,
  type LogPlace,
  type PageLimits,
  type PlacedRecord,
  type LogSegment,
  lineAt,
  logSegments,
  logExtent,
  pageBefore,
  recordsBetween,
} from "./browse.ts";
export { nextBatch as nextLogBatch, type SpoolLine } from "./export/spool.ts";
export type { Position as LogPosition } from "./export/position.ts";
export { endOfLog } from "./files.ts";
export type { LogFilter } from "./filter.ts";
