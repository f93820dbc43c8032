import { createNodeAgent } from '../agent/node/agent.ts'
import type { NodeAgentPlatform } from '../agent/node/agent.ts'
import { createIdleAgent } from '../agent/node/idle-agent.ts'
import { parseHost } from '../agent/options.ts'
import { NODE_OPTION_NAMES, resolveNodeOptions } from '../agent/node/options.ts'
import type { NodeAgentOptions, NodeAgentSettings } from '../agent/node/options.ts'
import type { Waymark } from '../agent/node/waymark.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { createLogger } from '../platform/web/logger.ts'
import type { Logger } from '../port/logger.ts'
import { loadDescriber } from './load-describer.ts'
import type { RequestContexts } from '../port/request-context.ts'

/** The ports that an entry supplies. */
type EntryPlatform = Omit<NodeAgentPlatform, 'logger' | 'contexts' | 'host' | 'setDebug'>

/**
 * Starts an agent: the common part of `init()` in `waymark/node` and `waymark/edge`.
 *
 * @param optionNames Further options that the entry reads.
 * @param openPlatform Not called if the agent is disabled or lacks a key or host.
 */
export const initNode = (
  apiKey: string,
  options: NodeAgentOptions,
  contexts: RequestContexts,
  optionNames: readonly string[],
  openPlatform: (settings: NodeAgentSettings, host: string, logger: Logger) => EntryPlatform,
): Waymark => {
  const logger = createLogger(loadDescriber)
  try {
    logger.setDebug(!!options.debug)
    if (options.disabled) {
      logger.debug('stopped', 'disabled')
      return createIdleAgent(contexts, 'disabled')
    }
    const host = parseHost(options.host)
    if (!isNonBlankString(apiKey) || !host || !/^https?:/i.test(host)) {
      logger.warn('init() needs a project API key, and a host such as https://example.com; nothing will be captured')
      return createIdleAgent(contexts, 'no_key_or_host')
    }
    const names = [...NODE_OPTION_NAMES, ...optionNames]
    for (const name of Object.keys(options)) if (!names.includes(name)) logger.advise('unknown_option', name, names)
    const settings = resolveNodeOptions(options, logger.warn)
    const platform = { ...openPlatform(settings, host, logger), host, contexts, logger, setDebug: logger.setDebug }
    return createNodeAgent(apiKey, options, settings, platform)
  } catch (error) {
    logger.warn('init() failed:', error)
    return createIdleAgent(contexts, 'init_failed')
  }
}
