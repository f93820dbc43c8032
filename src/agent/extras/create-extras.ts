import type { FetchFlags } from '../../flags/fetch-flags.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../lib/noop.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import type { Extension } from '../extension.ts'
import { createGuardedVerbs } from '../guarded-verbs.ts'
import type { Options } from '../options.ts'
import type { Waymark } from '../waymark.ts'
import { EXTRA_OPTION_NAMES } from './extra-option-names.ts'
import type { ExtendedWaymark, ExtraOptions } from './extra-options.ts'
import type { ExtraVerbs } from './extra-verbs.ts'
import { fetchFlagPayload } from './fetch-flag-payload.ts'
import { createFlagOverrides } from './flag-overrides.ts'
import { createListeners } from './listeners.ts'
import { createMask } from './mask.ts'
import { createUserVerbs } from './user-verbs.ts'
import type { StateAccess } from './state-access.ts'

/** Starts what the options capture on a page. Called when the agent starts. @param cleanups Receives functions that end it. */
export type WatchPage = (
  agent: Pick<Waymark, 'pageview' | 'screen'>,
  options: Options & ExtraOptions,
  cleanups: (() => void)[],
) => void

/** The extras of one agent. */
export interface Extras<BaseOptions> {
  /** The options for `init`. */
  readonly options: BaseOptions
  /** Adds the verbs to the agent that `init` has returned. */
  attach(agent: Waymark): ExtendedWaymark
}

/**
 * The rare verbs and options, around an agent that knows nothing of them. They use the public options (`before_send`, `onDrop`) and verbs,
 * and a single seam of the agent, `extension`, for what these do not offer. So one mechanism serves all of them, every entry and the script
 * tag, and pages without extras pay a single call.
 *
 * @param fetchFlags Asks the service for flags. Undefined: there is no remote config.
 * @param watchPage Undefined where there is no page. With it, the agent's own page views are off, because it captures them.
 */
export const createExtras = <BaseOptions extends Options>(
  options: BaseOptions & ExtraOptions,
  logger: Logger,
  fetchFlags?: FetchFlags,
  watchPage?: WatchPage,
): Extras<BaseOptions> => {
  const listeners = createListeners(logger)
  const overrides = createFlagOverrides(logger)
  const mask = createMask(options)
  let agent: ExtendedWaymark
  let access: StateAccess | undefined
  let isClosed = false

  const extension: Extension = (cleanups, getState, changeState, identityChanged) => {
    access = { getState, changeState, identityChanged }
    callSafely(logger, 'loaded', () => options.loaded?.(agent))
    watchPage?.(agent, options, cleanups)
  }

  const getAccess = (): StateAccess | undefined => {
    // Any verb starts the agent.
    agent.isOptedOut()
    return access
  }

  const verbs: ExtraVerbs = {
    ...createUserVerbs(() => agent, getAccess),
    async getRemoteConfigPayload(key) {
      const state = getAccess()?.getState()
      return state && fetchFlags && !state.isOptedOut ? fetchFlagPayload(key, state, fetchFlags) : undefined
    },
    unregisterForSession: (name) => agent.registerForSession({ [name]: null }),
    onSessionId(listener) {
      let lastId: unknown
      const tell = (id: unknown): void => {
        if (id === lastId || !isNonBlankString(id)) return
        lastId = id
        callSafely(logger, 'listener', () => listener(id))
      }
      tell(agent.getSessionId())
      return listeners.add('capture', ({ properties }) => tell(properties.$session_id))
    },
    on(topic, listener) {
      if (topic === 'flags') return agent.onFeatureFlags(listener as never)
      if (topic === 'capture' || topic === 'drop') return listeners.add(topic, listener as never)
      logger.warn(`on() refused: unknown topic ${JSON.stringify(topic)}`)
      return noop
    },
    overrideFeatureFlags: overrides.set,
  }

  const getRefusal = (verb: keyof ExtraVerbs, [names]: readonly unknown[]): string | undefined => {
    if (isClosed && /^(unset|reset)/.test(verb)) return 'shut down'
    if (verb !== 'unsetPersonProperties') return undefined
    if (options.personProfiles === 'never') return 'personProfiles'
    return [names].flat().some(isNonBlankString) ? undefined : 'no name'
  }
  const guardedVerbs = createGuardedVerbs<ExtraVerbs>(
    Object.keys(verbs) as (keyof ExtraVerbs)[],
    () => verbs,
    logger.warn,
    getRefusal,
  )

  const baseOptions = { ...(options as object), extension } as Record<string, unknown> & { extension: Extension }
  for (const name of EXTRA_OPTION_NAMES) delete baseOptions[name]
  if (watchPage) baseOptions['capturePageview'] = false
  // Read at each event, as that of the caller may be replaced at run time.
  Object.defineProperty(baseOptions, 'before_send', {
    enumerable: true,
    get: () => [overrides.hook() ?? [], options.before_send ?? [], mask ?? [], ...listeners.hooks].flat(2),
  })
  const onDrop: Options['onDrop'] = (event, reason) => {
    listeners.drop(event, reason)
    options.onDrop?.(event, reason)
  }

  return {
    options: Object.assign(baseOptions, { onDrop }) as unknown as BaseOptions,
    attach(base) {
      const { ...original } = base
      agent = Object.assign(base, guardedVerbs, overrides.wrap(original), {
        reset(...args: Parameters<Waymark['reset']>) {
          overrides.set()
          original.reset(...args)
        },
        shutdown(...args: Parameters<Waymark['shutdown']>) {
          isClosed = true
          return original.shutdown(...args)
        },
      })
      return agent
    },
  }
}
