import type { Options } from '../agent/options.ts'
import type { CaptureWaymark } from '../agent/waymark.ts'
import type { StartTracing } from '../autocapture/start-tracing.ts'
import type { CreateDelivery } from '../capture/delivery.ts'
import type { Lz64Encoder } from '../capture/encode.ts'
import { createLogger } from '../platform/web/logger.ts'
import type { Describe, LoadDescriber } from '../platform/web/logger.ts'
import { initBrowser } from './init-browser.ts'
import type { BrowserEntry, BrowserOptions } from './browser-entry.ts'
import { readGlobal } from './read-global.ts'
import { readList } from '../capture/read-list.ts'
import { parseUrl } from '../platform/browser/parse-url.ts'
import { createWebStorage } from '../platform/browser/web-storage.ts'
import { noop } from '../lib/noop.ts'
import { tryOr } from '../lib/try-or.ts'
import { parseJson } from '../wire/parse-json.ts'

/** A call that the stub recorded before this script was loaded: verb, arguments, time (ms since 1970), URL of the page. */
type EarlyCall = readonly [verb: string, args: readonly unknown[], time: number, url: string]

/** What one script has and another one has not. */
type ScriptParts = Pick<BrowserEntry, 'flags' | 'surveys' | 'optionNames' | 'loadDelivery'>

/** The type of `window.waymark`: `init` to start the agent by hand, and the agent's verbs after the start. */
type Global = Partial<CaptureWaymark> & {
  init: (key: string, options?: BrowserOptions) => CaptureWaymark
  q?: EarlyCall[]
}

/** The localStorage key under which the stub stores the calls of a page that was left before this script was loaded. */
const STORED_CALLS_KEY = 'waymark_q'

/** Index of the properties among the arguments of the verbs that capture an event; the options follow them. */
const PROPERTIES_INDEX: Readonly<Record<string, number>> = { capture: 1, screen: 1, pageview: 0 }

/** How long a script tag without a key waits for an `init` by hand. */
const MAX_INIT_WAIT_MS = 3_000

const page = globalThis as unknown as { waymark?: Global }

/** The tag of this script. A worker that imports the script has no document; a module has no tag. */
const script = (globalThis.document?.currentScript ?? undefined) as HTMLScriptElement | undefined

/**
 * Loads a chunk that lies beside this script. An import follows the nonce of the tag and needs no Trusted Type, unlike a second tag.
 *
 * @param name Name of the file without the prefix that all have.
 * @param host Has the chunk too, for a script without an address: one that is inline, or runs in a worker. Default: it gets no chunk.
 */
export const importChunk = async (name: string, host?: string): Promise<Chunk> => {
  const base = script?.src.replace(/[^/?]*(\?.*)?$/, '') || (host && `${host}/`)
  return (await import(`${base}waymark-${name}`)) as Chunk
}

/** What the chunks export. */
type Chunk = {
  createDelivery: CreateDelivery
  createDescriber: () => Describe
  startTracing: StartTracing
  lz64Form: Lz64Encoder
}

const loadDescriber: LoadDescriber = () => importChunk('debug.js')

const { advise } = createLogger(loadDescriber)

/** Most pages do not use this option. Requests that begin before the chunk has come carry no headers. */
const tracing: StartTracing = (...args) => {
  const started = importChunk('tracing.js').then(
    (chunk) => chunk.startTracing(...args),
    () => advise('no_tracing'),
  )
  return () => void started.then((stop) => stop?.())
}

let lz64Form: Lz64Encoder | undefined
let lz64Load: Promise<unknown> | undefined

/** Browsers without gzip load it with their first batch. In the others only beacons would have it, and most of those are small. */
const lz64: Lz64Encoder = (json) => {
  if (!globalThis.CompressionStream)
    lz64Load ??= importChunk('lz64.js').then((chunk) => (lz64Form = chunk.lz64Form), noop)
  return lz64Form?.(json)
}

/**
 * Starts an agent with these parts from the script tag: `data-key`, `data-host` (default: the origin of the script, or of the page for an
 * inline script), `data-debug`, and `data-options` with all other options as JSON.
 */
export const startScript = (parts: ScriptParts): void => {
  const { key, host, debug, options } = script?.dataset ?? {}
  const api = provideGlobal(parts)
  // Without `new URL()`, because the first URL object of a page costs a slow phone milliseconds.
  const origin = script?.src.split('/', 3).join('/')
  if (key) api.init(key, { host: host || origin || undefined, debug: debug !== undefined, ...parseOptions(options) })
  else {
    // Pushes nothing; the push replays an `init` that the page has called through the stub.
    ;(readGlobal() as Global | undefined)?.q?.push()
    globalThis.setTimeout(() => api.capture || advise('no_key'), MAX_INIT_WAIT_MS)
  }
}

/**
 * Returns the global object; a second script tag gets that of the first, with the parts of the first. The stub stays in place until `init` is called, also through the
 * stub. Later calls of a saved stub are replayed too.
 */
const provideGlobal = (parts: ScriptParts): Global => {
  const existing = readGlobal() as Global | undefined
  const stub = existing?.q
  if (!stub && existing?.init) return existing

  const earlyCalls = stub ?? []
  let agent: CaptureWaymark | undefined
  let firstKey: string | undefined
  const api: Global = {
    init(key, options) {
      firstKey ??= key
      const verbs = initBrowser(key, options, {
        ...parts,
        lz64,
        loadDescriber,
        tracing,
        onStart(startedAgent) {
          if (key !== firstKey) return
          agent = startedAgent
          earlyCalls.unshift(...takeStoredCalls())
          replayAll()
        },
      })
      // The verbs of the page stay those of its first project.
      page.waymark = key === firstKey ? Object.assign(api, verbs) : api
      return verbs
    },
  }
  const replayAll = (): void => {
    // Removes the calls, so that the stub does not store them for the next page. A page may have queued invalid ones.
    const target = agent
    if (target) for (const call of earlyCalls.splice(0)) tryOr(() => replay(target, call))
    const initIndex = earlyCalls.findIndex((call) => call?.[0] === 'init')
    if (initIndex >= 0) api.init(...(earlyCalls.splice(initIndex, 1)[0]![1] as Parameters<Global['init']>))
  }
  if (stub) {
    stub.push = (...calls) => {
      stub.splice(stub.length, 0, ...calls)
      replayAll()
      return stub.length
    }
  } else page.waymark = api
  return api
}

/** Replays a call; its event keeps the time and URL of the call. */
const replay = (agent: CaptureWaymark, [verb, recordedArgs, time, url]: EarlyCall): void => {
  const args = [...recordedArgs]
  const index = PROPERTIES_INDEX[verb]
  if (index !== undefined) {
    args[index] = { $current_url: url, ...parseUrl(url), ...(args[index] as object) }
    args[index + 1] = { timestamp: new Date(time), ...(args[index + 1] as object) }
  }
  ;(agent as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>)[verb]?.(...args)
}

/** Reads and removes the stored calls, without those that only make sense on their own page: starts, shutdowns and listeners. */
const takeStoredCalls = (): EarlyCall[] => {
  const storage = createWebStorage('localStorage')
  const calls = readList(storage, STORED_CALLS_KEY) as EarlyCall[]
  storage.remove(STORED_CALLS_KEY)
  return tryOr(() => calls.filter(([verb, args, , url]) => args && url && !/^(init|on|shutdown)/.test(verb)), [])
}

const parseOptions = (json = '{}'): Options | undefined => {
  const options = parseJson(json) as Options | undefined
  if (options === undefined) advise('invalid_data_options', json)
  return options
}
