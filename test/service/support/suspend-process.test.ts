import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { suspendProcess } from './service-process.ts'

let exitResult: Promise<unknown[]>

it('stops a process', async () => {
  const child = spawn('sleep', ['60'])
  exitResult = once(child, 'exit')
  suspendProcess(child.pid!)
  child.kill('SIGTERM')
  expect(child.exitCode).toBeNull()
})

it('kills the stopped process when the test has finished', async () => {
  expect(await exitResult).toEqual([null, 'SIGKILL'])
})
