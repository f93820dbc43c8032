import { setTimeout as pause } from 'node:timers/promises'

/** Time between two requests of a bystander, in milliseconds. */
const INTERVAL_MS = 20

/**
 * A client that evaluates flags and sends events while members query, one request after the other, and measures how long each takes.
 *
 * @param {{ url: string, apiKey: string }} service
 */
export const startBystander = ({ url, apiKey }) => {
  const ending = new AbortController()
  /** @type {Record<'decide' | 'acknowledgement', number[]>} */
  const durationsMs = { decide: [], acknowledgement: [] }
  /** @type {string[]} */
  const problems = []

  const request = async (kind, path, body) => {
    const startedAt = performance.now()
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    await response.text()
    durationsMs[kind].push(performance.now() - startedAt)
    if (response.status !== 200) problems.push(`${path} was answered with ${response.status}`)
  }

  const run = async () => {
    while (!ending.signal.aborted) {
      await request('decide', '/decide/?v=3', { api_key: apiKey, distinct_id: 'bystander' })
      await request('acknowledgement', '/i/v0/e/', { api_key: apiKey, event: 'seen', distinct_id: 'bystander' })
      await pause(INTERVAL_MS)
    }
  }
  const running = run()

  return {
    /** Ends the client; resolves to what it measured. */
    async stop() {
      ending.abort()
      await running
      return {
        problems,
        sentEvents: durationsMs.acknowledgement.length,
        decide: summarize(durationsMs.decide),
        acknowledgement: summarize(durationsMs.acknowledgement),
      }
    },
  }
}

const summarize = (durationsMs) => {
  const sorted = durationsMs.toSorted((a, b) => a - b)
  const at = (share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}
