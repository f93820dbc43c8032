import type { BeforeSend } from '../../capture/before-send.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../lib/noop.ts'
import type { Listeners } from '../extras/extra-verbs.ts'
import { createListenerHooks } from '../extras/listener-hooks.ts'
import type { StateAccess } from '../extras/state-access.ts'
import { createGuardedVerbs } from '../guarded-verbs.ts'
import { createCompatVerbs, createOtherVerb } from './compat-verbs.ts'
import type { CompatAgent } from './compat-verbs.ts'
import { mapConfig } from './map-config.ts'
import type { MappedConfig } from './map-config.ts'
import type { PostHog, PostHogConfig, Properties } from './posthog.ts'

/** What the object needs from the page. */
export interface CompatPlatform {
  readonly logger: Logger
  /** The title of the page, for its page views. */
  readonly getTitle: () => string | undefined
  /**
   * Starts an agent with the visitor of posthog-js, if it knows no other. Never throws.
   *
   * @param posthog What `findShared` returns from now on. False: nothing.
   */
  readonly startAgent: (apiKey: string, config: MappedConfig, posthog: PostHog | false) => CompatAgent
  /** Returns the object with a running agent that any copy of this code has created. @param apiKey Default: any. */
  readonly findShared: (apiKey?: string) => PostHog | undefined
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

/** What an agent gives that this object has started. */
interface Access extends StateAccess {
  /** Functions that end it. */
  readonly cleanups: (() => void)[]
}

/** What an object has of its own, also while that of another copy answers. Other members are further projects, by their names. */
interface Own extends Record<string, unknown> {
  readonly init: PostHog['init']
  /** Missing before `init()`. */
  __loaded?: boolean
}

type Call = (...args: unknown[]) => unknown

/** The properties of a call with either all of them, or the name and value of one. */
const toProperties = (first: string | Properties, value?: unknown): Properties =>
  typeof first === 'string' ? { [first]: value } : first

/**
 * Names that a page may call. Engines, frameworks and test runners (`asymmetricMatch`) look up others, and symbols, to find out what an
 * object is. Parts of posthog-js that its pages test for before they use them are missing, such as `sessionManager`.
 */
const CALL_NAME = /^(?!then$|toJSON|asym|featureFlags|persistence|surveys|session.*[^d]$)(_isIdentified|[a-z])/

/**
 * Creates an object with the calls of posthog-js, over our agent. Before its `init()` the object of another copy of this code answers, as a
 * page may load one by `import` and one by `require`. Without one, a call does nothing.
 *
 * @param isNamed A further project of the page. No copy answers by it.
 */
export const createPosthog = (platform: CompatPlatform, isNamed?: boolean): PostHog => {
  const { logger } = platform
  /** Those of `before_send`, and after them the listeners of events, which may come before `init()`. */
  const hooks: BeforeSend[] = []
  const createHook = createListenerHooks(logger)
  const warned = new Set<unknown>()
  let agent: CompatAgent
  /** Undefined: another entry has started the agent. It has the page views and the page leave. */
  let access: Access | undefined
  let onConsent: (isOptedIn: boolean) => void

  const warnOnce = (message: unknown, ...details: unknown[]): void => {
    if (!warned.has(message)) logger.warn(message, ...details)
    warned.add(message)
  }
  const addListener = (listener: Listeners['capture']): (() => void) => {
    const hook = createHook(listener)
    hooks.push(hook)
    // A second call finds no hook, and the number after `>>>` is beyond the end.
    return () => void hooks.splice(hooks.indexOf(hook) >>> 0, 1)
  }
  const getAccess = (): StateAccess | undefined => {
    // Any verb starts the agent.
    agent.isOptedOut()
    return access
  }

  const init = (apiKey: string, givenConfig: PostHogConfig = {}): PostHog | undefined => {
    const shared = platform.findShared(apiKey)
    if (shared) {
      givenConfig.loaded?.(shared)
      return shared
    }
    const config = mapConfig(apiKey, givenConfig)
    const { options, lacking, hasPageview, hasNavigations, hasPageleave, loaded } = config
    if (lacking.length) warnOnce(`options without effect: ${lacking.join(', ')}`)
    /** Nothing while opted out. */
    const getCleanups = (): Access['cleanups'] | false | undefined => !agent.isOptedOut() && access?.cleanups
    /** Captures the page view of the load: once, and not before an opt-in. */
    let view = (): void => {
      const cleanups = hasPageview && getCleanups()
      if (!cleanups) return
      view = noop
      platform.watchPageviews(agent.pageview, hasNavigations, cleanups)
    }
    const onLeave = (): void => {
      if (getCleanups()) agent.capture('$pageleave')
    }
    // Before the agent starts, so that the event is among the last ones that it sends.
    const stopLeave = hasPageleave ? platform.onLeave(onLeave) : noop
    hooks.unshift(...config.hooks)
    options.before_send = hooks
    options.extension = (cleanups, getState, changeState, identityChanged) => {
      access = { getState, changeState, identityChanged, cleanups }
      cleanups.push(stopLeave)
      // What the page registers right after `init()` is part of the page view, as with posthog-js.
      void Promise.resolve().then(() => view())
    }
    onConsent = (isOptedIn) => {
      if (!isOptedIn) agent.optOut(config)
      platform.saveConsent(config, isOptedIn)
      view()
    }
    agent = platform.startAgent(apiKey, config, !isNamed && posthog)
    own.__loaded = true
    callSafely(logger, 'loaded', () => loaded?.(posthog))
    return undefined
  }

  const getAgent = (): CompatAgent => agent
  // A subscription to events needs no agent.
  const getRefusal = (name: string, [apiKey]: readonly unknown[]): string | false =>
    name === 'init'
      ? (own.__loaded || !apiKey) && 'called before, or no key'
      : !own.__loaded && !/^on(?!F)/.test(name) && 'call init() first'
  const verbs = {
    ...createCompatVerbs(
      getAgent,
      getAccess,
      (isOptedIn) => onConsent(isOptedIn),
      platform.getTitle,
      addListener,
      warnOnce,
    ),
    init,
  } as unknown as Record<string, Call>
  const createCall = (name: string): Call => {
    verbs[name] ??= createOtherVerb(name, getAgent, warnOnce)
    const call = createGuardedVerbs([name], () => verbs, warnOnce, getRefusal)[name]!
    // A page calls what a subscription returns, also before `init()`, and when the call has no effect.
    return name.startsWith('on') ? (...args) => call(...args) ?? noop : call
  }
  const start = createCall('init') as unknown as (...args: Parameters<typeof init>) => PostHog | undefined
  const own: Own = {
    init(apiKey, config, name) {
      if (!name || name === 'posthog') return start(apiKey, config) ?? posthog
      if (!projects[name]?.init) projects[name] = createPosthog(platform, true)
      return projects[name].init(apiKey, config)
    },
  }
  const projects = own as Record<string, PostHog>
  /** What the page has looked up, so that each call stays the same function. */
  const lookedUp: Record<string, unknown> & Pick<PostHog, '__loaded' | 'people'> = {
    __loaded: false,
    people: {
      set: (first, value) => posthog.setPersonProperties(toProperties(first, value)),
      set_once: (first, value) => posthog.setPersonProperties(undefined, toProperties(first, value)),
    },
  }
  const get = (_: unknown, symbolOrName: string | symbol): unknown => {
    const name = String(symbolOrName)
    const shared = !own.__loaded && (platform.findShared() as Record<string, unknown> | undefined)
    return (
      own[name] ?? (shared ? shared[name] : (lookedUp[name] ??= CALL_NAME.test(name) ? createCall(name) : undefined))
    )
  }
  const posthog = new Proxy(own, { get, has: (...args) => get(...args) !== undefined }) as unknown as PostHog
  return posthog
}
