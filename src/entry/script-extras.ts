import type { Waymark } from '../agent/waymark.ts'
import { tryOr } from '../lib/try-or.ts'
import { parseJson } from '../wire/parse-json.ts'
import { withExtras } from './extras.ts'
import type { BrowserOptions } from './browser-entry.ts'
import { readGlobal } from './read-global.ts'
import { getRunningAgents } from './running-agents.ts'

/** `window.waymark`: the agent's script, or the stub with its queue. */
type Global = Partial<Waymark> & {
  init?: (key: string, options?: BrowserOptions) => Waymark | undefined
  readonly q?: unknown[]
}

const page = globalThis as unknown as { readonly waymark?: Global }

const warn = (message: string): void => {
  // oxlint-disable-next-line no-console -- there is no agent yet
  tryOr(() => globalThis.console.warn('[waymark]', message))
}

/**
 * The extras for script tags: a second tag, after that of the agent, which starts the agent in its place. It has the attributes of the
 * agent's tag, which has none then. A chunk that the agent itself loads would come after the first events, and these would have no masks. If
 * this script does not come, nothing is captured.
 */
const start = (): void => {
  const script = document.currentScript as HTMLScriptElement | null
  const { key, host, debug, options } = script?.dataset ?? {}
  const waymark = readGlobal() as Global | undefined
  // The script has replaced the `push` of a stub.
  const isLoaded = waymark?.q ? waymark.q.push !== Array.prototype.push : waymark?.init
  if (!waymark || !isLoaded) return warn('waymark-extras.js needs the script tag of waymark.js before it')
  const { init: initAgent } = waymark
  const init = withExtras<BrowserOptions>(
    // The stub, which the script replaces in this call, returns nothing.
    (key, options) => (initAgent!(key, options) ?? getRunningAgents().get(key)?.[0] ?? page.waymark) as Waymark,
  )
  const startAgent = (...args: Parameters<typeof init>): Waymark => {
    const agent = init(...args)
    // The verbs of the page stay those of its first project.
    if (page.waymark?.capture === agent.capture) Object.assign(page.waymark, agent)
    return agent
  }
  if (!key) {
    // The page starts the agent by hand.
    waymark.init = startAgent
    return undefined
  }
  const parsedOptions = parseJson(options ?? '{}') as BrowserOptions | undefined
  // They may have been meant to hide something.
  if (!parsedOptions) return warn(`nothing is captured: data-options is not JSON: ${options}`)
  const origin = script?.src.split('/', 3).join('/')
  startAgent(key, { host: host || origin || undefined, debug: debug !== undefined, ...parsedOptions })
  return undefined
}

start()
