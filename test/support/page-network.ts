import { vi } from 'vitest'
import type { WireEvent } from '../../src/wire/event.ts'

/** A fake network that replaces the page's `fetch`, for agents with `disableCompression`. */
export interface PageNetwork {
  /** Requested URLs, oldest first. */
  readonly urls: string[]
  /** Returns the events that were sent, in order. */
  events(): WireEvent[]
}

/** Replaces `fetch` until `vi.unstubAllGlobals()`. */
export const stubPageNetwork = (): PageNetwork => {
  const urls: string[] = []
  const bodies: string[] = []
  vi.stubGlobal('fetch', async (url: string, init: { body: string }) => {
    urls.push(url)
    if (url.includes('/batch/')) bodies.push(init.body)
    return new Response('{"featureFlags":{},"featureFlagPayloads":{}}', { status: 200 })
  })
  return { urls, events: () => bodies.flatMap((body) => (JSON.parse(body) as { batch: WireEvent[] }).batch) }
}
