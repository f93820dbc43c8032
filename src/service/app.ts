import type { FastifyInstance } from 'fastify'
import { createAuthenticate } from './auth/authenticate.ts'
import { createProjectAuthenticator } from './auth/project-authenticator.ts'
import { createWrongKeyCounter } from './auth/wrong-keys.ts'
import type { ShareCounts } from './auth/share-counts.ts'
import { readVersion } from './version.ts'
import { chooseStoreSql } from './choose-store-sql.ts'
import type { Config } from './config.ts'
import type { Decide } from './flags/decide/flag-request.ts'
import { createAuthorizeFeed } from './flags/feed/authorize-feed.ts'
import { createFeedHandler, createStreamHandler } from './flags/feed/handlers.ts'
import { createDecideHandler, createFlagsHandler } from './flags/decide/handlers.ts'
import type { FlagSets } from './flags/definitions/flag-sets.ts'
import { createStreams } from './flags/feed/streams.ts'
import { createHealthCheck } from './health.ts'
import { createBodyBudget } from './http/body-budget.ts'
import { describeProxySettings } from './http/proxy-trust.ts'
import { createJsonReader } from './http/request-body.ts'
import { createRoutes } from './http/route.ts'
import { createServer } from './http/server.ts'
import { createUnsentBytes } from './http/unsent-bytes.ts'
import { addStaticFiles } from './http/static-files.ts'
import { addScripts } from './script/add-scripts.ts'
import type { Indexer } from './indexer/indexer.ts'
import { createAcceptRequest } from './ingest/accept-request.ts'
import type { BodyReader } from './ingest/body-reader.ts'
import { createIngestHandlers } from './ingest/handlers.ts'
import { createLossReporter } from './ingest/loss-reporter.ts'
import type { QuotaTracker } from './ingest/quota-tracker.ts'
import { addResource } from './management/add-resource.ts'
import { addManagementApi } from './management/api.ts'
import { createCohorts } from './management/cohorts.ts'
import { createEarlyAccessFeatures } from './management/early-access-features.ts'
import { addExplicitMembers } from './management/explicit-members.ts'
import { createFeatureFlags } from './management/feature-flags.ts'
import { addLocalEvaluation } from './management/local-evaluation.ts'
import { addRemoteConfig } from './management/remote-config.ts'
import { createGroupTypes } from './management/group-types.ts'
import { addOrganizationMembers } from './management/organization-members.ts'
import { addOrganizations } from './management/organizations.ts'
import { addPersonalApiKeys } from './management/personal-api-keys.ts'
import { addProject, addProjects } from './management/projects.ts'
import { addPublicLists } from './management/public-lists.ts'
import type { ExportFiles } from './export/export-files.ts'
import { createExporter } from './export/exporter.ts'
import { prepareContent } from './export/prepare-content.ts'
import type { Renderer } from './export/picture/renderer.ts'
import { createAnswerCache } from './insight/cache/answer-cache.ts'
import { addSavedResource } from './management/add-saved-resource.ts'
import { addQueries } from './management/query.ts'
import { createAskStore } from './management/ask-store.ts'
import { addEvents } from './management/events.ts'
import { addGroups } from './management/groups.ts'
import { addPersons } from './management/persons.ts'
import { addDefinitions } from './management/definitions.ts'
import { createExportAsk } from './management/create-export-ask.ts'
import { addExports } from './management/exports.ts'
import { createDashboards } from './management/dashboards.ts'
import { createInsightAnswers } from './management/insight-answers.ts'
import { createInsights } from './management/insights.ts'
import { addQueryDraft } from './management/query-draft.ts'
import { createQueries } from './query/queries.ts'
import { namedSchemas } from './management/schema/named-schemas.ts'
import { addSchemaRoute } from './openapi/schema-route.ts'
import { addOpenApi } from './openapi/add-open-api.ts'
import { createSchemaCompilers } from './schema/compilers.ts'
import { createPlaylists } from './management/session-recording-playlists.ts'
import { createSurveys } from './management/surveys.ts'
import { createSessionCounts } from './playlist/session-counts.ts'
import { addUsers } from './management/users.ts'
import { createConfigHandler, createConfigScriptHandler } from './remote-config/config-handlers.ts'
import { createReadinessCheck } from './readiness.ts'
import type { Inbox } from './store/inbox/inbox.ts'
import type { NodeMetadata } from './store/metadata/node-id.ts'
import type { WatchChanges } from './store/metadata/watch-changes.ts'
import { createSurveyCache } from './survey/survey-cache.ts'

