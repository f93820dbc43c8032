import type { FastifyInstance } from 'fastify'
import { authorize } from './auth/personal-key.ts'
import { createProjectKeys } from './auth/project-keys.ts'
import type { Config } from './config.ts'
import type { Decide } from './flags/decide/decide-call.ts'
import { createFeedAccess } from './flags/feed/feed-access.ts'
import { answerFeed, answerStream } from './flags/feed/handlers.ts'
import { answerDecide, answerFlags } from './flags/decide/handlers.ts'
import type { FlagSets } from './flags/definitions/flag-sets.ts'
import { createStreams } from './flags/feed/streams.ts'
import { createHealthCheck } from './health.ts'
import { createBodyBudget } from './http/body-budget.ts'
import { createReadJson } from './http/request-body.ts'
import { createRoutes } from './http/route.ts'
import { createServer } from './http/server.ts'
import { addStaticFiles } from './http/static-files.ts'
import type { Indexer } from './indexer/indexer.ts'
import { createAccept } from './ingest/accept.ts'
import type { BodyReader } from './ingest/body-reader.ts'
import { createIngestHandlers } from './ingest/handlers.ts'
import type { Quota } from './ingest/quota.ts'
import { addResource } from './management/add-resource.ts'
import { createCohorts } from './management/cohorts.ts'
import { createEarlyAccessFeatures } from './management/early-access-features.ts'
import { createFeatureFlags } from './management/feature-flags.ts'
import { flagPayload } from './management/flag-payload.ts'
import { createGroupTypes } from './management/group-types.ts'
import { createPublicLists } from './management/public-lists.ts'
import { createQuery } from './management/query.ts'
import { createSurveys } from './management/surveys.ts'
import { answerConfig, answerConfigScript } from './remote-config/config-handlers.ts'
import type { Inbox } from './store/inbox/inbox.ts'
import type { Metadata } from './store/metadata/open.ts'
import { createSurveyLists } from './survey/survey-lists.ts'

/** Everything the routes stand on. */
export interface AppParts {
  readonly config: Config
  readonly inbox: Inbox
  readonly bodyReader: BodyReader
  readonly metadata: Metadata
  readonly indexer: Indexer
  readonly decide: Decide
  readonly flagSets: FlagSets
  /** True while the inbox holds as much as it may. */
  readonly isFull: () => boolean
  readonly quota: Pick<Quota, 'isUsedUp' | 'taken'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A number from 0 to 1, another one at each call. */
  readonly random: () => number
  /** Told about every failure that is the service's own. */
  readonly onError: (error: unknown) => void
  /** Told, in one sentence, what an operator should know and nobody has to repair. */
  readonly onWarning: (message: string) => void
}

/** The service's HTTP side: every route there is. Plugins can be added before it listens. */
export const createApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { config, metadata, onError } = parts
  const { maxBodyBytes } = config
  const projectOfKey = createProjectKeys(metadata)
  const readJson = createReadJson(parts.bodyReader)
  const accept = createAccept({ ...parts, projectOfKey, maxBodyBytes })
  const query = createQuery({ ...parts, timeoutMs: config.queryTimeoutMs, maxRows: config.queryMaxRows })
  const surveyLists = createSurveyLists(parts)
  const feedAccess = createFeedAccess(parts)
  const streams = createStreams(parts)
  const bodyBudget = createBodyBudget({
    limitBytes: config.maxBufferedBytes,
    maxBodyBytes,
    now: () => performance.now(),
  })
  const checkHealth = createHealthCheck({ ...parts, bodyBudget })
  const app = createServer({ config, bodyBudget, onClosing: streams.close, onError })
  const { get, post } = createRoutes(app)

  const ingest = createIngestHandlers({ ...parts, accept, projectOfKey, maxBodyBytes })
  post(['/i/v0/e', '/e', '/capture', '/track'], ingest.capture)
  post(['/batch', '/i/v0/ai/batch'], ingest.batch)
  post(['/engage'], ingest.engage)
  post(['/s'], ingest.recordings)

  const served = { ...parts, projectOfKey, readJson, hasSurveys: surveyLists.hasSurveys }
  post(['/decide'], answerDecide(served))
  post(['/flags'], answerFlags(served))
  get(['/array/:token/config'], answerConfig(served))
  get(['/array/:token/config.js'], answerConfigScript(served))
  await addStaticFiles(app, config)
  get(['/flags/definitions', '/api/feature_flag/local_evaluation'], answerFeed(feedAccess))
  // A stream without a body, as HEAD asks for, would never end.
  get(['/flags/stream'], answerStream(feedAccess, streams), { exposeHeadRoute: false })

  post(['/api/environments/:projectId/query', '/api/projects/:projectId/query'], async (request) => {
    const { authorization } = request.headers
    const { projectId = '' } = request.params
    const key = await authorize(metadata, { authorization, projectId, scope: 'query:read' })
    return query(key.projectId, await readJson(request, maxBodyBytes))
  })
  get(['/api/projects/:projectId/feature_flags/:id/remote_config'], async ({ headers, params }, reply) => {
    const { projectId = '', id = '' } = params
    const { authorization } = headers
    const key = await authorize(metadata, { authorization, projectId, scope: 'feature_flag:read' })
    return reply.type('application/json; charset=utf-8').send(await flagPayload(metadata, key.projectId, id))
  })
  for (const create of [createFeatureFlags, createCohorts, createEarlyAccessFeatures, createGroupTypes, createSurveys])
    addResource(app, { metadata, readJson, maxBodyBytes }, create({ ...parts, surveyLists }))
  const publicLists = createPublicLists({ ...parts, projectOfKey, surveyLists })
  get(['/api/early_access_features'], publicLists.earlyAccessFeatures)
  get(['/api/surveys'], publicLists.surveys)
  get(['/api/web_experiments'], publicLists.webExperiments)

  get(['/healthz'], async (_request, reply) => {
    const health = await checkHealth()
    return reply
      .status(health.status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(health)
  })
  return app
}
