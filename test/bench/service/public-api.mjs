import { setTimeout as sleep } from 'node:timers/promises'

/** @import { BenchService } from './data-folder.mjs' */

/** Runs one SELECT through the public endpoint. Rejects with the service's reason. */
export const runQuery = async (/** @type {BenchService} */ { url, personalApiKey }, /** @type {string} */ query) => {
  const response = await fetch(`${url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query }),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.detail)
  return body
}

/** Returns the number of acknowledged events that are not queryable yet. */
export const readBehindEvents = async (/** @type {BenchService} */ { url }) => {
  const { indexer } = await (await fetch(`${url}/healthz`)).json()
  return indexer.behindEvents
}

/**
 * Waits until all acknowledged events are queryable.
 *
 * @param {BenchService} service
 * @param {(behindEvents: number) => void} [onPoll]
 * @param {number} [pollMs]
 */
export const waitUntilIndexed = async (service, onPoll = () => undefined, pollMs = 250) => {
  for (;;) {
    const behindEvents = await readBehindEvents(service)
    onPoll(behindEvents)
    if (behindEvents === 0) return
    await sleep(pollMs)
  }
}
