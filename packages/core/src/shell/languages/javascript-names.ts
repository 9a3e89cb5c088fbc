const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Global functions and values that are harmless wherever they end up. */
export const VALUES = words(`
  undefined NaN Infinity Number String Boolean BigInt parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI
  decodeURI escape unescape Map Set WeakMap WeakSet atob btoa structuredClone`);

/**
 * Globals that may only be used by a listed member (`Object.keys`), called or constructed: through the object itself
 * code could reach `Function`, other objects' insides or the whole process.
 */
export const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  console: words("log error warn info debug table dir assert group groupEnd time timeEnd timeLog count trace"),
  JSON: words("parse stringify"),
  Math: words(
    `PI E LN2 LN10 LOG2E LOG10E SQRT2 SQRT1_2 abs ceil floor round trunc sign max min sqrt cbrt pow exp expm1 log log2 log10 log1p sin cos tan
    asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot random fround imul clz32`,
  ),
  Object: words("keys values entries fromEntries assign freeze is hasOwn groupBy"),
  Array: words("from isArray of"),
  Date: words("now parse UTC"),
  RegExp: words(""),
  Error: words(""),
  TypeError: words(""),
  RangeError: words(""),
  SyntaxError: words(""),
  URL: words("canParse parse"),
  URLSearchParams: words(""),
  Buffer: words("from byteLength concat alloc isBuffer"),
  TextEncoder: words(""),
  TextDecoder: words(""),
  performance: words("now"),
  Intl: words("NumberFormat DateTimeFormat Collator PluralRules RelativeTimeFormat ListFormat Segmenter"),
  process: words(
    `version versions platform arch argv argv0 execPath execArgv pid ppid title release cwd exit uptime hrtime memoryUsage nextTick
    exitCode env stdin stdout stderr`,
  ),
  "process.stdin": words("on once setEncoding resume isTTY"),
  "process.stdout": words("write columns rows isTTY"),
  "process.stderr": words("write columns rows isTTY"),
  path: words("join resolve basename dirname extname relative normalize isAbsolute parse format sep delimiter"),
  os: words(
    "platform arch cpus totalmem freemem homedir hostname tmpdir EOL release type uptime loadavg version machine endianness availableParallelism",
  ),
  util: words("inspect format isDeepStrictEqual stripVTControlCharacters"),
  crypto: words("randomUUID randomBytes randomInt createHash getHashes"),
  url: words("fileURLToPath pathToFileURL URL URLSearchParams"),
  querystring: words("parse stringify escape unescape"),
  fs: words("readFileSync existsSync readdirSync statSync lstatSync writeFileSync appendFileSync"),
};

/** Modules of Node.js that `require` and the global names of `node -e` lead to. */
export const MODULES = words("path os util crypto url querystring fs");

/** Their names may also be variables: nothing in these modules does anything. */
export const HARMLESS_MODULES = words("path url querystring");

/** Called without `new` or with it: makes a plain value. */
export const CONSTRUCTORS = words(
  "Number String Boolean BigInt Map Set WeakMap WeakSet Object Array Date RegExp Error TypeError RangeError SyntaxError " +
    "URL URLSearchParams TextEncoder TextDecoder Intl.NumberFormat Intl.DateTimeFormat Intl.Collator Intl.PluralRules " +
    "Intl.RelativeTimeFormat Intl.ListFormat Intl.Segmenter url.URL url.URLSearchParams",
);

/** Methods that are harmless on every value that code of this subset can get hold of. */
export const METHODS = words(`
  map filter forEach reduce reduceRight some every find findIndex findLast findLastIndex indexOf lastIndexOf includes join concat slice
  splice push pop shift unshift sort reverse flat flatMap fill at keys values entries toSorted toReversed toSpliced with copyWithin
  toString toLocaleString valueOf toFixed toPrecision toExponential
  split trim trimStart trimEnd padStart padEnd startsWith endsWith toUpperCase toLowerCase charAt charCodeAt codePointAt substring substr
  repeat replace replaceAll match matchAll search localeCompare normalize test exec isWellFormed
  get set has add delete clear size hasOwnProperty
  getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds getMilliseconds getTimezoneOffset getUTCFullYear getUTCMonth
  getUTCDate getUTCDay getUTCHours getUTCMinutes getUTCSeconds setDate setMonth setFullYear setHours setMinutes setSeconds setTime
  toISOString toJSON toDateString toTimeString toLocaleDateString toLocaleTimeString toUTCString
  update digest format formatToParts getAll append encode decode isFile isDirectory subarray equals readUInt8 next
  fromCharCode fromCodePoint isInteger isSafeInteger isFinite isNaN parseInt parseFloat`);

/** Properties through which every value leads to code or to another object's insides. */
export function forbiddenProperty(name: string): boolean {
  return (
    /^(constructor|prototype|caller|callee|arguments|call|apply|bind|mainModule|binding|dlopen|getPrototypeOf|stack)$/.test(name) ||
    /^_(?!id$|source$)/.test(name)
  );
}

/** Names that mean something reaching to Node.js: giving them another meaning somewhere does not take it away elsewhere. */
export const TAKEN = words(`
  eval Function globalThis global require module exports Reflect Proxy Symbol WebAssembly fetch WebSocket EventSource Worker Promise Atomics
  SharedArrayBuffer ArrayBuffer DataView Iterator AsyncIterator GeneratorFunction FinalizationRegistry WeakRef navigator Navigator Storage
  localStorage sessionStorage BroadcastChannel MessageChannel MessagePort MessageEvent Event EventTarget CustomEvent CloseEvent AbortController
  AbortSignal Blob File FormData Headers Request Response ReadableStream WritableStream TransformStream CompressionStream DecompressionStream
  Crypto CryptoKey SubtleCrypto Performance DOMException AggregateError EvalError ReferenceError URIError SuppressedError DisposableStack
  AsyncDisposableStack gc constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf arguments
  __dirname __filename async_hooks child_process cluster dgram diagnostics_channel dns domain http http2 https inspector net perf_hooks
  readline repl sea sqlite stream test timers tls trace_events tty v8 vm wasi worker_threads zlib sys process
  setTimeout setInterval setImmediate queueMicrotask`);
