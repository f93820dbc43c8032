import { defineConfig } from 'vitest/config'

/** Tests that need database servers, which `run.mjs` installs. */
export default defineConfig({
  test: {
    // `.ci/run` reads the counts from this file.
    reporters: process.env['WAYMARK_SCALE_REPORT']
      ? ['default', ['json', { outputFile: process.env['WAYMARK_SCALE_REPORT'] }]]
      : ['default'],
    root: new URL('../..', import.meta.url).pathname,
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'clickhouse',
          environment: 'node',
          include: ['test/scale/clickhouse/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          environment: 'node',
          include: ['test/scale/postgres/**/*.test.ts'],
        },
      },
    ],
  },
})
