export { greetsBack, readBashPlace } from "./bash-wire.ts";
export { loopbackPlace, readLife, type ResidentLife, residentPlace } from "./life.ts";
export { LoopbackWay } from "./loopback.ts";
export { isInTime, serve } from "./serve.ts";
export { SocketWay } from "./socket.ts";
export type { ResidentAnswer, ResidentCall } from "./wire.ts";
export type { Way } from "./way.ts";
