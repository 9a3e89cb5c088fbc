export { addQuestionRoutes } from "./routes.ts";
export { answersFor } from "./store.ts";
