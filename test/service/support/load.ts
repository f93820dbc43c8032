import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** Senders that never wait, and what became of what they sent. */
export interface Load {
  /** uuids whose request was answered with 200. */
  readonly acknowledged: Set<string>
  /** Status to how often it came. */
  readonly statuses: Map<number, number>
  /** Stops after the requests that run; a refused connection only ends that request. */
  readonly stop: () => Promise<void>
}

/** Posts single events and gzip batches to a service, as fast as it answers. */
export const startLoad = (url: string, apiKey: string, senders = 8, batchSize = 20): Load => {
  const acknowledged = new Set<string>()
  const statuses = new Map<number, number>()
  const stopped = new AbortController()

  const send = async (isBatch: boolean): Promise<void> => {
    const events = Array.from({ length: isBatch ? batchSize : 1 }, () => ({
      uuid: randomUUID(),
      event: 'load',
      distinct_id: 'u',
      properties: { text: 'x'.repeat(200) },
    }))
    const body = isBatch
      ? gzipSync(JSON.stringify({ api_key: apiKey, batch: events }))
      : JSON.stringify({ api_key: apiKey, ...events[0] })
    try {
      const answer = await fetch(`${url}${isBatch ? '/batch/' : '/i/v0/e/'}`, { method: 'POST', body })
      await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status === 200) for (const { uuid } of events) acknowledged.add(uuid)
    } catch {
      // The service is gone: the next one may be lucky, or the test stops the load.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const runs = Array.from({ length: senders }, async (_, sender) => {
    while (!stopped.signal.aborted) await send(sender % 2 === 0)
  })
  return {
    acknowledged,
    statuses,
    stop: async () => {
      stopped.abort()
      await Promise.all(runs)
    },
  }
}
