export {
  answerInQueue,
  answeredByHost,
  askQueue,
  checkAnswerRule,
  type QueuedRequest,
  type QueueReply,
  rememberReply,
  requestQuestion,
} from "./ask-queue.ts";
export { queueApprover, type QueueOnAsk, type QueueApproverOptions } from "./queue-approver.ts";
