export { addQuestionRoutes } from "./routes.ts";
