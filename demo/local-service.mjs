import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openService } from '../src/service/dist/index.js'

export { scriptTag } from '../src/service/dist/index.js'

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Opens the service on a data folder, and creates what the demo needs: a key that can read events, and the demo's flags.
 *
 * @param {{ dataFolder: string, port: number, personalApiKey?: string }} options
 */
export const openLocalService = async ({ dataFolder, port, personalApiKey }) => {
  const service = await openService({ dataFolder, port })
  const runCommand = async (args, input = '') => {
    const program = pathOf('../src/service/dist/main.js')
    const running = promisify(execFile)(process.execPath, [program, ...args, '--data-folder', dataFolder])
    running.child.stdin.end(input)
    return (await running).stdout
  }
  try {
    const projectId = String(service.project.id)
    const key = personalApiKey ?? (await loadQueryKey(dataFolder, projectId, runCommand))
    await addMissingFlags(runCommand)
    return { service, projectId, personalApiKey: key }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Adds the demo's flags that do not exist. Existing flags stay unchanged, because a user may have edited them. */
const addMissingFlags = async (runCommand) => {
  const existingKeys = new Set((await runCommand(['flag', 'list'])).split(/\s+/))
  const missing = JSON.parse(await readFile(pathOf('flags.json'), 'utf8')).filter(({ key }) => !existingKeys.has(key))
  if (missing.length) await runCommand(['flag', 'set', '-'], JSON.stringify(missing))
}

/**
 * Returns a personal API key that can only read events. The service shows each key once, so it is stored in the data folder for later
 * starts. The page gets this key and not the first one, which can also change flags.
 */
const loadQueryKey = async (dataFolder, projectId, runCommand) => {
  const file = join(dataFolder, 'demo-key')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  const output = await runCommand(['key', 'create', 'demo', '--project', projectId, '--scope', 'query:read'])
  const key = output.trim().split(/\s/)[0]
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return key
}
