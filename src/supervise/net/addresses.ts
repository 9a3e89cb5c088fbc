export { type Address, addressOfBytes, parseAddress, type Reach } from "../../policy/index.ts";
