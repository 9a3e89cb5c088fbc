export { chooseProxy, proxyHost, type ProxyChoice } from "./choose.ts";
export { connectThrough, ProxyProblem } from "./tunnel.ts";
