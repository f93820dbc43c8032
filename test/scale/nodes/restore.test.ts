import { expect, test } from 'vitest'
import { allOf, openTwoNodes, USERS } from './two-nodes.ts'

test('nodes go on with restored backups of both stores, and the metadata have every person of the events', async () => {
  const { postgres, clickHouse, nodes, send, waitForAll, count, readPersons, stopAll, startAll } = await openTwoNodes()
  await send('backed up')
  await waitForAll()
  // In the order that the README tells, while nodes run and events arrive.
  await clickHouse.kill()
  const events = clickHouse.copyData()
  await clickHouse.restart()
  await send('between')
  await waitForAll()
  await postgres.stop()
  const metadata = postgres.copyData()
  await postgres.start()
  await send('later')
  await waitForAll()

  await stopAll()
  await postgres.stop()
  await postgres.start(metadata)
  await clickHouse.restart(events)
  await startAll()
  await waitForAll()
  // The requests after the backup may have been in the inboxes still.
  expect(await readPersons()).toEqual([{ last: expect.stringMatching(/^(between|later)$/), persons: USERS }])
  await send('after')
  await waitForAll()
  for (const node of nodes) {
    const rows = await count(node)
    expect(rows).toEqual(expect.arrayContaining([allOf('after'), allOf('backed up')]))
    // As above.
    for (const [event, stored, different] of rows) expect([event, different]).toEqual([event, stored])
  }
  expect(await readPersons()).toEqual([{ last: 'after', persons: USERS }])
}, 240_000)
