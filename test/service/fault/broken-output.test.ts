import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canMount, mountMemoryDisk } from '../support/disk.ts'
import { isRunning, sendBatch } from '../support/service-faults.ts'
import { eventually, listChildPids, parseKeys, SERVICE_SCRIPT, startService } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** Of a file on a disk in memory. */
const PAGE_BYTES = 4096

/** Starts the service on a socket of its own choice, so that the output need not be read. */
const spawnService = (folder: string, port: number, stdio: (number | 'pipe')[]): ChildProcess => {
  const args = [SERVICE_SCRIPT, 'serve', '--data-folder', folder, '--port', String(port)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', ...stdio] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const startOnce = async () => {
  const folder = createTempFolder()
  const service = await startService(folder)
  const { port } = new URL(service.url)
  const { apiKey } = parseKeys(service.output())
  await service.end('SIGTERM')
  return { folder, port: Number(port), url: service.url, apiKey }
}

const isReady = (url: string) => async (): Promise<boolean> => {
  const response = await fetch(`${url}/readyz`).catch(() => null)
  return response?.ok === true
}

/** Kills the indexer, which the front reports, and waits for the next one. */
const killIndexer = async (pid: number): Promise<void> => {
  const [indexer] = listChildPids(pid)
  process.kill(indexer!, 'SIGKILL')
  await eventually(() => listChildPids(pid).some((other) => other !== indexer))
}

test('goes on when the readers of its output are gone', async () => {
  const { folder, port, url, apiKey } = await startOnce()
  const child = spawnService(folder, port, ['pipe', 'pipe'])
  child.stdout!.destroy()
  child.stderr!.destroy()
  await eventually(isReady(url))
  await killIndexer(child.pid!)
  await killIndexer(child.pid!)
  expect((await sendBatch(url, apiKey, [{ event: 'a' }])).status).toBe(200)
  expect(isRunning(child.pid!)).toBe(true)
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test.skipIf(!canMount)('goes on when the disk of its log is full, and counts the lost lines', async () => {
  const { folder, port, url, apiKey } = await startOnce()
  const disk = mountMemoryDisk(1)
  const log = join(disk.path, 'log')
  const file = openSync(log, 'a')
  const child = spawnService(folder, port, [file, file])
  closeSync(file)
  await eventually(isReady(url))
  await eventually(() => readFileSync(log, 'utf8').includes('listens on'))
  // Its last page must be full too.
  appendFileSync(log, 'x'.repeat(PAGE_BYTES - (statSync(log).size % PAGE_BYTES)))
  disk.fill()
  await killIndexer(child.pid!)
  await killIndexer(child.pid!)
  expect((await sendBatch(url, apiKey, [{ event: 'a' }])).status).toBe(200)
  disk.freeSpace()
  await killIndexer(child.pid!)
  const readLog = (): string => readFileSync(log, 'utf8')
  await eventually(() => /log: \d+ lines? before this one could not be written \(ENOSPC/.test(readLog()))
  await eventually(() => /Z warn {2}indexer: The indexer process ended \(SIGKILL\)/.test(readLog()))
})

test.skipIf(!existsSync('/dev/full'))('reports a command whose output cannot be written as failed', () => {
  const full = openSync('/dev/full', 'w')
  const args = [SERVICE_SCRIPT, 'project', 'create', 'Shop', '--data-folder', createTempFolder()]
  const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' })
  closeSync(full)
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^waymark-service: The output cannot be written: ENOSPC.*\n$/),
  ])
})

test.skipIf(!existsSync('/dev/full'))('creates no keys that it cannot show', async () => {
  const folder = createTempFolder()
  const full = openSync('/dev/full', 'w')
  const child = spawnService(folder, 0, [full, 'pipe'])
  closeSync(full)
  let errors = ''
  child.stderr!.on('data', (chunk) => (errors += String(chunk)))
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1)
  expect(errors).toMatch(/^waymark-service: The keys of the first start cannot be shown, .*ENOSPC.*\n$/)
  expect(parseKeys((await startService(folder)).output()).personalApiKey).toMatch(/^wmx_/)
})
