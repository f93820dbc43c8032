import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import { createApp } from '../../../src/service/app.ts'
import type { AppParts } from '../../../src/service/app.ts'
import { findBuiltScript } from '../../../src/service/find-built-script.ts'
import { withDefaults } from '../../../src/service/config.ts'
import { createDecide } from '../../../src/service/flags/decide/decide.ts'
import { createExportFiles } from '../../../src/service/export/export-files.ts'
import { createRenderer } from '../../../src/service/export/picture/renderer.ts'
import { createFlagSets } from '../../../src/service/flags/definitions/flag-sets.ts'
import { emptyGeoLookup } from '../../../src/service/geo/geo-lookup.ts'
import { createBodyReader } from '../../../src/service/ingest/body-reader.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import { ALL_SCOPES } from '../../../src/service/permission/scopes.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { openTestMetadata } from './open-test-metadata.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { createDocumentChecker } from './document-checker.ts'
import { createMemoryIndexer } from './memory-indexer.ts'
import { createTempFolder } from './temp-folder.ts'

/** For all tests of a file: the document depends on the code alone, and it takes half as long to read as a service to open. */
let documentChecker: ReturnType<typeof createDocumentChecker> | undefined

/** Makes `inject` check every answer of the management API against the OpenAPI document. */
const checkAnswers = async (app: FastifyInstance): Promise<void> => {
  const inject = app.inject.bind(app)
  const check = (documentChecker ??= createDocumentChecker((await inject('/api/schema/')).json()))
  app.inject = (async (options: InjectOptions) => {
    const response = await inject(options)
    const { method = 'GET', url } = options
    const contentType = response.headers['content-type']?.toString()
    check({ method, url: url as string, status: response.statusCode, contentType, body: response.body })
    return response
  }) as unknown as typeof app.inject
}

/** The user that every installation has. */
export const OWNER_ID = 1

/** Opens the routes with a real inbox, real metadata and an indexer that the test controls. */
export const openApp = async (overrides: Partial<AppParts> = {}) => {
  const { service, close } = await openAppIn(createTempFolder(), overrides)
  onTestFinished(close)
  return service
}

/** Like `openApp`, for all tests of a file. The caller must close it. */
export const openServiceForFile = async (overrides: Partial<AppParts> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  const { service, close } = await openAppIn(folder, overrides)
  return {
    service,
    close: async () => {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const openAppIn = async (folder: string, overrides: Partial<AppParts>) => {
  const inbox = openSqliteInbox({ path: join(folder, 'inbox.sqlite') })
  const metadata = overrides.metadata ?? (await openTestMetadata())
  const indexer = createMemoryIndexer()
  const exportsFolder = join(folder, 'exports')
  mkdirSync(exportsFolder)
  const warnings: string[] = []
  const onWarning = (message: string): unknown => warnings.push(message)
  const renderer = createRenderer({ script: findBuiltScript('picture-thread'), fontsFolder: null, onWarning })
  const bodyReader = createBodyReader(findBuiltScript('body-thread'))
  const project = await createProject(metadata, 'Shop', 1000)
  const { key: personalApiKey } = await createPersonalApiKey(metadata, {
    userId: OWNER_ID,
    projectIds: [project.id],
    label: 'test',
    scopes: [ALL_SCOPES],
    now: 1000,
  })
  const errors: unknown[] = []
  const onError = (error: unknown): unknown => errors.push(error)
  const now = overrides.now ?? (() => 1_800_000_000_000)
  const flagSets = createFlagSets({ metadata, now, onError })
  const app = await createApp({
    config: withDefaults(),
    inbox,
    bodyReader,
    metadata,
    nodeId: ONLY_NODE,
    indexer,
    decide: createDecide({ metadata, flagSets, geo: emptyGeoLookup, now, onError }),
    flagSets,
    exportFiles: createExportFiles(exportsFolder),
    renderer,
    isFull: () => false,
    quota: { isExceeded: () => false, recordRow: () => {} },
    now,
    random: Math.random,
    onError,
    onWarning,
    ...overrides,
  })
  await checkAnswers(app)
  const close = async (): Promise<void> => {
    await app.close()
    await bodyReader.close()
    await renderer.close()
    await metadata.destroy()
    inbox.close()
  }
  const service = { app, inbox, metadata, indexer, flagSets, project, personalApiKey, errors, warnings }
  return { service, close }
}
