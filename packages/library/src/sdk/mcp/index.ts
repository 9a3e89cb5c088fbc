export type { GatewayOptions } from "./gateway/gateway.ts";
export { isLoopback, type ListenOptions } from "./http/entrance.ts";
export { type RemoteOptions } from "./http/upstream.ts";
export { serveGateway, serveHttp, serveRemote, type ServeOptions, type ServerBehind } from "./serve.ts";
export type { ServerConfinement } from "./gateway/server-process.ts";
