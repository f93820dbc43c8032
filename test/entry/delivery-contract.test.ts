import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DELIVERY_CONTRACT } from '../../src/entry/delivery-contract.ts'
import { contractNames } from '../config/contract-names.mjs'

/** The names of each contract. A change of the last line breaks the pages that have the script in their cache: it needs a new number. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'aborts activeAt after anonymousId apiKey body bytesAfter bytesBefore clock contentType count countEvent createDelivery debug defer deviceId distinctId encoding entry errorsLoading etag events failure failures fetchRetryCount fetchRetryDelay flush flushAt flushInterval forget get groups hasLeft hasProfile headers historicalMigration host id initial isIdentified isOnline isOptedOut isPartial isReliable isSet keepalive key keys keysInFlight lastDelivery lastError lifecycle logger lz64 maxBatchSize maxBytes maxQueueSize maxResponseBytes nextAttempt noStore now onDrop onHidden onSend onStorageChange onUnload onWake plainHost post queue random read recordFailure recordSuccess refresh remainingMs remove requestTimeout resendDelay restore retryAfter retryTime revision schedule send session set size start startedAt stateStore status stop storage store superProperties supportedCompression timeoutMs told unacknowledged unload url wake warn whenOpen whenWriting whenWritten',
}

it('the script and the chunk of its delivery use the names of their contract, and no other', () => {
  expect(contractNames('src/entry/delivery-chunk.ts').join(' ')).toBe(NAMES[DELIVERY_CONTRACT])
})

it('the build has a chunk of this contract', () => {
  expect(existsSync(`dist/waymark-delivery-${DELIVERY_CONTRACT}.js`)).toBe(true)
})
