import type { Logger } from '../port/logger.ts'
import type { Core, Platform } from './core.ts'
import { createGuardedVerbs } from './guarded-verbs.ts'
import type { Options } from './options.ts'
import { getRefusalReason, VERBS } from './verb-table.ts'
import { createVerbs } from './verbs.ts'
import { createCore } from './core.ts'
import type { Waymark } from './waymark.ts'

/** An agent that can be started later. */
export interface Agent {
  readonly verbs: Waymark
  /**
   * Reads the stored state, opens the store, loads the flags and starts autocapture. The first call of a verb does the same, so the
   * platform may start the agent in a later task, but at the latest when the page goes away. Further calls do nothing. Never throws.
   */
  start(): void
  /** Does only the first half of the start, which reads. Two short tasks block a slow phone less than one. Never throws. */
  prepare(): void
}

/**
 * Creates the agent of one page. It reads, writes and observes nothing before its start.
 *
 * @param options Kept, because `before_send` is read from it at each event.
 * @param openPlatform Called at most once, when the agent starts.
 */
export const createAgent = (apiKey: string, options: Options, logger: Logger, openPlatform: () => Platform): Agent => {
  let startedVerbs: Waymark | undefined
  let startCore: (() => void) | undefined
  let core: Core | undefined

  const prepare = (): void => {
    if (startedVerbs) return
    // A failed start is not retried at each call.
    startedVerbs = {} as Waymark
    try {
      const newCore = createCore(apiKey, options, logger, openPlatform(), verbs)
      startedVerbs = createVerbs(newCore)
      core = newCore
      startCore = () => {
        // Cleared first, because autocapture calls verbs during the start.
        startCore = undefined
        newCore.start()
      }
    } catch (error) {
      logger.warn('start failed:', error)
    }
  }

  const verbs = createGuardedVerbs<Waymark>(
    Object.keys(VERBS) as (keyof Waymark)[],
    () => {
      prepare()
      startCore?.()
      return startedVerbs!
    },
    logger.warn,
    (verb, args) => getRefusalReason(options.personProfiles, verb, args, core?.pipeline.isClosed()),
  )
  return { verbs, start: () => void verbs.isOptedOut(), prepare }
}
