export { appendAudit, AUDIT_FILE } from "./append.ts";
export { auditLine, type Decided } from "./record.ts";
export { redact, redactString, type Redacted } from "./redact.ts";
export { readLog, type LogEntry } from "./read.ts";
