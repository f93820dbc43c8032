import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { until } from './indexer-test-bed.ts'

const SCRIPT = new URL('../../../src/service/dist/indexer.js', import.meta.url).pathname

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('ends when its parent is killed', async () => {
  const parent = spawn(
    process.execPath,
    [
      '-e',
      `console.log(require('node:child_process').fork(${JSON.stringify(SCRIPT)}).pid); setInterval(() => 0, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !isAlive(pid))
})
