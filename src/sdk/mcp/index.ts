export { Gateway, type GatewayOptions, type Ways } from "./gateway.ts";
export { serveGateway, type ServeOptions } from "./serve.ts";
