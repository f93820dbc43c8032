import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { isOwner, lifeOf, newOwner } from '../../../../src/platform/node/event-files/owner.ts'
import { compiledLog } from './support/compiled.ts'

// Disks of busy machines take their time to make a file safe, and processes to start.
vi.setConfig({ testTimeout: 60_000 })

const self = newOwner(randomBytes(6))

/** The owner with other numbers: process, thread, begin. */
const changed = (...numbers: readonly (string | number)[]): string => {
  const parts = self.split('-')
  numbers.forEach((number, at) => (parts[at + 1] = String(number)))
  return parts.join('-')
}

const OWNER_MODULE = compiledLog().replace('event-files.js', 'owner.js')
const SAY_OWNER = `const { newOwner } = await import(${JSON.stringify(OWNER_MODULE)}); console.log(newOwner(new Uint8Array(6)))`

/** A process of its own that has said who it is, and goes on. */
const startProcess = async (): Promise<{ owner: string; end: () => Promise<void>; stop: () => void }> => {
  const code = `${SAY_OWNER}; setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [owner] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return {
    owner: owner.trim(),
    stop: () => void child.kill('SIGSTOP'),
    async end() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

// On other systems there is only the process id to go by.
describe.skipIf(process.platform !== 'linux')('the owner of a log', () => {
  it('has a form of its own, and is another for each agent of a thread', () => {
    expect(isOwner(self)).toBe(true)
    expect(isOwner('free')).toBe(false)
    expect(newOwner(randomBytes(6))).not.toBe(self)
  })

  it('lives while its thread does, and so do the other agents of the thread', () => {
    expect(lifeOf(self, self)).toBe('alive')
    expect(lifeOf(newOwner(randomBytes(6)), self)).toBe('alive')
  })

  it('is dead when its process id is nobody’s, or another process’s by now', () => {
    const [, , tid] = readlinkSync('/proc/thread-self').split('/')
    expect(lifeOf(changed(4_194_305, 4_194_305), self)).toBe('dead')
    expect(lifeOf(changed(process.pid, tid!, 1), self)).toBe('dead')
  })

  it('is unknown on another host, in another container and before another boot', () => {
    expect(lifeOf(self.replace(/^k\w+/, 'k0123456789abcdef'), self)).toBe('unknown')
    expect(lifeOf(self.replace(/^k/, 'h'), self)).toBe('unknown')
    expect(lifeOf('nonsense', self)).toBe('unknown')
  })

  it('lives while its process is stopped, and is dead once that was killed', async () => {
    const other = await startProcess()
    expect(lifeOf(other.owner, self)).toBe('alive')
    other.stop()
    await wait(50)
    expect(lifeOf(other.owner, self)).toBe('alive')
    await other.end()
    expect(lifeOf(other.owner, self)).toBe('dead')
  })

  it('is dead when its thread has ended, though its process lives', async () => {
    const code = `import('node:worker_threads').then(async ({ parentPort }) => {
      const { newOwner } = await import(${JSON.stringify(OWNER_MODULE)})
      parentPort.on('message', () => {})
      parentPort.postMessage(newOwner(new Uint8Array(6)))
    })`
    const worker = new Worker(code, { eval: true })
    const [owner] = (await once(worker, 'message')) as [string]
    expect(lifeOf(owner, self)).toBe('alive')
    await worker.terminate()
    expect(lifeOf(owner, self)).toBe('dead')
  })

  it('is not known to be dead where only its process id is known, which another process may have', () => {
    const named = 'h0123456789abcdef-1-0-0-aa'
    expect(lifeOf(named.replace('-1-', `-${process.pid}-`), named)).toBe('unknown')
    expect(lifeOf(named.replace('-1-', '-4194305-'), named)).toBe('dead')
  })
})
