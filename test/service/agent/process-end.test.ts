import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { shareService } from '../support/shared-service.ts'
import { queryEvents, startAgent } from './node-agent.ts'

/** What happens to captured events when a process with the built package ends. */

const service = shareService()
const ENTRY = resolve('dist/node.js')

const createFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'waymark-agent-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Runs a script with its own agent and returns its output. The script is killed when it prints "kill me". */
const runScript = (
  script: string,
  options: object = {},
): Promise<{ output: string; end: number | NodeJS.Signals | null }> => {
  const file = join(createFolder(), 'main.mjs')
  const optionsJson = JSON.stringify({ host: service.url, ...options })
  writeFileSync(
    file,
    `import { init } from ${JSON.stringify(ENTRY)}
     const onDrop = ({ event }, reason) => console.log('dropped', reason)
     const waymark = init(${JSON.stringify(service.apiKey)}, { ...${optionsJson}, onDrop })
     ${script}`,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (output.includes('kill me')) child.kill('SIGKILL')
  })
  return new Promise((resolveRun) => {
    child.on('close', (code, signal) => resolveRun({ output, end: signal ?? code }))
  })
}

const capture = (distinctId: string, count: number): string =>
  `for (let n = 0; n < ${count}; n++) waymark.capture({ distinctId: '${distinctId}', event: 'e', properties: { n } })\n`
const KEEP_QUEUED = { flushAt: 10_000, flushInterval: 600_000 }

test('end of the script without a shutdown: delivers all events first', async () => {
  const { output, end } = await runScript(capture('natural', 2_500))
  expect([output, end]).toEqual(['', 0])
  expect(await queryEvents(service, 'natural')).toHaveLength(2_500)
})

test('process.exit() without a folder: reports queued events as dropped', async () => {
  const { output } = await runScript(`${capture('exits', 3)} process.exit(3)`, KEEP_QUEUED)
  expect(output).toBe('dropped storage_unavailable\n'.repeat(3))
})

test('process.exit() with a folder: the next process delivers all events once', async () => {
  const persistenceDir = createFolder()
  const { output, end } = await runScript(`${capture('kept', 300)} process.exit(3)`, { ...KEEP_QUEUED, persistenceDir })
  expect([output, end]).toEqual(['', 3])
  const { drops } = startAgent(service, { persistenceDir })
  await expect.poll(async () => (await queryEvents(service, 'kept')).length, { timeout: 30_000 }).toBe(300)
  expect(drops).toEqual([])
})

test('kill -9 with a folder: the next process delivers all events once', async () => {
  const persistenceDir = createFolder()
  const script = `${capture('killed', 300)} setImmediate(() => setImmediate(() => console.log('kill me')))
    setInterval(() => undefined, 1_000)`
  const { end } = await runScript(script, { ...KEEP_QUEUED, persistenceDir })
  expect(end).toBe('SIGKILL')
  const { drops } = startAgent(service, { persistenceDir })
  await expect.poll(async () => (await queryEvents(service, 'killed')).length, { timeout: 30_000 }).toBe(300)
  expect(drops).toEqual([])
})

test('a flag stream: does not keep the process alive', async () => {
  const { end, output } = await runScript(
    'await waymark.waitForLocalEvaluationReady(); console.log(waymark.isLocalEvaluationReady())',
    {
      personalApiKey: service.personalApiKey,
      flagUpdates: 'stream',
    },
  )
  expect([end, output]).toEqual([0, 'true\n'])
})
