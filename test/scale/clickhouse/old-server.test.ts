import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../../../src/service/data-folder.ts'
import { checkServer } from '../../../src/service/store/events/clickhouse/check-server.ts'
import { connectPlainly } from '../../../src/service/store/events/clickhouse/connect.ts'
import { runCommand } from '../../../src/service/store/events/clickhouse/run-command.ts'
import { writeKill } from '../../../src/service/store/events/clickhouse/run-select.ts'
import { hasOldServer, startOldServer } from './old-server.ts'

/** What a real server shows that chDB cannot: it has connections, users and a `KILL QUERY` of its own. It is too old for events. */
const withOldServer = test.skipIf(!hasOldServer)

withOldServer('a server that is too old is refused with its version, and a wrong password as such', async () => {
  const { url, password } = await startOldServer()
  const check = (secret: string) =>
    checkServer({
      url: `${url.replace('http', 'clickhouse').replace('//', `//default:${secret}@`)}/waymark`,
      passwordFile: null,
    })
  await expect(check(password)).rejects.toThrow(StartError)
  await expect(check(password)).rejects.toThrow(/is version 18\.\S+; the events need 23\.8 or newer\.$/)
  expect(await check('wrong')).toMatch(/Wrong password for user default/)
})

withOldServer('rows are inserted compressed, and a running query is ended', async () => {
  const { url, password } = await startOldServer()
  const client = await connectPlainly({ url, username: 'default', password, databasePrefix: 'test' })
  onTestFinished(() => client.close())
  const read = async (query: string): Promise<string> =>
    (await (await client.query({ query, format: 'TabSeparated' })).text()).trim()

  await runCommand(client, 'CREATE TABLE numbers (number UInt64, text String) ENGINE = Memory')
  const values = Array.from({ length: 20_000 }, (_, number) => ({ number, text: `ключ ${number}` }))
  await client.insert({ table: 'numbers', values, format: 'JSONEachRow' })
  expect(await read('SELECT count(), sum(number), uniqExact(text) FROM numbers')).toBe('20000\t199990000\t20000')

  const id = randomUUID()
  const running = () => read(`SELECT count() FROM system.processes WHERE query_id = '${id}'`)
  const slow = client.query({ query: 'SELECT count() FROM system.numbers', query_id: id, format: 'TabSeparated' })
  const ended = expect(slow).rejects.toThrow()
  await expect.poll(running, { timeout: 10_000 }).toBe('1')
  await runCommand(client, writeKill(id))
  await ended
  await expect.poll(running, { timeout: 10_000 }).toBe('0')
})
