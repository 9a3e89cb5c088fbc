export { addKeyRoutes } from "./routes.ts";
