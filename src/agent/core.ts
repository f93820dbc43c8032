import type { CaptureOptions } from '../capture/capture.ts'
import type { Pipeline, PipelinePorts } from '../capture/pipeline.ts'
import { entryProperties, sessionFromId } from '../capture/session.ts'
import { createInitialState, withBootstrap } from '../capture/state.ts'
import type { State } from '../capture/state.ts'
import { createPipeline } from '../capture/pipeline.ts'
import type { Flags } from '../flags/flags.ts'
import type { FlagsPorts } from '../flags/flags-ports.ts'
import { callAll } from '../lib/call-all.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../lib/noop.ts'
import { idToString } from '../wire/id-to-string.ts'
import { Path } from '../wire/path.ts'
import { reportRequests } from '../lib/report-requests.ts'
import { atOnce } from '../lib/at-once.ts'
import { applyDefaults } from './options.ts'
import type { Bootstrap, Options } from './options.ts'
import { openParts } from './parts.ts'
import type { Parts } from './parts.ts'
import type { CaptureWaymark, Properties } from './waymark.ts'

/** What the platform provides: autocapture, and all ports of the pipeline that the agent does not provide itself. */
export interface Platform extends Omit<
  PipelinePorts,
  'flagProperties' | 'supportedCompression' | 'onIdentityChange' | 'logger' | 'isOptedOut' | 'whenAtRest'
> {
  /** Default: at once. */
  readonly whenAtRest?: PipelinePorts['whenAtRest']
  /** URL of the service without a trailing slash. */
  readonly host: string
  /** Starts automatic captures. Returns the function that ends them and all else of the platform, called when the agent shuts down. */
  readonly autocapture: (
    capture: (event: string, properties?: Properties, options?: CaptureOptions) => void,
  ) => () => void
  readonly setDebug: (isDebug: boolean) => void
  /** Evaluates flags on the page. Default: only the service evaluates them. */
  readonly local?: FlagsPorts['local']
}

/** The started agent that the verbs work on. */
export interface Core {
  readonly platform: Platform
  readonly pipeline: Pipeline
  /** Undefined in an agent without flags. */
  readonly flags: Flags | undefined
  /** Starts delivery, flag polling and autocapture. */
  start(): void
  /** Creates the state of a new user from the bootstrap. With `personProfiles: 'never'`, an identified id is ignored. */
  createState(id: string, bootstrap: Bootstrap | null | undefined): State
  /** Applies the page server's data about user and session, in place of earlier data. */
  applyBootstrap(bootstrap: Bootstrap | null | undefined): void
  /** Stops autocapture and flag polling, delivers the waiting events, then stops delivery. */
  shutdown(timeoutMs: number): Promise<void>
}

/** Limit of the waiting events of all tabs together, and so of a single one. */
const MAX_QUEUE_BYTES = 20_000_000

/**
 * Connects the event pipeline with the flags, if there are any.
 *
 * @param verbs The agent's public verbs; called only after the start.
 */
export const createCore = (
  apiKey: string,
  options: Options,
  logger: Logger,
  parts: Parts,
  platform: Platform,
  verbs: Pick<CaptureWaymark, 'capture' | 'identify'>,
): Core => {
  const { clock, host } = platform
  const settings = {
    ...applyDefaults(options, logger.warn),
    host,
    url: host + Path.batch,
    apiKey,
    maxBytes: MAX_QUEUE_BYTES,
    beforeSend: () => [options.before_send ?? []].flat(),
    createState: () => createState(platform.newId(clock.now()), options.bootstrap),
  }
  let stopDelivery = noop
  /** The id that the page's server has identified. */
  let bootstrappedId: string | undefined
  const cleanups: (() => void)[] = []

  const ports: PipelinePorts & Pick<FlagsPorts, 'local'> = {
    whenAtRest: atOnce,
    ...platform,
    logger,
    send: reportRequests(clock, platform.send, logger),
    flagProperties: () => flags?.eventProperties(),
    supportedCompression: () => (options.disableCompression ? [] : flags?.supportedCompression()),
    onIdentityChange(source) {
      flags?.identityChanged(source)
      if (source === 'store') identifyBootstrapped()
    },
    isOptedOut: () => !!pipeline.state.current().isOptedOut,
  }
  const createState = (id: string, bootstrap: Bootstrap | null | undefined): State => {
    const state = createInitialState(id, options.defaultOptIn === false ? 1 : 0)
    return options.personProfiles === 'never' && bootstrap?.isIdentifiedId ? state : withBootstrap(state, bootstrap)
  }

  const pipeline: Pipeline = createPipeline(settings, ports)
  const flags: Flags | undefined = openParts(parts).flags?.create(settings, ports, pipeline)

  /** A new state already has the bootstrapped id; a stored anonymous user is identified with it. */
  const identifyBootstrapped = (): void => {
    if (!bootstrappedId) return
    const { isIdentified, distinctId } = pipeline.state.current()
    if (!isIdentified) verbs.identify(bootstrappedId)
    else if (distinctId !== bootstrappedId) logger.warn('bootstrap.distinctId ignored')
  }

  const applyBootstrap = (bootstrap: Bootstrap | null | undefined): void => {
    bootstrappedId = bootstrap?.isIdentifiedId ? idToString(bootstrap.distinctId) : undefined
    const id = bootstrap?.sessionID
    if (id) {
      const session = sessionFromId(id, clock.now())
      const entry = entryProperties(platform.automaticProperties())
      if (session)
        pipeline.state.change((state) => ({
          ...state,
          // Keeps the entry of the first page with this session.
          session: { entry, ...(state.session?.id === id && state.session), ...session },
        }))
      else logger.warn('bootstrap.sessionID ignored')
    }
    identifyBootstrapped()
  }

  return {
    platform,
    pipeline,
    flags,
    createState,
    start() {
      stopDelivery = pipeline.start()
      applyBootstrap(options.bootstrap)
      if (flags) {
        flags.verbs.onFeatureFlags((...result) => logger.debug('flags', ...result))
        cleanups.push(flags.start(), platform.lifecycle.onWake(flags.wake))
      }
      options.extension?.(cleanups, pipeline.state.current, pipeline.state.change, () => flags?.identityChanged())
      cleanups.push(platform.autocapture(verbs.capture))
    },
    applyBootstrap,
    shutdown(timeoutMs) {
      callAll(cleanups)()
      return pipeline.shutdown(timeoutMs).then(stopDelivery)
    },
  }
}
