/** `assent/langchain`: permissions for agents of langchain 1 (`createAgent`). */
export type { ToolFacts } from "../../engine/index.ts";
export type { AdapterOptions } from "../adapters/judge.ts";
export { permissionMiddleware } from "./middleware.ts";
export type {
  ModelCall,
  PermissionMiddleware,
  ReviewAction,
  ReviewChoice,
  ReviewDecision,
  ReviewRequest,
  ReviewResponse,
  WrappedCall,
} from "./shapes.ts";
