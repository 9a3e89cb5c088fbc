/** `assent/langchain`: permissions for agents of langchain 1 (`createAgent`). */
export type { ToolFacts } from "@assent/guard/engine";
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
