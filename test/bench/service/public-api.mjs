import { setTimeout as sleep } from 'node:timers/promises'

/** @import { BenchService } from './data-folder.mjs' */

/** Runs one SELECT through the public endpoint. Rejects with the service's reason. */
export const runQuery = (/** @type {BenchService} */ service, /** @type {string} */ query) => ask(service, { query })

/**
 * Computes the answer to a question of an insight through the public endpoint, even if one is cached. Rejects with the service's reason.
 *
 * @param {BenchService} service
 * @param {object} query With its `kind`.
 */
export const askInsight = async (service, query) => {
  const answer = await ask(service, { query, refresh: 'force_blocking' })
  if (answer.is_cached) throw new Error('The answer came from the cache.')
  return answer
}

const ask = async ({ url, personalApiKey }, body) => {
  const response = await fetch(`${url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.detail)
  return answer
}

/** Returns the number of acknowledged events that are not queryable yet. */
export const readBehindEvents = async (/** @type {BenchService} */ { url }) => {
  const { indexer } = await (await fetch(`${url}/healthz`)).json()
  return indexer.behindEvents
}

/** The same for all nodes of a service. */
export const readBehindEventsOf = async (/** @type {readonly BenchService[]} */ nodes) =>
  (await Promise.all(nodes.map(readBehindEvents))).reduce((sum, behindEvents) => sum + behindEvents, 0)

/**
 * Waits until all acknowledged events are queryable.
 *
 * @param {BenchService | readonly BenchService[]} service Or its nodes.
 * @param {(behindEvents: number) => void} [onPoll]
 * @param {number} [pollMs]
 */
export const waitUntilIndexed = async (service, onPoll = () => undefined, pollMs = 250) => {
  for (;;) {
    const behindEvents = await readBehindEventsOf([service].flat())
    onPoll(behindEvents)
    if (behindEvents === 0) return
    await sleep(pollMs)
  }
}
