import type { RowOptions } from '../../../src/service/indexer/read-row.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'

/** Of the only node, which locates no IP address and stores none. */
export const rowOptions: RowOptions = { locate: () => null, storeAddresses: false, nodeId: ONLY_NODE }
