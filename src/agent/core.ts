import { createPipeline, type Pipeline, type PipelinePorts } from '../capture/pipeline.ts'
import { sessionOf } from '../capture/session.ts'
import { freshState, withBootstrap } from '../capture/state.ts'
import { createFlags, type Flags } from '../flags/flags.ts'
import type { Logger } from '../port/logger.ts'
import { Path } from '../wire/path.ts'
import { settle, type Bootstrap, type Options } from './options.ts'
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
}

/** What the verbs work on, once the agent has begun. */
export interface Core {
  readonly platform: Platform
  readonly pipeline: Pipeline
  readonly flags: Flags
  /** Begins what runs by itself, with the verbs as a page would call them. */
  start(verbs: Pick<Waymark, 'capture' | 'identify'>): void
  /** Applies what the page's server knows of the user and the session. */
  bootstrap(given: Bootstrap | undefined): void
  /** Ends what runs by itself, delivers what waits, and ends that too. */
  shutdown(timeoutMs: number): Promise<void>
}

/** Most bytes of waiting events, all tabs together. */
const QUEUE_MAX_BYTES = 20_000_000

/** Joins the event's way and the flag's way. */
export function createCore(apiKey: string, options: Options, logger: Logger, platform: Platform): Core {
  const { clock, host, storage } = platform
  const settings = settle(options, logger.warn)
  const ends: (() => void)[] = []
  let stop = nothing
  let identify: Waymark['identify'] = nothing

  const pipeline: Pipeline = createPipeline(
    {
      ...settings,
      url: host + Path.batch,
      apiKey,
      maxEvents: settings.maxQueueSize,
      maxBytes: QUEUE_MAX_BYTES,
      disableCompression: !!options.disableCompression,
      historicalMigration: !!options.historicalMigration,
      personProfiles: options.personProfiles ?? 'identified_only',
      beforeSend: () => [options.before_send ?? []].flat(),
      fresh: () =>
        withBootstrap(freshState(platform.newId(clock.now()), options.defaultOptIn === false), options.bootstrap),
      onDrop: options.onDrop ?? nothing,
      onSend: options.onSend ?? nothing,
    },
    {
      ...platform,
      logger,
      flagProperties: () => flags.eventProperties(),
      supportedCompression: () => flags.supportedCompression(),
      onIdentityFound(source) {
        flags.identityChanged(source)
        if (source === 'store') bootstrapUser(options.bootstrap)
      },
    },
  )

  const flags: Flags = createFlags({
    clock,
    storage,
    send: platform.send,
    logger,
    options: { ...options, requestTimeout: settings.requestTimeout, host, apiKey },
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
  })

  /** A fresh state has the bootstrapped id already; a stored user is identified under it, as a page would do it. */
  function bootstrapUser({ distinctId, isIdentifiedId }: Bootstrap = {}): void {
    const known = pipeline.state.current()
    if (!distinctId || !isIdentifiedId) return
    if (!known.isIdentified) identify(distinctId)
    else if (known.distinctId !== distinctId)
      logger.warn('bootstrap.distinctId is not used: another user is identified')
  }

  function bootstrap(given: Bootstrap = {}): void {
    const { sessionID } = given
    const session = sessionID === undefined ? undefined : sessionOf(sessionID, clock.now())
    if (session) pipeline.state.change((state) => ({ ...state, session }))
    else if (sessionID !== undefined) logger.warn('bootstrap.sessionID is not used: it is no uuid v7 of the past')
    bootstrapUser(given)
  }

  return {
    platform,
    pipeline,
    flags,
    start(verbs) {
      identify = verbs.identify
      stop = pipeline.start()
      bootstrap(options.bootstrap)
      ends.push(flags.start(), platform.lifecycle.onWake(flags.wake))
      for (const begin of platform.autocapture) ends.push(begin(verbs.capture))
    },
    bootstrap,
    shutdown(timeoutMs) {
      for (const end of ends) end()
      platform.onShutdown()
      return pipeline.shutdown(timeoutMs).then(stop)
    },
  }
}

function nothing(): void {}
