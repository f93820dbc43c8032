import type { Logger } from '../port/logger.ts'
import { createCore } from './core.ts'
import type { Platform } from './core.ts'
import { guarded } from './guarded.ts'
import type { Options } from './options.ts'
import { refusalOf, VERBS } from './verb-table.ts'
import { composeVerbs } from './verbs.ts'
import type { Waymark } from './waymark.ts'

/** An agent and its start. */
export interface Agent {
  readonly verbs: Waymark
  /**
   * Reads what is stored, opens the store, loads the flags and begins autocapture. Every verb does so before its own work, so that the
   * platform may leave it for a task of its own, at the latest when the page goes away. Again: nothing. Never throws.
   */
  begin(): void
  /** The first half of it, which only reads: a task each costs a slow phone less at once. Never throws. */
  prepare(): void
}

/**
 * The agent of one page. Nothing is read, written or listened to before it begins.
 *
 * @param options Kept: `before_send` is looked up in it at each event.
 * @param openPlatform Called once at most, when the agent begins.
 */
export const createAgent = (apiKey: string, options: Options, logger: Logger, openPlatform: () => Platform): Agent => {
  let begun: Waymark | undefined
  let start: (() => void) | undefined
  let isClosed = (): boolean => false

  const prepare = (): void => {
    if (begun) return
    // A start that fails is not tried again at each call.
    begun = {} as Waymark
    try {
      const core = createCore(apiKey, options, logger, openPlatform(), verbs)
      begun = composeVerbs(core)
      ;({ isClosed } = core.pipeline)
      start = () => {
        // What starts by itself calls verbs at once.
        start = undefined
        core.start()
      }
    } catch (error) {
      logger.warn('start failed:', error)
    }
  }

  const verbs = guarded<Waymark>(
    Object.keys(VERBS) as (keyof Waymark)[],
    () => {
      prepare()
      start?.()
      return begun!
    },
    logger.warn,
    (verb, args) => refusalOf(options.personProfiles, verb, args, isClosed()),
  )
  return { verbs, begin: () => void verbs.isOptedOut(), prepare }
}
