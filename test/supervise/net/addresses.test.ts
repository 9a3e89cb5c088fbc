import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressOfBytes, parseAddress, type Reach } from "@assent/core/policy";

const ROWS: readonly (readonly [written: string, host: string, reach: Reach])[] = [
  ["1.1.1.1", "1.1.1.1", "public"],
  ["0.0.0.0", "0.0.0.0", "loopback"],
  ["0.1.2.3", "0.1.2.3", "reserved"],
  ["127.0.0.1", "127.0.0.1", "loopback"],
  ["127.255.255.254", "127.255.255.254", "loopback"],
  ["10.0.0.1", "10.0.0.1", "private"],
  ["172.15.0.1", "172.15.0.1", "public"],
  ["172.16.0.1", "172.16.0.1", "private"],
  ["172.31.255.255", "172.31.255.255", "private"],
  ["172.32.0.1", "172.32.0.1", "public"],
  ["192.168.1.1", "192.168.1.1", "private"],
  ["100.64.0.1", "100.64.0.1", "private"],
  ["100.128.0.1", "100.128.0.1", "public"],
  ["169.254.1.1", "169.254.1.1", "link-local"],
  ["169.254.169.254", "169.254.169.254", "metadata"],
  ["169.254.170.2", "169.254.170.2", "metadata"],
  ["100.100.100.200", "100.100.100.200", "metadata"],
  ["168.63.129.16", "168.63.129.16", "metadata"],
  ["224.0.0.251", "224.0.0.251", "many"],
  ["255.255.255.255", "255.255.255.255", "many"],
  ["240.0.0.1", "240.0.0.1", "reserved"],
  ["::", "[::]", "loopback"],
  ["::1", "[::1]", "loopback"],
  ["2606:4700:4700::1111", "[2606:4700:4700::1111]", "public"],
  ["2001:DB8:0:0:1:0:0:1", "[2001:db8::1:0:0:1]", "public"],
  ["fe80::1%eth0", "[fe80::1]", "link-local"],
  ["fec0::1", "[fec0::1]", "private"],
  ["fd12:3456::1", "[fd12:3456::1]", "private"],
  ["fd00:ec2::254", "[fd00:ec2::254]", "metadata"],
  ["fd20:ce::254", "[fd20:ce::254]", "metadata"],
  ["ff02::fb", "[ff02::fb]", "many"],
  ["2001::1", "[2001::1]", "reserved"], // Teredo
  // Wrapped: what it reaches counts.
  ["::ffff:127.0.0.1", "127.0.0.1", "loopback"],
  ["::ffff:0.0.0.0", "0.0.0.0", "loopback"],
  ["::ffff:a9fe:a9fe", "169.254.169.254", "metadata"],
  ["::ffff:8.8.8.8", "8.8.8.8", "public"],
  ["::10.0.0.1", "10.0.0.1", "private"],
  ["64:ff9b::10.0.0.1", "10.0.0.1", "private"],
  ["64:ff9b:1::169.254.169.254", "169.254.169.254", "metadata"],
  ["2002:c0a8:0101::1", "192.168.1.1", "private"],
  ["2002:0808:0808::", "8.8.8.8", "public"],
  ["::ffff:0:127.0.0.1", "127.0.0.1", "loopback"],
];

describe("what an address reaches", () => {
  it.each(ROWS)("%s", (written, host, reach) => {
    const bytes = parseAddress(written);
    expect(bytes).toBeDefined();
    expect(addressOfBytes(bytes ?? new Uint8Array())).toMatchObject({ host, reach });
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.256",
    "01.2.3.4",
    "0x7f.0.0.1",
    "1.2.3.4.5",
    ":::",
    "1::2::3",
    "::12345",
    "1:2:3:4:5:6:7",
    "::1.2.3",
    "::1.2.3.4:5",
  ])("%j is not an address", (text) => expect(parseAddress(text)).toBeUndefined());

  it("writes addresses as URLs do, and reads them back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const address = addressOfBytes(bytes);
        if (address.embedded !== undefined) return;
        expect(new URL(`http://${address.host}/`).hostname).toBe(address.host);
        expect(parseAddress(address.host)).toEqual(bytes);
      }),
    );
  });
});
