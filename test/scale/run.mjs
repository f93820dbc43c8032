import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installServers } from './install-servers.mjs'

/** `npm run test:scale`: installs the servers, then runs the tests. Arguments go to Vitest. */

const folder = import.meta.dirname

installServers()
const { status } = spawnSync(
  process.execPath,
  [
    join(folder, '../../node_modules/vitest/vitest.mjs'),
    'run',
    '-c',
    join(folder, 'vitest.config.ts'),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
)
process.exitCode = status ?? 1
