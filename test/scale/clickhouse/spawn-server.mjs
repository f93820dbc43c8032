import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Each running statement holds a thread. With Node's four, cancelled statements would leave none for the KILL that ends them. */
const POOL_THREADS = '16'

const PROGRAM = fileURLToPath(new URL('server.mjs', import.meta.url))

/**
 * Starts the test server (`server.mjs`) in a process of its own, and waits until it listens.
 *
 * @param {string} folder Of its data.
 * @param {number} port 0 for any.
 * @param {string} password Of its administrator, `default`.
 */
export const spawnServer = async (folder, port, password) => {
  const child = spawn(process.execPath, [PROGRAM, folder, String(port), password], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: POOL_THREADS },
  })
  // chDB reads the rows of an INSERT from here, too.
  child.stdin.end()
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, port: Number(line) }
}
