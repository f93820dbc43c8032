import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  parseKeys,
  queryRows,
  SERVICE_SCRIPT,
  startService,
  waitForIndexer,
} from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { SERVICE_ENVIRONMENT } from '../support/start-on-postgres.ts'
import { openCluster, post } from './cluster.ts'

const drain = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, [SERVICE_SCRIPT, 'drain', ...args], {
    env: { ...process.env, ...SERVICE_ENVIRONMENT },
  })

test('what a lost node had acknowledged is stored from a copy of its folder, once', async () => {
  const { start, args, clickHouse } = await openCluster()
  const first = await start()
  const { apiKey, personalApiKey } = parseKeys(first.output())
  const folder = createTempFolder()
  const lost = await start(folder)
  const send = (batch: readonly object[]) => post(`${lost.url}/batch/`, { api_key: apiKey, batch })
  const createEvents = (event: string) =>
    Array.from({ length: 50 }, (_, n) => ({
      event,
      uuid: randomUUID(),
      distinct_id: `user ${n}`,
      properties: { $set: { plan: 'pro' } },
    }))
  await send(createEvents('stored'))
  await waitForIndexer(lost.url)
  await clickHouse.kill()
  await send(createEvents('waiting'))
  await lost.end('SIGKILL')
  const copy = join(createTempFolder(), 'copy')
  cpSync(folder, copy, { recursive: true })
  await clickHouse.restart()

  for (let run = 0; run < 2; run++) {
    const { stdout } = await drain([...args, '--from', copy])
    expect(stdout).toContain('are stored. The folder is not needed any more.')
    const sql = 'SELECT event, toInt32(count()), toInt32(uniqExact(uuid)) FROM events GROUP BY event ORDER BY event'
    await expect
      .poll(() => queryRows(first.url, personalApiKey, sql), { timeout: 20_000 })
      .toEqual([
        ['stored', 50, 50],
        ['waiting', 50, 50],
      ])
  }
}, 120_000)

test('says what is missing', async () => {
  const { args, start } = await openCluster()
  await start()
  await expect(drain(['--from', createTempFolder()])).rejects.toThrow(
    'Set --metadata and --events as the node had them.',
  )
  await expect(drain([...args, '--from', createTempFolder()])).rejects.toThrow('has no inbox.sqlite')
  const embedded = createTempFolder()
  await (await startService(embedded)).end('SIGTERM')
  await expect(drain([...args, '--from', embedded])).rejects.toThrow('has metadata of its own')
})
