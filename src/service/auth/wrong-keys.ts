import { toNetwork } from './ip-network.ts'
import { createRateLimiter } from './rate-limiter.ts'
import type { ShareCounts } from './share-counts.ts'

const MINUTE_MS = 60_000

/** Counts a wrong key that an IP address sent. Throws `HttpError` (429) when it, or its IPv6 network, has sent too many. */
export type CountWrongKey = (ip: string, now: number) => void

/** Creates the count of wrong keys, personal ones and those of projects together. */
export const createWrongKeyCounter = (maxWrongKeysPerMinute: number, shareCounts?: ShareCounts): CountWrongKey => {
  const count = createRateLimiter<string>({
    maxRequests: maxWrongKeysPerMinute,
    windowMs: MINUTE_MS,
    subject: 'This IP address or its network sent',
    noun: 'wrong API keys',
    shared: shareCounts?.('wrong keys of a network'),
  })
  return (ip, now) => count(toNetwork(ip), now)
}
