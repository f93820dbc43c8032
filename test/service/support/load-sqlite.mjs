import { createRequire } from 'node:module'

const require = createRequire(new URL('../../../src/service/package.json', import.meta.url))

/** The service's own SQLite library for this version of Node, as `sqlite.ts` chooses it. */
export const Sqlite = require(Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'better-sqlite3-node-20')
