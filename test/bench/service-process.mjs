import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What runs the built service, from the command line. */
export const SERVICE_SCRIPT = fileURLToPath(new URL('../../src/service/dist/main.js', import.meta.url))

/**
 * Starts the built service on a data folder of its own, in a process of its own.
 *
 * @param {Readonly<Record<string, string>>} environment Added to this process's.
 */
export const startService = async (environment) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const child = spawn(process.execPath, [SERVICE_SCRIPT, '--data-folder', folder, '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const found = /listens on (\S+)/.exec(output)
      if (found) resolve(found[1])
    })
    child.on('exit', (code) => reject(new Error(`The service ended with ${code}.`)))
  })
  return {
    url,
    folder,
    apiKey: /wm_[\w-]+/.exec(output)[0],
    personalApiKey: /wmx_[\w-]+/.exec(output)[0],
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
