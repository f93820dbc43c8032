import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

/**
 * Starts a program with an agent. `nextMessage` resolves to its next message, `send` sends one to it, `ended` resolves when it has exited.
 *
 * @param {{ row: string, part: string, packageInfo: object, options: { host: string, persistenceDir?: string } }} job
 */
export const startProgram = (job) => {
  // Packages log to the console when a service fails; the bench ignores that.
  const child = fork(PROGRAM, [JSON.stringify(job)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let errorOutput = ''
  child.stderr.on('data', (chunk) => (errorOutput = (errorOutput + chunk).slice(-2000)))
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal, at: Date.now() }))
  const unexpected = ended.then(({ code, signal }) => {
    throw new Error(
      `The program of ${job.row} for ${job.packageInfo.name} exited with ${code ?? signal}: ${errorOutput}`,
    )
  })
  unexpected.catch(() => undefined)
  return {
    pid: child.pid,
    nextMessage: () => Promise.race([once(child, 'message').then(([message]) => message), unexpected]),
    send: (message) => child.send(message),
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
