export type { GatewayOptions } from "./gateway/gateway.ts";
export { isLoopback, type ListenOptions, type RemoteOptions } from "./http/index.ts";
export { serveGateway, serveHttp, serveRemote, type ServeOptions, type ServerBehind } from "./serve.ts";
export type { ServerConfinement } from "./gateway/server-process.ts";
