export {
  answerInQueue,
  askClients,
  askQueue,
  offeredSentence,
  questionRemote,
  type QueuedRequest,
  rememberReply,
  requestQuestion,
  TEAM_PATIENCE_MS,
  whatIsAsked,
} from "./ask-queue.ts";
export { queueApprover, type QueueOnAsk, type QueueApproverOptions } from "./queue-approver.ts";
