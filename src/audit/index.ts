export { appendAll, appendAudit, KEEP, KEEP_UNSENT, type Keep } from "./append.ts";
export { AUDIT_FILE } from "./files.ts";
export { verifyLog, type Flaw, type Verified } from "./verify.ts";
export { auditLine, type Decided } from "./record.ts";
export { redact, redactString, type Redacted } from "./redact.ts";
export { REDACTED } from "./redact-text.ts";
export { Follower } from "./follower.ts";
export { isWanted, lastOf, query, type Found, type Query } from "./query.ts";
export { readRecord, type LogEntry } from "./read.ts";
