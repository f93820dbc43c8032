import type { IpOptions } from '../../../src/service/indexer/ip-properties.ts'

/** Nothing is known of any address, and none is stored. */
export const ignoreIps: IpOptions = { locate: () => null, storeAddresses: false }
