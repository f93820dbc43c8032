import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * One way to call each package. Settings are its defaults, but for the host. `argument` makes of an event what its capture call takes, so that
 * nothing but that call is measured. `reported` counts the events of which the package has told the program that they are lost.
 *
 * @typedef {{
 *   argument: (event: ReturnType<typeof import('./event.mjs').eventOf>) => object
 *   capture: (argument: object) => void
 *   flush: () => Promise<unknown>
 *   shutdown: () => Promise<unknown>
 *   reported: () => number
 * }} Agent
 */

/**
 * @param {{ kind: string, entry: { from: string, specifier: string } }} found
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
    argument: (event) => event,
    capture: (event) => waymark.capture(event),
    flush: () => waymark.flush(),
    shutdown: () => waymark.shutdown(),
    reported: () => reported,
  }
}

/** Says of no single event that it is lost: `error` tells that a request has failed, and the full queue is told to its debug log alone. */
const startPosthog = ({ PostHog }, { host }) => {
  const client = new PostHog('bench', { host })
  client.on('error', () => undefined)
  return {
    argument: (event) => event,
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
    argument: ({ distinctId, event, properties }) => ({ userId: distinctId, event, properties }),
    capture: (track) => analytics.track(track),
    flush: () => analytics.flush(),
    shutdown: () => analytics.closeAndFlush(),
    reported: () => reported,
  }
}

const START = { waymark: startWaymark, posthog: startPosthog, segment: startSegment }