/** Dependencies of the routes. */
export interface AppParts extends NodeMetadata {
  readonly config: Config
  readonly inbox: Inbox
  readonly bodyReader: BodyReader
  /** Tells of changes in the metadata by other processes. Default: they are effective within ten seconds. */
  readonly watchChanges?: WatchChanges
  /** Default: rate limits are of this process. */
  readonly shareCounts?: ShareCounts | undefined
  readonly indexer: Indexer
  readonly decide: Decide
  readonly flagSets: FlagSets
  readonly exportFiles: ExportFiles
  readonly renderer: Pick<Renderer, 'render'>
  /** True while the inbox has reached its size limit. */
  readonly isFull: () => boolean
  readonly quota: Pick<QuotaTracker, 'isExceeded' | 'recordRow'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A random number from 0 to 1 at each call. */
  readonly random: () => number
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
  /** The same for errors of exports. Default: `onError`. */
  readonly onExportError?: (error: unknown) => void
  /** Called with a sentence that the operator should read but need not act on. */
  readonly onWarning: (message: string) => void
}

/** Milliseconds that a request for playlists may wait for their counts. */
const SESSION_COUNT_TIMEOUT_MS = 5_000

/** Creates the HTTP server with all routes. Plugins can be added before it listens. */
export const createApp = async (parts: AppParts): Promise<FastifyInstance> => {
  const { config, metadata, onError } = parts
  const { maxBodyBytes } = config
  for (const line of describeProxySettings(config)) parts.onWarning(line)
  const { engine, draftDialect, syntax } = chooseStoreSql(config)
  const countWrongKey = createWrongKeyCounter(config.maxWrongKeysPerMinute, parts.shareCounts)
  const authenticateProject = createProjectAuthenticator(metadata, countWrongKey, parts.watchChanges)
  const readJson = createJsonReader(parts.bodyReader)
  const lossReporter = createLossReporter()
  const acceptRequest = createAcceptRequest({ ...parts, authenticateProject, maxBodyBytes, lossReporter })
  const surveyCache = createSurveyCache(parts)
  const authenticate = createAuthenticate({ ...parts, countWrongKey })
  const sessionCounts = createSessionCounts({ ...parts, engine, timeoutMs: SESSION_COUNT_TIMEOUT_MS })
  const authorizeFeed = createAuthorizeFeed({ ...parts, authenticate, countWrongKey })
  const streams = createStreams(parts)
  const bodyBudget = createBodyBudget({
    limitBytes: config.maxBufferedBytes,
    maxBodyBytes,
    now: () => performance.now(),
  })
  const unsentBytes = createUnsentBytes({ limitBytes: config.maxUnsentBytes, now: () => performance.now() })
  const checkHealth = createHealthCheck({ ...parts, bodyBudget, lossReporter })
  const checkReadiness = createReadinessCheck(parts)
  const schemas = createSchemaCompilers(namedSchemas)
  const { compilersFactory } = schemas
  const queries = createQueries({
    ...parts,
    timeoutMs: config.queryTimeoutMs,
    maxResultBytes: config.queryResultsBytes,
  })
  const cache = createAnswerCache(config.queryResultsBytes)
  const createAsk = createExportAsk({ metadata, queries, cache, syntax, now: parts.now })
  const exporter = createExporter({
    ...parts,
    files: parts.exportFiles,
    createContent: (job, signal) => prepareContent(job, signal, { ...parts, createAsk }),
    maxBytes: config.exportsBytes,
    onError: parts.onExportError ?? onError,
  })
  const onClosing = (): void => {
    streams.close()
    queries.close()
  }
  const app = createServer({ config, bodyBudget, unsentBytes, compilersFactory, onClosing, onError })
  app.addHook('onReady', exporter.start)
  app.addHook('preClose', exporter.close)
  await addOpenApi(app, namedSchemas, readVersion())
  const { get, post } = createRoutes(app)

  const ingest = createIngestHandlers({ ...parts, acceptRequest, authenticateProject, maxBodyBytes })
  post(['/i/v0/e', '/e', '/capture', '/track'], ingest.capture)
  post(['/batch', '/i/v0/ai/batch'], ingest.batch)
  post(['/engage'], ingest.engage)
  post(['/s'], ingest.recordings)

  const handlerParts = { ...parts, authenticateProject, readJson, hasSurveys: surveyCache.hasSurveys }
  post(['/decide'], createDecideHandler(handlerParts))
  post(['/flags'], createFlagsHandler(handlerParts))
  get(['/array/:token/config'], createConfigHandler(handlerParts))
  get(['/array/:token/config.js'], createConfigScriptHandler(handlerParts))
  addScripts(get)
  await addStaticFiles(app, config)
  get(['/flags/definitions'], createFeedHandler(authorizeFeed))
  // A HEAD request for a stream would never end.
  get(['/flags/stream'], createStreamHandler(authorizeFeed, streams, unsentBytes), { exposeHeadRoute: false })

  const resources = [createFeatureFlags, createCohorts, createEarlyAccessFeatures, createGroupTypes, createSurveys].map(
    (create) => create({ ...parts, surveyCache }),
  )
  addManagementApi(
    app,
    {
      ...parts,
      authenticate,
      readJson,
      maxBodyBytes,
      maxKeyRequestsPerMinute: config.maxKeyRequestsPerMinute,
      loadSchemas: schemas.load,
    },
    {
      addRootRoutes: (api) => {
        addUsers(api, parts)
        addPersonalApiKeys(api, parts)
        addOrganizations(api, parts)
        addOrganizationMembers(api, parts)
        addProjects(api, parts)
        addPublicLists(api, { ...parts, authenticateProject, surveyCache })
        addLocalEvaluation(api, createFeedHandler(authorizeFeed))
        addSchemaRoute(api)
      },
      addProjectRoutes: (api) => {
        addProject(api, parts)
        addExplicitMembers(api, parts)
        const queryOptions = { ...parts, queries, cache, syntax, maxRows: config.queryMaxRows }
        addQueries(api, queryOptions)
        const answers = createInsightAnswers(queryOptions)
        const askStore = createAskStore(queries)
        addQueryDraft(api, { ...parts, askStore, draftDialect })
        addDefinitions(api, { metadata, askStore })
        addEvents(api, { ...parts, askStore })
        addPersons(api, { ...parts, askStore })
        addGroups(api, { ...parts, askStore })
        addSavedResource(api, createInsights({ ...parts, answers, syntax }), parts)
        addSavedResource(api, createDashboards({ ...parts, answers }), parts)
        addExports(api, { ...parts, exporter, syntax, files: parts.exportFiles })
        for (const resource of resources) addResource(api, resource, parts)
        addSavedResource(api, createPlaylists({ ...parts, engine, sessionCounts }), parts)
        addRemoteConfig(api, metadata)
      },
    },
  )

  get(['/healthz'], async (_request, reply) => {
    const health = await checkHealth()
    return reply
      .status(health.status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(health)
  })
  get(['/readyz'], (_request, reply) => {
    const readiness = checkReadiness()
    return reply
      .status(readiness.status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(readiness)
  })
  return app
}
