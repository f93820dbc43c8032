import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Runs the tests of an app, and returns the report of Jest. Throws an error with this report when a test fails.
 *
 * @param packages The folder of `installAppPackages`. What Jest compiles stays there for the next run.
 */
export const runJest = (packages: string, app: string, env: Readonly<Record<string, string>> = {}): unknown => {
  const flags = [
    '--json',
    '--runInBand',
    '--watchman=false',
    `--cacheDirectory=${join(packages, 'jest-cache')}`,
    // The first import of a component compiles all of React Native: longer than Jest's 5 s on a busy machine.
    '--testTimeout=100000',
  ]
  const output = execFileSync(process.execPath, [join(packages, 'node_modules/jest/bin/jest.js'), ...flags], {
    cwd: app,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...env },
  })
  return JSON.parse(output) as unknown
}
