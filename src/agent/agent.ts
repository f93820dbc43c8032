import { createPipeline, type Pipeline, type PipelinePorts } from '../capture/pipeline.ts'
import { createFlags, type Flags } from '../flags/flags.ts'
import { surveyVerbs } from '../surveys/survey-verbs.ts'
import { EventName } from '../wire/event.ts'
import { Path } from '../wire/path.ts'
import { guarded } from './guarded.ts'
import { identityVerbs } from './identity.ts'
import { bounded, settle, type Options } from './options.ts'
import type { Properties, Waymark } from './waymark.ts'

/** What the platform gives: the pipeline's ports but those that the agent itself answers, and what starts by itself. */
export interface Platform extends Omit<PipelinePorts, 'flagProperties' | 'supportedCompression' | 'onIdentityFound'> {
  /** Address of the service, without a slash at its end. */
  readonly host: string
  /** Captures that need no call; each answers its end. */
  readonly autocapture: readonly ((capture: (event: string, properties?: Properties) => void) => () => void)[]
  /** Called once, when the agent takes no more events. */
  readonly onShutdown: () => void
  readonly setDebug: (on: boolean) => void
}

/** Most bytes of waiting events, all tabs together. */
const QUEUE_MAX_BYTES = 20_000_000

/** How long `shutdown()` delivers at most (the field's 30 seconds). */
const SHUTDOWN_MS = 30_000

/** Composes the event's way and the flag's way into the verbs of an agent. */
export function createAgent(apiKey: string, options: Options, platform: Platform): Waymark {
  const { clock, host, logger, lifecycle, storage } = platform
  const settings = settle(options)
  const personProfiles = options.personProfiles ?? 'identified_only'
  const nothing = (): void => undefined
  let screenName: string | undefined

  const pipeline: Pipeline = createPipeline(
    {
      ...settings,
      url: host + Path.batch,
      apiKey,
      maxEvents: settings.maxQueueSize,
      maxBytes: QUEUE_MAX_BYTES,
      disableCompression: !!options.disableCompression,
      historicalMigration: !!options.historicalMigration,
      personProfiles,
      isOptedOut: options.defaultOptIn === false,
      onDrop: options.onDrop ?? nothing,
      onSend: options.onSend ?? nothing,
    },
    {
      ...platform,
      automatic: () => (screenName ? { ...platform.automatic(), $screen_name: screenName } : platform.automatic()),
      flagProperties: () => flags.eventProperties(),
      supportedCompression: () => flags.supportedCompression(),
      onIdentityFound: (source) => flags.identityChanged(source),
    },
  )

  const { state } = pipeline
  const flags: Flags = createFlags({
    clock,
    storage,
    send: platform.send,
    logger,
    options: { ...options, requestTimeout: settings.requestTimeout, host, apiKey },
    identity() {
      const { distinctId, anonymousId, isIdentified, deviceId, groups } = state.current()
      return {
        distinct_id: distinctId,
        $anon_distinct_id: isIdentified ? anonymousId : undefined,
        $device_id: deviceId,
        groups,
      }
    },
    capture: (event, properties, only) => pipeline.capture(event, properties, { only }),
    isOptedOut: () => state.current().isOptedOut,
  })
  const capture: Waymark['capture'] = (event, properties = {}, captureOptions) =>
    void pipeline.capture(event, properties as Record<string, unknown>, captureOptions)
  const consent = (isOptedOut: boolean): void => {
    // Another tab may have changed it since.
    state.refresh()
    if (state.current().isOptedOut !== isOptedOut) state.change((current) => ({ ...current, isOptedOut }))
  }

  const stop = pipeline.start()
  const ends = [flags.start(), lifecycle.onWake(flags.wake), ...platform.autocapture.map((start) => start(capture))]
  let ended: Promise<void> | undefined

  const identity = identityVerbs(pipeline, flags, personProfiles, () => platform.newId(clock.now()), logger)
  return guarded(
    {
      ...identity,
      capture,
      reset(resetOptions) {
        screenName = undefined
        identity.reset(resetOptions)
      },
      pageview: (properties, captureOptions) => capture(EventName.pageview, properties, captureOptions),
      screen(name, properties, captureOptions) {
        const isNamed = typeof name === 'string' && !!name.trim()
        if (isNamed) screenName = name
        capture(isNamed ? EventName.screen : '', properties, captureOptions)
      },
      ...flags.verbs,
      ...surveyVerbs(capture, clock.now, logger),
      optOut(optOutOptions) {
        consent(true)
        if (optOutOptions?.clear) identity.reset({ resetDeviceID: true })
      },
      optIn() {
        consent(false)
        void pipeline.flush()
        void flags.verbs.reloadFeatureFlags()
      },
      isOptedOut: () => state.current().isOptedOut,
      getDistinctId: () => state.current().distinctId,
      getAnonymousId: () => state.current().anonymousId,
      getSessionId: pipeline.sessionId,
      flush: pipeline.flush,
      shutdown(timeoutMs) {
        if (!ended) {
          for (const end of ends) end()
          platform.onShutdown()
          ended = pipeline.shutdown(bounded(timeoutMs, SHUTDOWN_MS, 0)).then(stop)
        }
        return ended
      },
      debug: (on = true) => platform.setDebug(on),
    },
    logger.warn,
  )
}
