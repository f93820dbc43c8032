import type { BeforeSend } from '../../capture/before-send.ts'
import { isText } from '../../capture/is-text.ts'
import { createNodePipeline } from '../../capture/node/pipeline.ts'
import type { NodePipelinePorts } from '../../capture/node/pipeline.ts'
import { createDefinitionsLoader } from '../../flags/node/definitions/create-loader.ts'
import { createNodeFlags } from '../../flags/node/node-flags.ts'
import type { OpenStream } from '../../port/open-stream.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { MAX_BODY_BYTES } from '../../wire/limits.ts'
import { Path } from '../../wire/path.ts'
import { VERSION } from '../../wire/version.ts'
import { bounded } from '../options.ts'
import { eventVerbs } from './event-verbs.ts'
import { idleAgent } from './idle-agent.ts'
import type { NodeAgentOptions, NodeAgentSettings } from './options.ts'
import { safeVerbs } from './safe-verbs.ts'
import type { Waymark } from './waymark.ts'

/** What the platform gives. */
export interface NodeAgentPlatform extends NodePipelinePorts {
  /** Address of the service, without a slash at its end. */
  readonly host: string
  /** What events name as their library. */
  readonly library: string
  readonly setDebug: (on: boolean) => void
  /** For definitions that are pushed; without it changes of them are polled for. */
  readonly openStream?: OpenStream | undefined
}

const NO_HOOKS: readonly BeforeSend[] = []

/** How long `shutdown()` delivers at most (the field's 30 seconds). */
const SHUTDOWN_MS = 30_000

/** Most characters of one event: in UTF-8 they may be thrice as many bytes, and a request has some around them. */
const MAX_EVENT_LENGTH = MAX_BODY_BYTES - 1_024

/**
 * Joins the event's way and the flag's way of a server.
 *
 * @param options As `init` was given them: `before_send` is looked up in them at each event.
 * @param settings The same with every default filled in.
 */
export const createNodeAgent = (
  apiKey: string,
  options: NodeAgentOptions,
  settings: NodeAgentSettings,
  platform: NodeAgentPlatform,
): Waymark => {
  const { clock, contexts, host, logger } = platform
  const disableGeoip = !!options.disableGeoip
  const pipeline = createNodePipeline(
    {
      ...settings,
      apiKey,
      url: host + Path.batch,
      disableCompression: !!options.disableCompression,
      historicalMigration: !!options.historicalMigration,
      automatic: {
        $lib: platform.library,
        $lib_version: VERSION,
        $is_server: true,
        ...(disableGeoip && { $geoip_disable: true }),
      },
      isOptedOut: options.defaultOptIn === false,
      maxEventLength: Math.min(settings.maxQueueBytes, MAX_EVENT_LENGTH),
      beforeSend: () => (options.before_send ? [options.before_send].flat() : NO_HOOKS),
      onDrop: options.onDrop ?? nothing,
      onSend: options.onSend ?? nothing,
    },
    platform,
  )
  const { personalApiKey, flagDefinitionCacheProvider, enableLocalEvaluation = true } = settings
  const isLocal = enableLocalEvaluation && (isText(personalApiKey) || !!flagDefinitionCacheProvider)
  const flags = createNodeFlags(
    { ...settings, apiKey, host, disableGeoip, strictLocalEvaluation: !!settings.strictLocalEvaluation },
    {
      ...platform,
      hold: platform.process.hold,
      definitions: isLocal ? createDefinitionsLoader({ ...settings, apiKey, host }, platform) : undefined,
      isOptedOut: pipeline.isOptedOut,
      capture: pipeline.capture,
    },
  )

  const shutdown = async (timeoutMs: number): Promise<void> => {
    const delivered = pipeline.shutdown(timeoutMs)
    let cancel = nothing
    const tooLate = new Promise<void>((resolve) => {
      cancel = clock.after(timeoutMs, resolve)
    })
    await Promise.race([flags.shutdown(), tooLate])
    cancel()
    await delivered
  }

  const verbs: Waymark = {
    ...eventVerbs(pipeline, contexts, logger),
    ...flags.verbs,
    register: pipeline.register,
    unregister: (key) => pipeline.register({ [key]: null }),
    optOut: () => pipeline.setOptedOut(true),
    optIn: () => pipeline.setOptedOut(false),
    isOptedOut: pipeline.isOptedOut,
    // What a request's lookup did not find is given all the same, and the task is to run.
    withContext: (context, task, options) =>
      contexts.run(options?.fresh ? (context ?? {}) : layered(contexts.current(), context ?? {}), task),
    getContext: contexts.current,
    flush: pipeline.flush,
    shutdown: (timeoutMs) => shutdown(bounded(timeoutMs, SHUTDOWN_MS, 0)),
    debug: (on = true) => platform.setDebug(on),
  }
  return safeVerbs(verbs, idleAgent(contexts), logger)
}

/** A context over an outer one, field by field and property by property. */
const layered = (outer: RequestContext | undefined, inner: RequestContext): RequestContext => ({
  distinctId: inner.distinctId ?? outer?.distinctId,
  sessionId: inner.sessionId ?? outer?.sessionId,
  properties: { ...outer?.properties, ...inner.properties },
})

const nothing = (): void => {}
