import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atExit } from './at-exit.mjs'
import { createTemporaryFolder } from './temporary-folder.mjs'

/** Path of the built command. */
export const SERVICE_SCRIPT = fileURLToPath(new URL('../../src/service/dist/main.js', import.meta.url))

/** One key asks all questions, more often than a person would. */
const ENVIRONMENT = { WAYMARK_MAX_KEY_REQUESTS_PER_MINUTE: '100000' }

/**
 * Starts the built service in its own process.
 *
 * @param {Readonly<Record<string, string>>} environment Added to the environment of this process.
 * @param {string} [existingFolder] Its data folder, which is kept at the stop. Default: a new one, which is removed.
 */
export const startService = async (environment, existingFolder) => {
  const ownFolder = existingFolder === undefined ? createTemporaryFolder() : null
  const folder = existingFolder ?? ownFolder.path
  const child = spawn(process.execPath, [SERVICE_SCRIPT, '--data-folder', folder, '--port', '0'], {
    env: { ...process.env, ...ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const forget = atExit(() => child.kill('SIGKILL'))
  let output = ''
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const match = /listens on (\S+)/.exec(output)
      if (match) resolve(match[1])
    })
    child.on('exit', (code) =>
      reject(new Error(`The service exited with code ${code} before it listened; see its output.`)),
    )
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    forget()
    ownFolder?.remove()
  }
  let stopping = null
  return {
    url,
    pid: child.pid,
    folder,
    // Shown only at the first start with a data folder.
    apiKey: /wm_[\w-]+/.exec(output)?.[0],
    personalApiKey: /wmx_[\w-]+/.exec(output)?.[0],
    /** Also after an earlier call. */
    stop: () => (stopping ??= stop()),
  }
}
