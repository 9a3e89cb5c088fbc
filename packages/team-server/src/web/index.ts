export { ANSWER_HEADERS, aboutOf, answerDirectly, beginAnswer, type DirectRoute, readBody, refuseDirectly, sizeOf } from "./direct.ts";
export { BEGUN_COOKIE, COOKIE, ownCookies } from "./cookies.ts";
export { asking, type Cell, frame, type Html, type PersonPage, readStyle, scriptFrame, shown, table, timeText } from "./frame.ts";
export { RateLimit } from "./limits.ts";
export { CODED_SCRIPT } from "./scripts.ts";
export {
  addressOf,
  formBody,
  formField,
  formFields,
  limitedBody,
  limitedForm,
  makeGates,
  readJson,
  refused,
  type RouteOptions,
  smallBody,
  type TellEvent,
  UNKNOWN_MACHINE,
  type WebContext,
  type WebGate,
  type WebGates,
  type WebOptions,
  type WebVariables,
} from "./web.ts";
