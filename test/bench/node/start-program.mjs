import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

/**
 * Starts a program with an agent. `heard` is what it tells next, `tell` lets it go on, `ended` resolves when the process has.
 *
 * @param {{ row: string, part: string, found: object, options: { host: string, persistenceDir?: string } }} job
 */
export const startProgram = (job) => {
  // Packages talk on the console when a service fails: that is no part of the result.
  const child = fork(PROGRAM, [JSON.stringify(job)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints = (complaints + chunk).slice(-2000)))
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal, at: Date.now() }))
  const unexpected = ended.then(({ code, signal }) => {
    throw new Error(`${job.row} of ${job.found.name} ended with ${code ?? signal}: ${complaints}`)
  })
  unexpected.catch(() => undefined)
  return {
    pid: child.pid,
    heard: () => Promise.race([once(child, 'message').then(([message]) => message), unexpected]),
    tell: (message) => child.send(message),
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
