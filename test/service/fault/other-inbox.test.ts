import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crash, expectEachOnce, MANY_ROWS, sendBatch, sendWaiting } from '../support/service-faults.ts'
import { caughtUp, keysIn, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ENDS = ['', '-wal', '-shm']

test('stores what comes after the inbox file was lost, though its ids begin anew', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(first.url, apiKey, [{ event: 'before' }])).uuids)
  await caughtUp(first.url)
  expect(await first.end('SIGTERM')).toBe(0)
  for (const end of ENDS) rmSync(`${inbox}${end}`, { force: true })
  const again = await startService(folder, { args: MANY_ROWS })
  const after = await sendBatch(again.url, apiKey, [{ event: 'after' }])
  await expectEachOnce(again.url, personalApiKey, [...stored, ...after.uuids])
})

test('stores what comes after an older inbox file was put back, in which rows wait that were stored since', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  const waiting = (await sendWaiting(first, apiKey, 10)).flat()
  await crash(first)
  for (const end of ENDS) cpSync(`${inbox}${end}`, join(folder, `old${end}`))
  const second = await startService(folder, { args: MANY_ROWS })
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(second.url, apiKey, [{ event: 'since' }])).uuids)
  await expectEachOnce(second.url, personalApiKey, [...waiting, ...stored])
  expect(await second.end('SIGTERM')).toBe(0)
  for (const end of ENDS) cpSync(join(folder, `old${end}`), `${inbox}${end}`)
  const third = await startService(folder, { args: MANY_ROWS })
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(third.url, apiKey, [{ event: 'after' }])).uuids)
  await expectEachOnce(third.url, personalApiKey, [...waiting, ...stored])
})
