import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openService } from '../src/service/dist/index.js'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Opens the service on its data folder with what the demo needs: a key that reads events, and the demo's flags.
 *
 * @param {{ dataFolder: string, port: number, personalApiKey?: string }} options
 */
export const openLocalService = async ({ dataFolder, port, personalApiKey }) => {
  const service = await openService({ dataFolder, port })
  const command = async (args, input = '') => {
    const program = path('../src/service/dist/main.js')
    const running = promisify(execFile)(process.execPath, [program, ...args, '--data-folder', dataFolder])
    running.child.stdin.end(input)
    return (await running).stdout
  }
  try {
    const projectId = String(service.project.id)
    const key = personalApiKey ?? (await readingKey(dataFolder, projectId, command))
    await addMissingFlags(command)
    return { service, projectId, personalApiKey: key }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Flags that are there stay as they are: somebody may have changed them to see what happens. */
const addMissingFlags = async (command) => {
  const known = new Set((await command(['flag', 'list'])).split(/\s+/))
  const missing = JSON.parse(await readFile(path('flags.json'), 'utf8')).filter(({ key }) => !known.has(key))
  if (missing.length) await command(['flag', 'set', '-'], JSON.stringify(missing))
}

/**
 * A key that may do nothing but read events, kept beside the data: the service shows each key once, and every start needs it. The
 * page gets this one, not the first key, which may change flags.
 */
const readingKey = async (dataFolder, projectId, command) => {
  const file = join(dataFolder, 'demo-key')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  const created = await command(['key', 'create', 'demo', '--project', projectId, '--scope', 'query:read'])
  const key = created.trim().split(/\s/)[0]
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return key
}
