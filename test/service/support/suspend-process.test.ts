import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { eventually, suspendProcess } from './service-process.ts'

let exitResult: Promise<unknown[]>

/** Linux writes the state behind the name of the program (`man proc_pid_stat`). */
const isStopped = (pid: number): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

it('stops a process', async () => {
  const child = spawn('sleep', ['60'])
  exitResult = once(child, 'exit')
  suspendProcess(child.pid!)
  // Of two signals that wait for a busy machine, the one with the lower number comes first.
  await eventually(() => isStopped(child.pid!))
  child.kill('SIGTERM')
  expect(child.exitCode).toBeNull()
})

it('kills the stopped process when the test has finished', async () => {
  expect(await exitResult).toEqual([null, 'SIGKILL'])
})
