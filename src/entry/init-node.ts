import { createNodeAgent } from '../agent/node/agent.ts'
import type { NodeAgentPlatform } from '../agent/node/agent.ts'
import { idleAgent } from '../agent/node/idle-agent.ts'
import { hostOf } from '../agent/options.ts'
import { resolveNodeOptions } from '../agent/node/options.ts'
import type { NodeAgentOptions, NodeAgentSettings } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import { isText } from '../capture/is-text.ts'
import { createLogger } from '../platform/browser/logger.ts'
import type { Logger } from '../port/logger.ts'
import type { RequestContexts } from '../port/request-context.ts'

/** What an entry finds on its platform. */
type Found = Omit<NodeAgentPlatform, 'logger' | 'contexts' | 'host' | 'setDebug'>

/**
 * Starts the agent of a server process, as `init()` of every entry for servers promises it.
 *
 * @param openPlatform Called once at most; not at all when the agent is to do nothing.
 */
export const initNode = (
  apiKey: string,
  options: NodeAgentOptions,
  contexts: RequestContexts,
  openPlatform: (settings: NodeAgentSettings, host: string, logger: Logger) => Found,
): Waymark => {
  let isDebug = false
  const logger = createLogger(() => isDebug)
  const setDebug = (on: boolean): void => {
    isDebug = on
  }
  try {
    setDebug(!!options.debug)
    if (options.disabled) return idleAgent(contexts)
    const host = hostOf(options.host)
    if (!isText(apiKey) || !host || !/^https?:/i.test(host)) {
      logger.warn('init() needs a project API key, and a host such as https://example.com; nothing will be captured')
      return idleAgent(contexts)
    }
    const settings = resolveNodeOptions(options, logger.warn)
    const platform = { ...openPlatform(settings, host, logger), host, contexts, logger, setDebug }
    return createNodeAgent(apiKey, options, settings, platform)
  } catch (error) {
    logger.warn('init() failed:', error)
    return idleAgent(contexts)
  }
}
