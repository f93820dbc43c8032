import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'

/** How long an answer may take: longer than a stopped process is left stopped. */
const ANSWER_MS = 15_000

/** @typedef {'none' | 'inside' | 'after'} Cut Where the sender cuts the connection: inside the body, or after it. */

/** @typedef {{ status: number, text: string } | null} Answer Null: none came, nobody knows what became of the request. */

/** @typedef {{ path: string, headers: Record<string, string>, body: Buffer }} Message */

/** Connections that stay open, for one sender. */
export const createConnections = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return { post: (url, message, how) => post(agent, url, message, how), close: () => agent.destroy() }
}

/**
 * Events as a request, in one of the forms that clients use.
 *
 * @param {import('./random.mjs').Random} random
 * @param {string} apiKey
 * @param {readonly any[]} events
 * @param {boolean} isHistorical
 * @returns {Message}
 */
export const messageOf = (random, apiKey, events, isHistorical) => {
  const plain = { 'content-type': 'application/json' }
  if (events.length === 1 && !isHistorical && random.chance(0.7)) {
    const path = random.pick(['/i/v0/e/', '/e/', '/capture/'])
    return { path, headers: plain, body: Buffer.from(JSON.stringify({ api_key: apiKey, ...events[0] })) }
  }
  if (!isHistorical && random.chance(0.2)) {
    const array = events.map((event) => ({ ...event, api_key: apiKey }))
    return { path: '/e/?compression=gzip-js', headers: { 'content-type': 'text/plain' }, body: gzipped(array) }
  }
  const batch = {
    api_key: apiKey,
    batch: events,
    sent_at: new Date().toISOString(),
    ...(isHistorical && { historical_migration: true }),
  }
  if (random.chance(0.3)) return { path: '/batch/', headers: plain, body: Buffer.from(JSON.stringify(batch)) }
  if (random.chance(0.3)) {
    return { path: '/batch/', headers: { ...plain, 'content-encoding': 'gzip' }, body: gzipped(batch) }
  }
  return { path: '/batch/', headers: { 'content-type': 'text/plain' }, body: gzipped(batch) }
}

const gzipped = (value) => gzipSync(JSON.stringify(value), { level: 1 })

/**
 * @param {Agent} agent
 * @param {string} url
 * @param {Message} message
 * @param {{ cut: Cut, cutAfterMs: number }} how
 * @returns {Promise<Answer>}
 */
const post = (agent, url, { path, headers, body }, { cut, cutAfterMs }) =>
  new Promise((resolve) => {
    const isCut = cut !== 'none'
    const outgoing = request(new URL(path, url), {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      agent: isCut ? false : agent,
      timeout: ANSWER_MS,
    })
    const lose = () => {
      outgoing.destroy()
      resolve(null)
    }
    outgoing.on('error', lose)
    outgoing.on('timeout', lose)
    outgoing.on('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk) => (text += chunk))
      incoming.on('error', lose)
      incoming.on('close', () => (incoming.complete ? resolve({ status: incoming.statusCode ?? 0, text }) : lose()))
    })
    if (cut === 'inside') outgoing.write(body.subarray(0, body.length >> 1), () => setTimeout(lose, cutAfterMs))
    else outgoing.end(body, () => isCut && setTimeout(lose, cutAfterMs))
  })
