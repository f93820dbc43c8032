import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Our name in the table. */
export const OURS = 'waymark'

/** Our second row: the same agent, which also stores its events on disk. */
export const DURABLE = 'persistenceDir'

/**
 * The agents of the bench, ours first. `kind` selects how an agent is started (agents.mjs); `alias` is its installed package name.
 *
 * @typedef {{ name: string, kind: 'waymark' | 'posthog' | 'segment', alias?: string, way?: string }} PackageEntry
 * @type {readonly PackageEntry[]}
 */
const PACKAGES = [
  { name: OURS, kind: 'waymark' },
  { name: OURS, kind: 'waymark', way: DURABLE },
  { name: 'posthog-node', kind: 'posthog', alias: 'posthog-node' },
  { name: 'posthog-node', kind: 'posthog', alias: 'posthog-node-4' },
  { name: '@segment/analytics-node', kind: 'segment', alias: '@segment/analytics-node' },
]

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Lists the agents with their versions and entries. A program imports `specifier` as if from a file in the folder `from`.
 *
 * @param {string} folder Folder with the installed packages.
 */
export const listPackages = (folder) =>
  Promise.all(
    PACKAGES.map(async ({ name, kind, way, alias }) => ({
      name,
      kind,
      way,
      version: await readVersion(alias ? join(folder, 'node_modules', alias) : ROOT),
      // Our built package, as users get it.
      entry: alias ? { from: folder, specifier: alias } : { from: ROOT, specifier: './dist/node.js' },
    })),
  )

const readVersion = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version
