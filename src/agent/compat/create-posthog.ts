import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../port/noop.ts'
import { createListeners } from '../extras/listeners.ts'
import type { StateAccess } from '../extras/state-access.ts'
import { createGuardedVerbs } from '../guarded-verbs.ts'
import { createCompatVerbs, createOtherVerb } from './compat-verbs.ts'
import type { CompatAgent, CompatVerbs } from './compat-verbs.ts'
import { mapConfig } from './map-config.ts'
import type { MappedConfig } from './map-config.ts'
import type { PostHog, PostHogConfig, Properties } from './posthog.ts'

/** What the object needs from the page. */
export interface CompatPlatform {
  readonly logger: Logger
  /** The title of the page, for its page views. */
  readonly getTitle: () => string | undefined
  /** Starts an agent with the visitor of posthog-js, if it knows no other. Never throws. */
  readonly startAgent: (apiKey: string, config: MappedConfig) => CompatAgent
  /**
   * Captures the page view of the load, and those of navigations if `hasNavigations`.
   *
   * @param cleanups Receives functions that stop it.
   */
  readonly watchPageviews: (capture: CompatAgent['pageview'], hasNavigations: boolean, cleanups: (() => void)[]) => void
  /**
   * Calls `listener` when the page is left, before the agents that are started later send their last events. Returns a function that ends
   * it.
   */
  readonly onLeave: (listener: () => void) => () => void
  /** Stores the user's decision where posthog-js reads it. Never throws. */
  readonly saveConsent: (config: MappedConfig, isOptedIn: boolean) => void
}

/** What the object has of its own. Every other call is created when the page looks it up. */
type CompatObject = CompatVerbs & Pick<PostHog, '__loaded' | 'people' | 'init'>

/** The properties of a call with either all of them, or the name and value of one. */
const toProperties = (first: string | Properties, value?: unknown): Properties =>
  typeof first === 'string' ? { [first]: value } : first

/** Names that a page may call. Engines and frameworks look up others, and symbols, to find out what an object is. */
const CALL_NAME = /^(?!then$|toJSON$)[a-z]/

/** Creates an object with the calls of posthog-js, over our agent. It does nothing before its `init()`. */
export const createPosthog = (platform: CompatPlatform): PostHog => {
  const { logger } = platform
  const listeners = createListeners(logger)
  const warned = new Set<unknown>()
  let agent: CompatAgent
  let access: StateAccess | undefined
  let onConsent: (isOptedIn: boolean) => void

  const warnOnce = (message: unknown, ...details: unknown[]): void => {
    if (!warned.has(message)) logger.warn(message, ...details)
    warned.add(message)
  }
  const getAccess = (): StateAccess | undefined => {
    // Any verb starts the agent.
    agent.isOptedOut()
    return access
  }

  const init = (apiKey: string, givenConfig: PostHogConfig): void => {
    const config = mapConfig(apiKey, givenConfig)
    const { options, lacking, hooks, hasPageview, hasNavigations, hasPageleave, loaded } = config
    if (lacking.length) warnOnce(`options without effect: ${lacking.join(', ')}`)
    /** Undefined: another entry, or another copy of this one, has started the agent. It has the page views and the page leave. */
    let allCleanups: (() => void)[] | undefined
    const isCapturing = (): typeof allCleanups | false => !agent.isOptedOut() && allCleanups
    /** Captures the page view of the load: once, and not before an opt-in. */
    let view = (): void => {
      const cleanups = hasPageview && isCapturing()
      if (!cleanups) return
      view = noop
      platform.watchPageviews(agent.pageview, hasNavigations, cleanups)
    }
    const onLeave = (): void => {
      if (isCapturing()) agent.capture('$pageleave')
    }
    // Before the agent starts, so that the event is among the last ones that it sends.
    const stopLeave = hasPageleave ? platform.onLeave(onLeave) : noop
    // Read at each event: with no hook at all, an event is not copied.
    Object.defineProperty(options, 'before_send', { get: () => [...hooks, listeners.hook() ?? []].flat() })
    options.extension = (cleanups, getState, changeState, identityChanged) => {
      access = { getState, changeState, identityChanged }
      allCleanups = cleanups
      cleanups.push(stopLeave)
      // What the page registers right after `init()` is part of the page view, as with posthog-js.
      void Promise.resolve().then(() => view())
    }
    onConsent = (isOptedIn) => {
      if (!isOptedIn) agent.optOut(config)
      platform.saveConsent(config, isOptedIn)
      view()
    }
    agent = platform.startAgent(apiKey, config)
    target.__loaded = true
    callSafely(logger, 'loaded', () => loaded?.(posthog))
  }

  const getAgent = (): CompatAgent => agent
  // A subscription to events needs no agent.
  const getRefusal = (name: string): string | undefined =>
    target.__loaded || /^on(?!F)/.test(name) ? undefined : 'call init() first'
  const verbs = createCompatVerbs(
    getAgent,
    getAccess,
    (isOptedIn) => onConsent(isOptedIn),
    platform.getTitle,
    listeners,
    warnOnce,
  )
  const guarded = createGuardedVerbs<CompatVerbs>(
    Object.keys(verbs) as (keyof CompatVerbs)[],
    () => verbs,
    warnOnce,
    getRefusal,
  )
  const target: { -readonly [Name in keyof CompatObject]: CompatObject[Name] } & Record<string, unknown> = {
    ...guarded,
    // A page calls what a subscription returns, also before `init()`.
    onFeatureFlags: (listener) => guarded.onFeatureFlags(listener) ?? noop,
    people: {
      set: (...args) => posthog.setPersonProperties(toProperties(...args)),
      set_once: (...args) => posthog.setPersonProperties(undefined, toProperties(...args)),
    },
    __loaded: false,
    init(apiKey, config, name) {
      if (name && name !== 'posthog') {
        const named = target[name] as PostHog | undefined
        const other = named?.init ? named : createPosthog(platform)
        // A call keeps its name.
        target[name] ??= other
        return other.init(apiKey, config)
      }
      if (target.__loaded || !apiKey) warnOnce('init() refused: called before, or no key')
      else callSafely(logger, 'init()', () => init(apiKey, config ?? {}))
      return posthog
    },
  }

  const createOther = (name: string): unknown =>
    createGuardedVerbs<Record<string, () => unknown>>(
      [name],
      () => ({ [name]: createOtherVerb(name, getAgent, warnOnce) }),
      warnOnce,
      getRefusal,
    )[name]
  const posthog = new Proxy(target, {
    get: (_, name) =>
      target[name as string] ?? (CALL_NAME.test(String(name)) ? createOther(name as string) : undefined),
  }) as unknown as PostHog
  return posthog
}
