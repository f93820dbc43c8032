import { createAgent } from '../../src/agent/agent.ts'
import { parseHost } from '../../src/agent/options.ts'
import type { Options } from '../../src/agent/options.ts'
import { deliverWith } from '../../src/agent/deliver-with.ts'
import { flags, surveys } from '../../src/agent/parts.ts'
import type { Waymark } from '../../src/agent/waymark.ts'
import { lz64Form } from '../../src/codec/lz64.ts'
import { createUuidV7 } from '../../src/codec/uuid.ts'
import { createFetchSend } from '../../src/platform/web/fetch-send.ts'
import { readBody } from '../../src/platform/web/read-body.ts'
import type { Clock } from '../../src/port/clock.ts'
import type { EventStore, StoreEntry } from '../../src/port/event-store.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { Lifecycle } from '../../src/port/lifecycle.ts'
import type { Logger } from '../../src/port/logger.ts'
import { noop } from '../../src/lib/noop.ts'
import type { RandomBytes } from '../../src/port/random.ts'

/** A made-up platform that is no browser and no Node: one app at a time, with a flat memory of strings that outlives it. */
export interface Device {
  readonly memory: Map<string, string>
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly log: (...message: unknown[]) => void
  /** Calls the listener when the app comes to the front. */
  readonly onResume: (listener: () => void) => () => void
}

/** Starts the agent of an app on the device: everything that a new platform has to write. */
export const initDevice = (apiKey: string, options: Options & { readonly host: string }, device: Device): Waymark => {
  const { clock, fetch, log } = device
  const host = parseHost(options.host)
  if (!host) throw new TypeError(`not a host: ${options.host}`)
  let isDebug = !!options.debug
  const logger: Logger = { warn: log, debug: (...message) => isDebug && log(...message) }
  const { verbs, start } = createAgent(apiKey, options, logger, { flags, surveys }, () => ({
    host,
    clock,
    newId: createUuidV7(device.randomBytes),
    random: () => device.randomBytes(1)[0]! / 256,
    automaticProperties: () => AUTOMATIC_PROPERTIES,
    autocapture: () => noop,
    storage: createDeviceKeyValue(device, `${apiKey} value `),
    openStore: async () => createDeviceEventStore(device, `${apiKey} record `),
    send: createFetchSend({ clock, fetch, readBody }),
    loadDelivery: deliverWith({
      // Without a gzip of its own, the platform sends lz64.
      compressor: () => Promise.reject(new Error('no gzip')),
      ...ONE_APP,
    }),
    lz64: lz64Form,
    lifecycle: createDeviceLifecycle(device),
    ...ONE_PAGE,
    setDebug(value) {
      isDebug = value
    },
  }))
  start()
  return verbs
}

const AUTOMATIC_PROPERTIES = { $lib: 'waymark-device', $os: 'Device' }

/** An app has no tabs that share its events. */
const ONE_APP = {
  lock: async (task: () => Promise<unknown>) => {
    await task()
    return true
  },
  channel: { post: noop, onMessage: () => noop },
}

/** Ports for pages, which share their storage with other tabs and end without notice. An app has no beacon. */
const ONE_PAGE = {
  onStorageChange: () => noop,
  windowId: () => undefined,
  beacon: () => false,
}

const createDeviceLifecycle = (device: Device): Lifecycle => ({
  onWake: (listener) => device.onResume(() => listener('visible')),
  onHidden: () => noop,
  onUnload: () => noop,
  isOnline: () => true,
})

const createDeviceKeyValue = ({ memory }: Device, prefix: string): KeyValue => ({
  get: (key) => memory.get(prefix + key) ?? null,
  set: (key, value) => !!memory.set(prefix + key, value),
  remove: (key) => void memory.delete(prefix + key),
})

/** One entry of the memory per record. */
const createDeviceEventStore = ({ memory }: Device, prefix: string): EventStore => {
  const keysIn = (from: string, to: string): string[] =>
    [...memory.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .filter((key) => from <= key && key < to)
      .sort()
  const write = (entries: readonly StoreEntry[]): void => {
    for (const [key, value] of entries) {
      if (value === undefined) memory.delete(prefix + key)
      else memory.set(prefix + key, value)
    }
  }
  return {
    write: async (entries) => write(entries),
    update: async (key, change) => write(change(memory.get(prefix + key))),
    read: async (from, to, limit) =>
      keysIn(from, to)
        .slice(0, limit)
        .map((key) => [key, memory.get(prefix + key)!]),
    keys: async (from, to) => keysIn(from, to),
    close: noop,
  }
}
