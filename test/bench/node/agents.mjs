import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A common interface for all packages, with default settings except for the host. `toArgument` converts an event into the argument of the
 * capture call, so that only that call is measured. `reported` counts the events that the package has reported as lost.
 *
 * @typedef {{
 *   toArgument: (event: ReturnType<typeof import('./event.mjs').createEvent>) => object
 *   capture: (argument: object) => void
 *   flush: () => Promise<unknown>
 *   shutdown: () => Promise<unknown>
 *   reported: () => number
 * }} Agent
 */

/**
 * @param {{ kind: string, entry: { from: string, specifier: string } }} packageInfo
 * @param {{ host: string, persistenceDir?: string }} options
 * @returns {Promise<Agent>}
 */
export const startAgent = async ({ kind, entry }, options) => {
  const path = createRequire(join(entry.from, 'program.js')).resolve(entry.specifier)
  return START[kind](await import(pathToFileURL(path).href), options)
}

const startWaymark = ({ init }, { host, persistenceDir }) => {
  let reported = 0
  const waymark = init('bench', { host, persistenceDir, onDrop: () => reported++ })
  return {
    toArgument: (event) => event,
    capture: (event) => waymark.capture(event),
    flush: () => waymark.flush(),
    shutdown: () => waymark.shutdown(),
    reported: () => reported,
  }
}

/** posthog-node reports no lost events: `error` reports failed requests, and a full queue is only written to its debug log. */
const startPosthog = ({ PostHog }, { host }) => {
  const client = new PostHog('bench', { host })
  client.on('error', () => undefined)
  return {
    toArgument: (event) => event,
    capture: (event) => client.capture(event),
    flush: () => client.flush(),
    shutdown: () => client.shutdown(),
    reported: () => 0,
  }
}

const startSegment = ({ Analytics }, { host }) => {
  const analytics = new Analytics({ writeKey: 'bench', host })
  let reported = 0
  analytics.on('error', ({ code }) => {
    if (code === 'delivery_failure') reported++
  })
  return {
    toArgument: ({ distinctId, event, properties }) => ({ userId: distinctId, event, properties }),
    capture: (track) => analytics.track(track),
    flush: () => analytics.flush(),
    shutdown: () => analytics.closeAndFlush(),
    reported: () => reported,
  }
}

const START = { waymark: startWaymark, posthog: startPosthog, segment: startSegment }
