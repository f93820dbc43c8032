import { createPipeline } from '../capture/pipeline.ts'
import type { Pipeline, PipelinePorts } from '../capture/pipeline.ts'
import { entryOf, sessionOf } from '../capture/session.ts'
import { freshState, withBootstrap } from '../capture/state.ts'
import type { State } from '../capture/state.ts'
import { createFlags } from '../flags/flags.ts'
import type { Flags, FlagsPorts } from '../flags/flags.ts'
import type { Logger } from '../port/logger.ts'
import { Path } from '../wire/path.ts'
import { settle } from './options.ts'
import type { Bootstrap, Options } from './options.ts'
import type { Properties, Waymark } from './waymark.ts'

/** What the platform gives: the pipeline's ports but those that the agent itself answers, and what starts by itself. */
export interface Platform extends Omit<
  PipelinePorts,
  'flagProperties' | 'supportedCompression' | 'onIdentityFound' | 'logger'
> {
  /** Address of the service, without a slash at its end. */
  readonly host: string
  /** Captures that need no call; each answers its end. */
  readonly autocapture: readonly ((capture: (event: string, properties?: Properties) => void) => () => void)[]
  /** Called once, when the agent takes no more events. */
  readonly onShutdown: () => void
  readonly setDebug: (on: boolean) => void
  /** Evaluates flags on the page; without it the service alone does. */
  readonly local?: FlagsPorts['local']
}

/** What the verbs work on, once the agent has begun. */
export interface Core {
  readonly platform: Platform
  readonly pipeline: Pipeline
  readonly flags: Flags
  /** Begins what runs by itself. */
  start(): void
  /** A user who was never seen before, as the page's server knows them; an identified one is not taken under `never`. */
  fresh(id: string, given: Bootstrap | null | undefined): State
  /** Applies what the page's server knows of the user and the session, instead of what it told before. */
  bootstrap(given: Bootstrap | null | undefined): void
  /** Ends what runs by itself, delivers what waits, and ends that too. */
  shutdown(timeoutMs: number): Promise<void>
}

/** Most bytes of waiting events, all tabs together. */
const QUEUE_MAX_BYTES = 20_000_000

/**
 * Joins the event's way and the flag's way.
 *
 * @param verbs As a page would call them, once the core has started.
 */
export const createCore = (
  apiKey: string,
  options: Options,
  logger: Logger,
  platform: Platform,
  verbs: Pick<Waymark, 'capture' | 'identify'>,
): Core => {
  const { clock, host } = platform
  const settled = settle(options, logger.warn)
  const settings = {
    ...settled,
    host,
    url: host + Path.batch,
    apiKey,
    idleMs: settled.sessionIdleTimeoutSeconds * 1_000,
    maxEvents: settled.maxQueueSize,
    maxBytes: QUEUE_MAX_BYTES,
    disableCompression: !!options.disableCompression,
    historicalMigration: !!options.historicalMigration,
    personProfiles: options.personProfiles ?? 'identified_only',
    beforeSend: () => [options.before_send ?? []].flat(),
    fresh: () => fresh(platform.newId(clock.now()), options.bootstrap),
    onDrop: options.onDrop ?? nothing,
    onSend: options.onSend ?? nothing,
  }
  let stop = nothing
  let known: Bootstrap | null | undefined
  let ends: (() => void)[] = []

  const ports: PipelinePorts & FlagsPorts = {
    ...platform,
    logger,
    flagProperties: () => flags.eventProperties(),
    supportedCompression: () => flags.supportedCompression(),
    onIdentityFound(source) {
      flags.identityChanged(source)
      if (source === 'store') bootstrapUser()
    },
    identity() {
      const { distinctId, anonymousId, isIdentified, deviceId, groups } = pipeline.state.current()
      return {
        distinct_id: distinctId,
        $anon_distinct_id: isIdentified ? anonymousId : undefined,
        $device_id: deviceId,
        groups,
      }
    },
    capture: (event, properties, only) => pipeline.capture(event, properties, {}, only),
    isOptedOut: () => pipeline.state.current().isOptedOut,
  }
  const fresh = (id: string, given: Bootstrap | null | undefined): State => {
    const state = freshState(id, options.defaultOptIn === false)
    return options.personProfiles === 'never' && given?.isIdentifiedId ? state : withBootstrap(state, given)
  }

  const pipeline: Pipeline = createPipeline(settings, ports)
  const flags: Flags = createFlags(settings, ports)

  /** A fresh state has the bootstrapped id already; a stored user is identified under it, as a page would do it. */
  const bootstrapUser = (): void => {
    if (!known?.distinctId || !known.isIdentifiedId) return
    const { isIdentified, distinctId } = pipeline.state.current()
    if (!isIdentified) verbs.identify(known.distinctId)
    else if (distinctId !== known.distinctId) logger.warn('bootstrap.distinctId ignored: another user is identified')
  }

  const bootstrap = (given: Bootstrap | null | undefined): void => {
    known = given
    const id = given?.sessionID
    if (id) {
      const session = sessionOf(id, clock.now())
      const entry = entryOf(platform.automatic())
      if (session)
        pipeline.state.change((state) => ({
          ...state,
          // Where it began is told by the first page that knew of it.
          session: { entry, ...(state.session?.id === id && state.session), ...session },
        }))
      else logger.warn('bootstrap.sessionID ignored: no uuid v7 of the past')
    }
    bootstrapUser()
  }

  return {
    platform,
    pipeline,
    flags,
    fresh,
    start() {
      stop = pipeline.start()
      bootstrap(options.bootstrap)
      ends = [flags.start(), platform.lifecycle.onWake(flags.wake), platform.onShutdown]
      for (const begin of platform.autocapture) ends.push(begin(verbs.capture))
    },
    bootstrap,
    shutdown(timeoutMs) {
      for (const end of ends) end()
      return pipeline.shutdown(timeoutMs).then(stop)
    },
  }
}

const nothing = (): void => {}
