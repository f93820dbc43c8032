import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import '../config/lower-priority.ts'
import { POSTGRES_PACKAGES } from './support/postgres-server.mjs'

/** The tests of the metadata on SQLite, which run on each server, too. */
const STORE_TESTS = [
  'test/service/store/metadata/{*,copy/copy-metadata}.test.ts',
  'test/service/persons/{large-persons,lost-rows,order,people,person-updater,places,read-person}.test.ts',
  'test/service/management/change.test.ts',
  'test/service/flags/{decide/decide,definitions/change-flags,definitions/flag-sets}.test.ts',
  'test/service/ingest/row-id-reservation.test.ts',
]

/** Those of the service and its API, which use the same queries, run on the newest only. */
const API_TESTS = [
  'test/scale/{postgres,nodes}/*.test.ts',
  'test/service/management/{cohorts,early-access-features,explicit-members,feature-flags}.test.ts',
  'test/service/management/{flag-references,group-types,people,personal-api-keys,surveys}.test.ts',
  'test/service/flags/feed/streams.test.ts',
  'test/service/survey/survey-cache.test.ts',
  'test/service/auth/*.test.ts',
]

/** Tests that need database servers, which `run.mjs` installs. */
export default defineConfig({
  test: {
    // `.ci/run` reads the counts from this file.
    reporters: process.env['WAYMARK_SCALE_REPORT']
      ? ['default', ['json', { outputFile: process.env['WAYMARK_SCALE_REPORT'] }]]
      : ['default'],
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/config/seed.ts'],
    // Each worker imports a module once for all its files, which saves a third of the time. So a test leaves no module changed.
    isolate: false,
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As in the other suite.
    expect: { poll: { timeout: 20_000 } },
    // Only here, because users install it beside the service.
    alias: { pg: new URL('node_modules/pg/esm/index.mjs', import.meta.url).pathname },
    projects: [
      ...POSTGRES_PACKAGES.map((name) => ({
        extends: true as const,
        test: {
          name,
          environment: 'node' as const,
          include: name === POSTGRES_PACKAGES.at(-1) ? [...STORE_TESTS, ...API_TESTS] : STORE_TESTS,
          setupFiles: ['test/service/support/check-fetch.ts'],
          globalSetup: ['test/scale/support/postgres-project.ts'],
        },
      })),
      {
        extends: true as const,
        test: { name: 'clickhouse', environment: 'node' as const, include: ['test/scale/clickhouse/**/*.test.ts'] },
      },
    ],
  },
})
