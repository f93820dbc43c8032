import type { Options } from '../agent/options.ts'
import type { Waymark } from '../agent/waymark.ts'
import { initBrowser } from './init-browser.ts'
import { attempt } from '../platform/browser/attempt.ts'

/** A call that the stub recorded before this script arrived: verb, arguments, time (ms since 1970), address of the page. */
type EarlyCall = readonly [verb: string, args: readonly unknown[], at: number, url: string]

/** What the page finds as `window.waymark`: the agent's verbs once it is started, and `init` to start it by hand. */
type Global = Partial<Waymark> & { init: typeof initBrowser; q?: EarlyCall[] }

/** Where the stub keeps calls of a page that was left before this script arrived. */
const LEFT_CALLS = 'waymark_q'

/** Which argument holds the properties, of the verbs that record an event; its options come next. */
const PROPERTIES_AT: Readonly<Record<string, number>> = { capture: 1, screen: 1, pageview: 0 }

const page = globalThis as unknown as { waymark?: Global }

/** `data-key`, `data-host` (default: where the script comes from; the page's own origin when it is inline), `data-debug`, and `data-options` with any other option as JSON. */
const start = (script: HTMLScriptElement | null): void => {
  const { key, host, debug, options } = script?.dataset ?? {}
  const api = provide()
  // By hand: the first URL object of a page costs a slow phone milliseconds.
  const origin = script?.src.split('/', 3).join('/')
  if (key) api.init(key, { host: host || origin || undefined, debug: debug !== undefined, ...parse(options) })
  // Nothing new: looks whether the page has called `init` through the stub.
  else page.waymark?.q?.push()
}

/**
 * The global object. A second script tag finds the first one's. The stub stays in its place until `init` was called, through it
 * too, and hands on what is called through it even later.
 */
const provide = (): Global => {
  const found = page.waymark
  const stub = found?.q
  if (!stub && typeof found?.init === 'function') return found

  const early = stub ?? []
  let agent: Waymark | undefined
  const api: Global = {
    init(key, options) {
      const verbs = initBrowser(key, options, {
        onBegin(begun) {
          agent = begun
          early.unshift(...leftCalls())
          replayAll()
        },
      })
      page.waymark = Object.assign(api, verbs)
      return verbs
    },
  }
  const replayAll = (): void => {
    // Taken out, so that the stub does not keep for the next page what is replayed on this one. A page may have put anything there.
    const begun = agent
    if (begun) for (const call of early.splice(0)) attempt(() => replay(begun, call), undefined)
    const byHand = early.findIndex((call) => call?.[0] === 'init')
    if (byHand >= 0) api.init(...(early.splice(byHand, 1)[0]![1] as Parameters<typeof initBrowser>))
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

/** Events keep the time and address at which they happened. */
const replay = (agent: Waymark, [verb, given, at, url]: EarlyCall): void => {
  const args = [...given]
  const index = PROPERTIES_AT[verb]
  if (index !== undefined) {
    const { host, pathname } = new URL(url)
    args[index] = { $current_url: url, $host: host, $pathname: pathname, ...(args[index] as object) }
    args[index + 1] = { timestamp: new Date(at), ...(args[index + 1] as object) }
  }
  ;(agent as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>)[verb]?.(...args)
}

/** What can still be meant: not what started or ended the agent of that page, nor its listeners. */
const leftCalls = (): EarlyCall[] => {
  try {
    const calls = JSON.parse(localStorage.getItem(LEFT_CALLS) ?? '[]') as EarlyCall[]
    localStorage.removeItem(LEFT_CALLS)
    return calls.filter(([verb, args, , url]) => args && url && !/^(init|on|shutdown)/.test(verb))
  } catch {
    return []
  }
}

const parse = (json: string | undefined): Options => {
  try {
    return JSON.parse(json ?? '{}') as Options
  } catch {
    // oxlint-disable-next-line no-console -- a page with a typing error must learn of it, and the agent is not there yet
    console.warn('[waymark] data-options is not JSON and is ignored')
    return {}
  }
}

// A worker imports the script; it has no document.
start((globalThis.document?.currentScript ?? null) as HTMLScriptElement | null)
