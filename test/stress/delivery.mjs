import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'

/** Timeout of a response in milliseconds, longer than any process is left stopped. */
const RESPONSE_TIMEOUT_MS = 15_000

/** @typedef {'none' | 'inside' | 'after'} Cut Where the sender closes the connection: within the body or after it. */

/** @typedef {{ status: number, text: string } | null} PostResult The response; null if none arrived, so the result is unknown. */

/** @typedef {{ path: string, headers: Record<string, string>, body: Buffer }} Message */

/** Creates the keep-alive connections of one sender. */
export const createConnections = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return { post: (url, message, cut) => post(agent, url, message, cut), close: () => agent.destroy() }
}

/**
 * Encodes events as a request, in one of the formats that clients use.
 *
 * @param {import('./random.mjs').Random} random
 * @param {string} apiKey
 * @param {readonly any[]} events
 * @param {boolean} isHistorical
 * @returns {Message}
 */
export const createMessage = (random, apiKey, events, isHistorical) => {
  const jsonHeaders = { 'content-type': 'application/json' }
  if (events.length === 1 && !isHistorical && random.chance(0.7)) {
    const path = random.pick(['/i/v0/e/', '/e/', '/capture/'])
    return { path, headers: jsonHeaders, body: Buffer.from(JSON.stringify({ api_key: apiKey, ...events[0] })) }
  }
  if (!isHistorical && random.chance(0.2)) {
    const array = events.map((event) => ({ ...event, api_key: apiKey }))
    return { path: '/e/?compression=gzip-js', headers: { 'content-type': 'text/plain' }, body: gzipJson(array) }
  }
  const batch = {
    api_key: apiKey,
    batch: events,
    sent_at: new Date().toISOString(),
    ...(isHistorical && { historical_migration: true }),
  }
  if (random.chance(0.3)) return { path: '/batch/', headers: jsonHeaders, body: Buffer.from(JSON.stringify(batch)) }
  if (random.chance(0.3)) {
    return { path: '/batch/', headers: { ...jsonHeaders, 'content-encoding': 'gzip' }, body: gzipJson(batch) }
  }
  return { path: '/batch/', headers: { 'content-type': 'text/plain' }, body: gzipJson(batch) }
}

const gzipJson = (value) => gzipSync(JSON.stringify(value), { level: 1 })

/**
 * @param {Agent} agent
 * @param {string} url
 * @param {Message} message
 * @param {{ cut: Cut, cutAfterMs: number }} options
 * @returns {Promise<PostResult>}
 */
const post = (agent, url, { path, headers, body }, { cut, cutAfterMs }) =>
  new Promise((resolve) => {
    const isCut = cut !== 'none'
    const outgoing = request(new URL(path, url), {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      agent: isCut ? false : agent,
      timeout: RESPONSE_TIMEOUT_MS,
    })
    const fail = () => {
      outgoing.destroy()
      resolve(null)
    }
    outgoing.on('error', fail)
    outgoing.on('timeout', fail)
    outgoing.on('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk) => (text += chunk))
      incoming.on('error', fail)
      incoming.on('close', () => (incoming.complete ? resolve({ status: incoming.statusCode ?? 0, text }) : fail()))
    })
    if (cut === 'inside') outgoing.write(body.subarray(0, body.length >> 1), () => setTimeout(fail, cutAfterMs))
    else outgoing.end(body, () => isCut && setTimeout(fail, cutAfterMs))
  })
