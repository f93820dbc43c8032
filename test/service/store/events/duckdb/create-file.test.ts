import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { derivePersonId } from '../../../../../src/service/persons/person-id.ts'
import { createFile } from '../../../../../src/service/store/events/duckdb/create-file.ts'
import { openDuckDbStore } from '../../../../../src/service/store/events/duckdb/open-store.ts'
import { batchOf, select, storedEvent } from '../../../../contract/service-event-store.ts'
import { canMount, mountMemoryDisk } from '../../../support/disk.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const LIMITS = { memoryMb: 128, spillMb: 0, threads: 1 }
const PAGE_BYTES = 4096

const openStore = (file: string) =>
  openDuckDbStore({ ...LIMITS, file, deriveOriginId: (distinctId) => derivePersonId(1, distinctId) })

/** How many pages are free when the file is created. The file itself takes three. */
const FREE_PAGES = [0, 1, 2, 3, 4, 8]

it.skipIf(!canMount).each(FREE_PAGES)('leaves nothing damaged on a disk with %i free pages', async (pages) => {
  const disk = mountMemoryDisk(1)
  disk.fill()
  const filler = join(disk.path, 'filler')
  truncateSync(filler, statSync(filler).size - pages * PAGE_BYTES)
  const file = join(disk.path, 'events', '1.duckdb')
  await expect(openStore(file)).rejects.toThrow()
  disk.freeSpace()
  const store = await openStore(file)
  await store.commit(batchOf([storedEvent(1)]))
  expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[1]])
  await store.close()
})

it('begins again after a process that ended meanwhile, and ignores the log of a file that was moved away', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  writeFileSync(`${file}.unfinished`, 'DUCK')
  writeFileSync(`${file}.wal`, 'of another file')
  await createFile(file, LIMITS)
  expect([file, `${file}.unfinished`, `${file}.wal`].map(existsSync)).toEqual([true, false, false])
  expect(readFileSync(`${file}.wal.orphan`, 'utf8')).toBe('of another file')
  const store = await openStore(file)
  expect(await select(store, 'SELECT count(*) FROM events')).toEqual([[0]])
  await store.close()
})

it('leaves a file that is there unchanged', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  const store = await openStore(file)
  await store.commit(batchOf([storedEvent(1)]))
  await createFile(file, LIMITS)
  await store.close()
  const reopened = await openStore(file)
  expect(await select(reopened, 'SELECT count(*) FROM events')).toEqual([[1]])
  await reopened.close()
})
