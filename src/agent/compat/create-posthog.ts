import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../port/noop.ts'
import { createListeners } from '../extras/listeners.ts'
import type { StateAccess } from '../extras/state-access.ts'
import { createGuardedVerbs } from '../guarded-verbs.ts'
import { createCompatVerbs } from './compat-verbs.ts'
import type { CompatAgent, CompatVerbs } from './compat-verbs.ts'
import { createLackingVerbs } from './lacking-verbs.ts'
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
  readonly saveConsent: (name: string, isOptedIn: boolean) => void
}

/** The properties of a call with either all of them, or the name and value of one. */
const toProperties = (first: string | Properties, value?: unknown): Properties =>
  typeof first === 'string' ? { [first]: value } : first

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
    const { options, lacking, hooks, hasPageview, hasNavigations, hasPageleave, consentName, loaded } = config
    if (lacking.length) warnOnce(`options without effect: ${lacking.join(', ')}`)
    let allCleanups: (() => void)[]
    /** Captures the page view of the load: once, and not before an opt-in. */
    let view = (): void => {
      if (!hasPageview || agent.isOptedOut()) return
      view = noop
      platform.watchPageviews(agent.pageview, hasNavigations, allCleanups)
    }
    const onLeave = (): void => {
      if (!agent.isOptedOut()) agent.capture('$pageleave')
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
      platform.saveConsent(consentName, isOptedIn)
      view()
    }
    agent = platform.startAgent(apiKey, config)
    posthog.__loaded = true
    callSafely(logger, 'loaded', () => loaded?.(posthog))
  }

  const verbs = {
    ...createLackingVerbs(warnOnce),
    ...createCompatVerbs(
      () => agent,
      getAccess,
      (isOptedIn) => onConsent(isOptedIn),
      platform.getTitle,
      listeners,
      warnOnce,
    ),
  }
  const guarded = createGuardedVerbs<CompatVerbs>(
    Object.keys(verbs) as (keyof CompatVerbs)[],
    () => verbs,
    warnOnce,
    () => (posthog.__loaded ? undefined : 'call init() first'),
  )

  const posthog: { -readonly [Name in keyof PostHog]: PostHog[Name] } & Record<string, unknown> = {
    ...guarded,
    people: {
      set: (...args) => guarded.setPersonProperties(toProperties(...args)),
      set_once: (...args) => guarded.setPersonProperties(undefined, toProperties(...args)),
    },
    __loaded: false,
    init(apiKey, config, name) {
      if (name && name !== 'posthog')
        return ((posthog[name] ??= createPosthog(platform)) as PostHog).init(apiKey, config)
      if (posthog.__loaded) warnOnce('init() refused: it was called before')
      else callSafely(logger, 'init()', () => init(apiKey, config ?? {}))
      return posthog
    },
  }
  // A page calls what a subscription returns.
  for (const name of Object.keys(verbs).filter((name) => name.startsWith('on'))) {
    const subscribe = posthog[name] as (...args: unknown[]) => unknown
    posthog[name] = (...args: unknown[]) => subscribe(...args) ?? noop
  }
  return posthog
}
