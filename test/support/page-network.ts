import { vi } from 'vitest'
import type { WireEvent } from '../../src/wire/event.ts'

/** The network of a page, in place of its `fetch`, for agents with `disableCompression`. */
export interface PageNetwork {
  /** Addresses asked, oldest first. */
  readonly urls: string[]
  /** Events that have arrived, in order. */
  events(): WireEvent[]
}

/** Stubs `fetch` until `vi.unstubAllGlobals()`. */
export const pageNetwork = (): PageNetwork => {
  const urls: string[] = []
  const bodies: string[] = []
  vi.stubGlobal('fetch', async (url: string, init: { body: string }) => {
    urls.push(url)
    if (url.includes('/batch/')) bodies.push(init.body)
    return new Response('{"featureFlags":{},"featureFlagPayloads":{}}', { status: 200 })
  })
  return { urls, events: () => bodies.flatMap((body) => (JSON.parse(body) as { batch: WireEvent[] }).batch) }
}
