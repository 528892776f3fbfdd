/** The version of the Temporal server to download or build. A new version requires the checksums of its release archives. */
export const version = '1.5.1';

/**
 * The driver that a server built here has instead of its own, v1.34.1, which does not end a query that is given up after its first row. Every
 * later query then fails with "interrupted (9)". `src/embedded/temporal.ts` restarts a downloaded server that fails so.
 */
export const sqliteVersion = '1.44.3';

/** SHA-256 of `temporal_cli_<version>_<platform>.tar.gz`, by Temporal's platform names. */
const checksums = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};

/** Undefined for platforms without a checksum: unverified archives are not downloaded. */
export function findArchive(platform = process.platform, arch = process.arch) {
  const name = `${platform}_${arch === 'x64' ? 'amd64' : arch}`;
  const sha256 = checksums[name];
  if (sha256 === undefined) return undefined;
  return { sha256, url: `https://github.com/temporalio/cli/releases/download/v${version}/temporal_cli_${version}_${name}.tar.gz` };
}
