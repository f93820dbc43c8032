import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'
import { eventsOf, startAgent } from './node-agent.ts'

/** What becomes of captured events when a process ends, in processes that use the built package. */

const service = shareService()
const ENTRY = resolve('dist/node.js')

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'waymark-agent-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Runs a script that has an agent of its own, and answers what it printed; `kill`: it is killed when it prints "kill me". */
const run = (
  script: string,
  options: object = {},
): Promise<{ output: string; end: number | NodeJS.Signals | null }> => {
  const file = join(folder(), 'main.mjs')
  const given = JSON.stringify({ host: service.url, ...options })
  writeFileSync(
    file,
    `import { init } from ${JSON.stringify(ENTRY)}
     const onDrop = ({ event }, reason) => console.log('dropped', reason)
     const waymark = init(${JSON.stringify(service.apiKey)}, { ...${given}, onDrop })
     ${script}`,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (output.includes('kill me')) child.kill('SIGKILL')
  })
  return new Promise((done) => {
    child.on('close', (code, signal) => done({ output, end: signal ?? code }))
  })
}

const capture = (who: string, count: number): string =>
  `for (let n = 0; n < ${count}; n++) waymark.capture({ distinctId: '${who}', event: 'e', properties: { n } })\n`
const waiting = { flushAt: 10_000, flushInterval: 600_000 }

test('its natural end, without a shutdown: all is delivered, and then it ends', async () => {
  const { output, end } = await run(capture('natural', 2_500))
  expect([output, end]).toEqual(['', 0])
  expect(await eventsOf(service, 'natural')).toHaveLength(2_500)
})

test('process.exit() without a folder: what still waits is reported as dropped', async () => {
  const { output } = await run(`${capture('exits', 3)} process.exit(3)`, waiting)
  expect(output).toBe('dropped storage_unavailable\n'.repeat(3))
})

test('process.exit() with a folder: the next process delivers all, once', async () => {
  const persistenceDir = folder()
  const { output, end } = await run(`${capture('kept', 300)} process.exit(3)`, { ...waiting, persistenceDir })
  expect([output, end]).toEqual(['', 3])
  const { drops } = startAgent(service, { persistenceDir })
  await expect.poll(async () => (await eventsOf(service, 'kept')).length, { timeout: 30_000 }).toBe(300)
  expect(drops).toEqual([])
})

test('kill -9 after the turn of the capture, with a folder: the next process delivers all, once', async () => {
  const persistenceDir = folder()
  const script = `${capture('killed', 300)} setImmediate(() => setImmediate(() => console.log('kill me')))
    setInterval(() => undefined, 1_000)`
  const { end } = await run(script, { ...waiting, persistenceDir })
  expect(end).toBe('SIGKILL')
  const { drops } = startAgent(service, { persistenceDir })
  await expect.poll(async () => (await eventsOf(service, 'killed')).length, { timeout: 30_000 }).toBe(300)
  expect(drops).toEqual([])
})

test('a process that does nothing but watch flags ends by itself', async () => {
  const { end, output } = await run(
    'await waymark.waitForLocalEvaluationReady(); console.log(waymark.isLocalEvaluationReady())',
    {
      personalApiKey: service.personalApiKey,
      flagUpdates: 'stream',
    },
  )
  expect([end, output]).toEqual([0, 'true\n'])
})
