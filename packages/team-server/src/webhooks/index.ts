export { addWebhookRoutes } from "./routes.ts";
export { postDue, type PostingOptions, queuePosts } from "./store.ts";
