import { isForge } from "./git-keys.ts";

/**
 * What forges, registries and the makers of runtimes hand out to everybody: whoever has an account there does not learn what somebody
 * else asks for. Left out are those that fetch from hosts which the path names (proxy.golang.org: go help goproxy) and stores in which
 * anybody has a log of their own (storage.googleapis.com).
 */
const HANDED_OUT =
  " raw.githubusercontent.com gist.githubusercontent.com api.github.com codeload.github.com objects.githubusercontent.com " +
  "release-assets.githubusercontent.com api.bitbucket.org registry.npmjs.org registry.yarnpkg.com pypi.org files.pythonhosted.org " +
  "crates.io index.crates.io static.crates.io static.rust-lang.org rubygems.org index.rubygems.org repo.maven.apache.org " +
  "repo1.maven.org repo.packagist.org packagist.org api.nuget.org hex.pm repo.hex.pm nodejs.org formulae.brew.sh ";

/** A host that anybody may read from without a question, as long as nothing but an address is sent. */
export const isReadByAll = (host: string): boolean => isForge(host) || HANDED_OUT.includes(` ${host} `);

/** Where such a host sends on whoever asks for a file: https://docs.github.com/en/rest/repos/contents, crates.io's downloads. */
const SENDS_ON: Readonly<Record<string, readonly string[]>> = {
  "github.com": [
    "raw.githubusercontent.com",
    "codeload.github.com",
    "objects.githubusercontent.com",
    "release-assets.githubusercontent.com",
  ],
  "api.github.com": ["codeload.github.com", "objects.githubusercontent.com", "release-assets.githubusercontent.com"],
  "crates.io": ["static.crates.io"],
};

/** The host, and those that it sends on to. */
export const readWith = (host: string): readonly string[] => [host, ...(SENDS_ON[host] ?? [])];
