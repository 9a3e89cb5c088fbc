export { addQuestionRoutes } from "./routes.ts";
export { answersFor, TEAM_CHANNEL } from "./store.ts";
