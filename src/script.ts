import type { Options } from './agent/options.ts'
import type { Waymark } from './agent/waymark.ts'
import { init } from './index.ts'

/** A call that the stub recorded before this script arrived: verb, arguments, time (ms since 1970), address of the page. */
type EarlyCall = readonly [verb: string, args: readonly unknown[], at: number, url: string]

/** What the page finds as `window.waymark`: the agent's verbs once it is started, and `init` to start it by hand. */
type Global = Partial<Waymark> & { init: typeof init }

/** Where the stub keeps calls of a page that was left before this script arrived. */
const LEFT_CALLS = 'waymark_q'

const page = globalThis as unknown as { waymark?: { q?: EarlyCall[] } | Global }

/** `data-key`, `data-host` (default: where the script comes from; the page's own origin when it is inline), `data-debug`, and `data-options` with any other option as JSON. */
function start(script: HTMLScriptElement | null): void {
  // Emptied, so that the stub does not keep for the next page what is replayed on this one.
  const early = [...leftCalls(), ...((page.waymark as { q?: EarlyCall[] } | undefined)?.q?.splice(0) ?? [])]
  const api: Global = {
    init(key, options) {
      const agent = init(key, options)
      Object.assign(api, agent)
      for (const call of early.splice(0)) replay(agent, call)
      return agent
    },
  }
  page.waymark = api
  const { key, host, debug, options } = script?.dataset ?? {}
  const byHand = early.findIndex(([verb]) => verb === 'init')
  const { src } = script ?? {}
  const origin = src ? new URL(src).origin : undefined
  if (key) api.init(key, { host: host || origin, debug: debug !== undefined, ...parse(options) })
  else if (byHand >= 0) api.init(...(early.splice(byHand, 1)[0]![1] as Parameters<typeof init>))
}

/** Events keep the time and address at which they happened. */
function replay(agent: Waymark, [verb, args, at, url]: EarlyCall): void {
  const timestamp = new Date(at)
  if (verb === 'capture') agent.capture(args[0] as string, { $current_url: url, ...(args[1] as object) }, { timestamp })
  else if (verb === 'pageview') agent.capture('$pageview', { $current_url: url, ...(args[0] as object) }, { timestamp })
  else (agent as unknown as Record<string, ((...args: unknown[]) => unknown) | undefined>)[verb]?.(...args)
}

function leftCalls(): EarlyCall[] {
  try {
    const calls = JSON.parse(localStorage.getItem(LEFT_CALLS) ?? '[]') as EarlyCall[]
    localStorage.removeItem(LEFT_CALLS)
    return calls.filter(([verb]) => verb !== 'init')
  } catch {
    return []
  }
}

function parse(json: string | undefined): Options {
  try {
    return JSON.parse(json ?? '{}') as Options
  } catch {
    // oxlint-disable-next-line no-console -- a page with a typing error must learn of it, and the agent is not there yet
    console.warn('[waymark] data-options is not JSON and is ignored')
    return {}
  }
}

start(document.currentScript as HTMLScriptElement | null)
