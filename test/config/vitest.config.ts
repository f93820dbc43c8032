import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import './lower-priority.ts'

/** Journeys and service tests start real processes, so they have longer timeouts. */
export default defineConfig({
  test: {
    // `.ci/run` reads the counts from this file.
    reporters: process.env['WAYMARK_TEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['WAYMARK_TEST_REPORT'] }]]
      : ['default'],
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/config/seed.ts'],
    // More than cores, because many tests wait: for limits of time, restarts and browsers.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Property tests take half a second, on a busy machine ten times as long.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Long, because a busy machine is slow. These tests do not measure speed.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          // Each worker imports a module once for all its files, which saves a third of the time. So a test leaves no module changed.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/entry/{index,capture,compat,script,script-capture,extras,script-extras}.test.ts',
            'test/platform/browser/**',
            'test/autocapture/*.test.ts',
            'test/react/*.test.ts',
            'test/journey/**',
            'test/scale/**',
            'test/service/**',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'happy-dom',
          include: [
            'test/entry/{index,capture,compat,script,script-capture,extras,script-extras}.test.ts',
            'test/platform/browser/**/*.test.ts',
            'test/autocapture/*.test.ts',
            'test/react/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          environment: 'node',
          // As above.
          isolate: false,
          include: ['test/service/**/*.test.ts'],
          setupFiles: ['test/service/support/check-fetch.ts'],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'journey',
          environment: 'node',
          include: ['test/journey/**/*.test.ts'],
          testTimeout: 120_000,
          // After all other tests, which would make the browsers slow.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
