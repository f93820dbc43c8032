import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { isOwnerId, getOwnerStatus, createOwnerId } from '../../../../src/platform/node/event-files/owner.ts'
import { compileLog } from './support/compiled.ts'

// On busy machines a process may take seconds to start.
vi.setConfig({ testTimeout: 60_000 })

const self = createOwnerId(randomBytes(6))

/** The id of the current owner with some numbers replaced: process id, thread id, start time. */
const withNumbers = (...numbers: readonly (string | number)[]): string => {
  const parts = self.split('-')
  numbers.forEach((number, index) => (parts[index + 1] = String(number)))
  return parts.join('-')
}

const OWNER_MODULE = compileLog().replace('event-files.js', 'owner.js')
const PRINT_OWNER = `const { createOwnerId } = await import(${JSON.stringify(OWNER_MODULE)}); console.log(createOwnerId(new Uint8Array(6)))`

/** Starts a process that prints its owner id and keeps running. */
const startProcess = async (): Promise<{ owner: string; end: () => Promise<void>; stop: () => void }> => {
  const code = `${PRINT_OWNER}; setInterval(() => {}, 1000)`
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

// On other systems the owner id contains only the process id.
describe.skipIf(process.platform !== 'linux')('an owner', () => {
  it('has an id of its own for each agent of a thread', () => {
    expect(isOwnerId(self)).toBe(true)
    expect(isOwnerId('free')).toBe(false)
    expect(createOwnerId(randomBytes(6))).not.toBe(self)
  })

  it('is alive while its thread runs, as are the other agents of the thread', () => {
    expect(getOwnerStatus(self, self)).toBe('alive')
    expect(getOwnerStatus(createOwnerId(randomBytes(6)), self)).toBe('alive')
  })

  it('is dead when its process id is free or belongs to a newer process', () => {
    const [, , tid] = readlinkSync('/proc/thread-self').split('/')
    expect(getOwnerStatus(withNumbers(4_194_305, 4_194_305), self)).toBe('dead')
    expect(getOwnerStatus(withNumbers(process.pid, tid!, 1), self)).toBe('dead')
  })

  it('has an unknown status on another host, in another container and after a reboot', () => {
    expect(getOwnerStatus(self.replace(/^k\w+/, 'k0123456789abcdef'), self)).toBe('unknown')
    expect(getOwnerStatus(self.replace(/^k/, 'h'), self)).toBe('unknown')
    expect(getOwnerStatus('nonsense', self)).toBe('unknown')
  })

  it('is alive while its process is stopped, and dead after it was killed', async () => {
    const otherProcess = await startProcess()
    expect(getOwnerStatus(otherProcess.owner, self)).toBe('alive')
    otherProcess.stop()
    await wait(50)
    expect(getOwnerStatus(otherProcess.owner, self)).toBe('alive')
    await otherProcess.end()
    expect(getOwnerStatus(otherProcess.owner, self)).toBe('dead')
  })

  it('is dead when its thread has ended, even if its process runs', async () => {
    const code = `import('node:worker_threads').then(async ({ parentPort }) => {
      const { createOwnerId } = await import(${JSON.stringify(OWNER_MODULE)})
      parentPort.on('message', () => {})
      parentPort.postMessage(createOwnerId(new Uint8Array(6)))
    })`
    const worker = new Worker(code, { eval: true })
    const [owner] = (await once(worker, 'message')) as [string]
    expect(getOwnerStatus(owner, self)).toBe('alive')
    await worker.terminate()
    // The kernel may list the thread for a moment more.
    await expect.poll(() => getOwnerStatus(owner, self)).toBe('dead')
  })

  it('has an unknown status when only the process id is known and it is in use', () => {
    const hostOwner = 'h0123456789abcdef-1-0-0-aa'
    expect(getOwnerStatus(hostOwner.replace('-1-', `-${process.pid}-`), hostOwner)).toBe('unknown')
    expect(getOwnerStatus(hostOwner.replace('-1-', '-4194305-'), hostOwner)).toBe('dead')
  })
})
