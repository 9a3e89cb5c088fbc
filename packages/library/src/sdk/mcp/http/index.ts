export { isLoopback, type ListenOptions } from "./entrance.ts";
export { listen, type Listening } from "./listen.ts";
export { Proxy } from "./proxy.ts";
export { Remote } from "./remote.ts";
export { sessionsOf } from "./sessions.ts";
export type { RemoteOptions } from "./upstream.ts";
