import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of the built command. */
export const SERVICE_SCRIPT = fileURLToPath(new URL('../../src/service/dist/main.js', import.meta.url))

/**
 * Starts the built service in its own process.
 *
 * @param {Readonly<Record<string, string>>} environment Added to the environment of this process.
 * @param {string} [existingFolder] Its data folder, which is kept at the stop. Default: a new one, which is removed.
 */
export const startService = async (environment, existingFolder) => {
  const folder = existingFolder ?? mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const child = spawn(process.execPath, [SERVICE_SCRIPT, '--data-folder', folder, '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
  return {
    url,
    pid: child.pid,
    folder,
    // Shown only at the first start with a data folder.
    apiKey: /wm_[\w-]+/.exec(output)?.[0],
    personalApiKey: /wmx_[\w-]+/.exec(output)?.[0],
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      if (existingFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
