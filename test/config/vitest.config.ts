import { defineConfig } from 'vitest/config'

/** Journeys and service tests start real processes: they get time, and run beside nothing that could starve them. */
export default defineConfig({
  test: {
    // `.ci/run` reads the counts from here.
    reporters: process.env['WAYMARK_TEST_REPORT']
      ? ['default', ['json', { outputFile: process.env['WAYMARK_TEST_REPORT'] }]]
      : ['default'],
    root: new URL('../..', import.meta.url).pathname,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/entry/{index,script}.test.ts',
            'test/platform/browser/**',
            'test/autocapture/*.test.ts',
            'test/journey/**',
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
            'test/entry/{index,script}.test.ts',
            'test/platform/browser/**/*.test.ts',
            'test/autocapture/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          environment: 'node',
          include: ['test/service/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'journey',
          environment: 'node',
          include: ['test/journey/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // A browser on a busy machine; what is polled for is not how fast it comes.
          expect: { poll: { timeout: 20_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
})
