import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** Senders that never pause, and the responses they got. */
export interface Load {
  /** uuids of events whose request succeeded with 200. */
  readonly acknowledged: Set<string>
  /** Status to number of responses. */
  readonly statuses: Map<number, number>
  /** Stops after the requests in flight. A refused connection only ends its own request. */
  readonly stop: () => Promise<void>
}

/** Posts single events and gzip batches to a service, as fast as it responds. */
export const startLoad = (url: string, apiKey: string, senderCount = 8, batchSize = 20): Load => {
  const acknowledged = new Set<string>()
  const statuses = new Map<number, number>()
  const stopController = new AbortController()

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
      const response = await fetch(`${url}${isBatch ? '/batch/' : '/i/v0/e/'}`, { method: 'POST', body })
      await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status === 200) for (const { uuid } of events) acknowledged.add(uuid)
    } catch {
      // The service is down. The next request may succeed, or the test stops the load.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const sendLoops = Array.from({ length: senderCount }, async (_, sender) => {
    while (!stopController.signal.aborted) await send(sender % 2 === 0)
  })
  return {
    acknowledged,
    statuses,
    stop: async () => {
      stopController.abort()
      await Promise.all(sendLoops)
    },
  }
}
