import type { IpOptions } from '../../../src/service/indexer/ip-properties.ts'

/** Locates no IP address and stores none. */
export const ignoreIps: IpOptions = { locate: () => null, storeAddresses: false }
