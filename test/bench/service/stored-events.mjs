import { createDataFolder } from './data-folder.mjs'
import { waitUntilIndexed } from './public-api.mjs'
import { sendRequests } from './send-requests.mjs'
import { createSiteRequests } from './site-load.mjs'

const DAY_MS = 86_400_000

/** The days over which the stored events spread. */
export const STORED_DAYS = 90

/** @type {ReturnType<typeof storeEvents> | undefined} */
let stored

/**
 * A data folder with events as sites send them, of the days before today (UTC), so that events which arrive later are after all of them.
 * The benches of one run share it, because 10 million events take minutes to store. It is removed at the end of the process.
 *
 * @param {number} eventCount
 */
export const openStoredEvents = (eventCount) => (stored ??= storeEvents(eventCount))

const storeEvents = async (eventCount) => {
  const data = await createDataFolder()
  const spreadMs = STORED_DAYS * DAY_MS
  const beforeMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const load = { apiKey: data.apiKey, eventCount, startMs: beforeMs - spreadMs, eventsPerMs: eventCount / spreadMs }
  console.log(`  store ${eventCount} events …`)
  await data.fill(async (service) => {
    await sendRequests(service.url, createSiteRequests(load))
    await waitUntilIndexed(service)
  })
  return {
    load,
    /** Starts a service on a copy, as `createDataFolder` does. */
    start: data.start,
  }
}
