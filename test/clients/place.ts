/**
 * The machine that a client sees. Each run has one of its own: loopback is its only network, its home is empty,
 * and of the real one only system folders, the client and the built Assent are there (`inside.sh`).
 */
export const HOME = "/home/you";
export const PROJECT = `${HOME}/project`;
/** A folder that is nobody's project. */
export const ELSEWHERE = `${HOME}/elsewhere`;

/** What is bound into that machine. */
export const MOUNTED = {
  /** The installed client's `node_modules`. */
  client: "/mnt/client/node_modules",
  /** The Node.js that clients run on, which may be newer than Assent's. */
  node: "/mnt/node/node_modules",
  /** Assent's Node.js and its build. */
  ownNode: "/mnt/own/node",
  assent: "/mnt/own/assent",
  mcpServer: "/mnt/own/mcp-server.mjs",
  /** Where results go. */
  out: "/mnt/out",
} as const;

/** Programs of the run: the client under its usual name. */
export const BIN = "/mnt/bin";
