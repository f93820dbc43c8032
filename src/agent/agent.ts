import { callSafely } from '../lib/call-safely.ts'
import type { Logger } from '../port/logger.ts'
import type { Core, Platform } from './core.ts'
import { createGuardedVerbs } from './guarded-verbs.ts'
import type { Options } from './options.ts'
import { openParts } from './parts.ts'
import type { Parts, VerbsOf } from './parts.ts'
import { CAPTURE_VERBS, getRefusalReason } from './verb-table.ts'
import type { VerbTable } from './verb-table.ts'
import { createVerbs } from './verbs.ts'
import { createCore } from './core.ts'
import type { CaptureWaymark } from './waymark.ts'

/** An agent that can be started later. */
export interface Agent<P extends Parts> {
  readonly verbs: VerbsOf<P>
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
export const createAgent = <P extends Parts>(
  apiKey: string,
  options: Options,
  logger: Logger,
  parts: P,
  openPlatform: () => Platform,
): Agent<P> => {
  const contents = openParts(parts)
  let startedVerbs: CaptureWaymark | undefined
  let startCore: (() => void) | undefined
  let core: Core | undefined

  const prepare = (): void => {
    if (startedVerbs) return
    // A failed start is not retried at each call.
    startedVerbs = {} as CaptureWaymark
    try {
      const newCore = createCore(apiKey, options, logger, parts, openPlatform(), verbs)
      startedVerbs = createVerbs(newCore, contents.surveys)
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

  const startNow = (): void => {
    prepare()
    startCore?.()
  }

  // Typed as the verbs of every agent: the parts have more.
  const table: VerbTable<CaptureWaymark> = { ...CAPTURE_VERBS, ...contents.flags?.table, ...contents.surveys?.table }
  const verbs = createGuardedVerbs<CaptureWaymark>(
    Object.keys(table) as (keyof CaptureWaymark)[],
    () => {
      startNow()
      return startedVerbs!
    },
    logger.warn,
    (verb, args) => getRefusalReason(options.personProfiles, table[verb], args, core?.pipeline.isClosed()),
    (verb) => table[verb].idCount,
  )
  return { verbs: verbs as VerbsOf<P>, start: () => callSafely(logger, 'start', startNow), prepare }
}
