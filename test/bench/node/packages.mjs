import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Our name in the table. */
export const OURS = 'waymark'

/** Our second row: the same agent, whose events also lie on disk. */
export const DURABLE = 'persistenceDir'

/**
 * The agents of the bench, ours first. `kind` says how one is started (agents.mjs); `alias` is the name under which it is installed.
 *
 * @typedef {{ name: string, kind: 'waymark' | 'posthog' | 'segment', alias?: string, way?: string }} Listed
 * @type {readonly Listed[]}
 */
const LISTED = [
  { name: OURS, kind: 'waymark' },
  { name: OURS, kind: 'waymark', way: DURABLE },
  { name: 'posthog-node', kind: 'posthog', alias: 'posthog-node' },
  { name: 'posthog-node', kind: 'posthog', alias: 'posthog-node-4' },
  { name: '@segment/analytics-node', kind: 'segment', alias: '@segment/analytics-node' },
]

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The listed agents with their versions, and where a program finds each: `from` is the folder of the file that asks for `specifier`.
 *
 * @param {string} folder Where the field is installed.
 */
export const foundPackages = (folder) =>
  Promise.all(
    LISTED.map(async ({ name, kind, way, alias }) => ({
      name,
      kind,
      way,
      version: await versionIn(alias ? join(folder, 'node_modules', alias) : ROOT),
      // Ours as built, which is what its user gets.
      entry: alias ? { from: folder, specifier: alias } : { from: ROOT, specifier: './dist/node.js' },
    })),
  )

const versionIn = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version
