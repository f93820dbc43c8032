import type { AddressUse } from '../../../src/service/indexer/event-address.ts'

/** Nothing is known of any address, and none is stored. */
export const noAddresses: AddressUse = { locate: () => null, isStored: false }
