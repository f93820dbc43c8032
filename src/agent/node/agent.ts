import type { BeforeSend } from '../../capture/before-send.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { createNodePipeline } from '../../capture/node/pipeline.ts'
import type { NodePipelinePorts } from '../../capture/node/pipeline.ts'
import { createDefinitionsLoader } from '../../flags/node/definitions/create-definitions-loader.ts'
import { createNodeFlags } from '../../flags/node/node-flags.ts'
import { noop } from '../../lib/noop.ts'
import type { OpenStream } from '../../port/open-stream.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { reportRequests } from '../../lib/report-requests.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { Path } from '../../wire/path.ts'
import { VERSION } from '../../wire/version.ts'
import { clamp, SHUTDOWN_TIMEOUT_MS } from '../base-options.ts'
import { createEventVerbs } from './event-verbs.ts'
import { createIdleAgent } from './idle-agent.ts'
import type { NodeAgentOptions, NodeAgentSettings } from './options.ts'
import { createSafeVerbs } from './safe-verbs.ts'
import type { Waymark } from './waymark.ts'

/** The platform's side of the Node agent. */
export interface NodeAgentPlatform extends NodePipelinePorts {
  /** Origin of the service, without a trailing slash. */
  readonly host: string
  /** The `$lib` property of events. */
  readonly library: string
  readonly setDebug: (on: boolean) => void
  /** Opens the stream of pushed flag definitions; without it the agent polls. */
  readonly openStream?: OpenStream | undefined
}

const NO_HOOKS: readonly BeforeSend[] = []

/**
 * Composes the Node agent from event pipeline and flags.
 *
 * @param options The object that was passed to `init`: `before_send` is read from it at each event.
 * @param settings The same options with all defaults filled in.
 */
export const createNodeAgent = (
  apiKey: string,
  options: NodeAgentOptions,
  settings: NodeAgentSettings,
  { send, ...ports }: NodeAgentPlatform,
): Waymark => {
  const { clock, contexts, host, logger } = ports
  const platform = { ...ports, send: reportRequests(clock, send, logger) }
  const disableGeoip = !!options.disableGeoip
  const pipeline = createNodePipeline(
    {
      ...settings,
      apiKey,
      url: host + Path.batch,
      automaticProperties: {
        $lib: platform.library,
        $lib_version: VERSION,
        $is_server: true,
        ...(disableGeoip && { $geoip_disable: true }),
      },
      isOptedOut: options.defaultOptIn === false,
      beforeSend: () => (options.before_send ? [options.before_send].flat() : NO_HOOKS),
      onDrop: options.onDrop ?? noop,
      onSend: options.onSend ?? noop,
    },
    platform,
  )
  const { personalApiKey, flagDefinitionCacheProvider, enableLocalEvaluation = true } = settings
  const canEvaluateLocally =
    enableLocalEvaluation && (isNonBlankString(personalApiKey) || !!flagDefinitionCacheProvider)
  const flags = createNodeFlags(
    { ...settings, apiKey, host, disableGeoip, strictLocalEvaluation: !!settings.strictLocalEvaluation },
    {
      ...platform,
      keepAlive: platform.process.keepAlive,
      definitions: canEvaluateLocally ? createDefinitionsLoader({ ...settings, apiKey, host }, platform) : undefined,
      isOptedOut: pipeline.isOptedOut,
      capture: pipeline.capture,
    },
  )

  const shutdown = async (timeoutMs: number): Promise<void> => {
    const delivered = pipeline.shutdown(timeoutMs)
    await withTimeout(clock, timeoutMs, flags.shutdown())
    await delivered
  }

  const verbs: Waymark = {
    ...createEventVerbs(pipeline, contexts, logger),
    ...flags.verbs,
    register: pipeline.register,
    unregister: (key) => pipeline.register({ [key]: null }),
    optOut: () => pipeline.setOptedOut(true),
    optIn: () => pipeline.setOptedOut(false),
    isOptedOut: pipeline.isOptedOut,
    // Callers may pass the result of a failed look-up: a missing context must not prevent the task.
    withContext: (context, task, options) =>
      contexts.run(options?.fresh ? (context ?? {}) : mergeContexts(contexts.current(), context ?? {}), task),
    getContext: contexts.current,
    getStatus: pipeline.getStatus,
    flush: pipeline.flush,
    shutdown: (timeoutMs) => shutdown(clamp(timeoutMs, SHUTDOWN_TIMEOUT_MS, 0)),
    debug: (on = true) => platform.setDebug(on),
  }
  return createSafeVerbs(verbs, createIdleAgent(contexts), logger)
}

/** Merges by field and by property; the inner context overrides the outer one. */
const mergeContexts = (outer: RequestContext | undefined, inner: RequestContext): RequestContext => ({
  distinctId: inner.distinctId ?? outer?.distinctId,
  sessionId: inner.sessionId ?? outer?.sessionId,
  properties: { ...outer?.properties, ...inner.properties },
})
