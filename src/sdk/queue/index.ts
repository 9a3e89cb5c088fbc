export { answeredByHost, askQueue, type QueuedRequest, type QueueReply } from "./ask-queue.ts";
export { queueApprover, type QueueApproverOptions } from "./queue-approver.ts";
