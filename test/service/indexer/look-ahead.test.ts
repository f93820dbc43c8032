import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLookAhead } from '../../../src/service/indexer/look-ahead.ts'
import type { InboxRow } from '../../../src/service/store/inbox/inbox.ts'

const BODY_BYTES = 100

const rowOf = (projectId: number, id: number): InboxRow => ({
  id,
  projectId,
  receivedAt: 0,
  address: null,
  form: 'batch',
  body: Buffer.alloc(BODY_BYTES),
})

/** A loop that indexes rows in order and, when told, those of other projects than a busy one. */
const createReader = (projectIds: readonly number[]) => {
  const rows = projectIds.map((projectId, index) => rowOf(projectId, index + 1))
  const lookAhead = createLookAhead({
    lastAssignedId: () => rows.length,
    readOthersAfter: ({ after, through, projectId }, maxRows) =>
      rows.filter((row) => row.id > after && row.id <= through && row.projectId !== projectId).slice(0, maxRows),
  })
  const indexed: InboxRow[] = []
  let lastRead = 0
  return {
    indexed,
    isAtEnd: () => lastRead === rows.length,
    readInOrder(count: number) {
      const next = rows.slice(lastRead, lastRead + count)
      indexed.push(...lookAhead.withoutRead(next))
      lastRead += next.length
    },
    readAhead(busyProjectId: number, count: number) {
      for (const row of lookAhead.readOthers(busyProjectId, lastRead, count, 1e9)) {
        indexed.push(row)
        lookAhead.onRead(row.projectId, row.id)
      }
    },
    hasOthers: (busyProjectId: number) => lookAhead.hasOthers(busyProjectId, lastRead),
    waiting: () => rows.filter(({ id }) => id > lastRead && !indexed.some((row) => row.id === id)),
  }
}

it('reads each row once, and those of a project in order, whichever project is busy', () => {
  const project = fc.integer({ min: 1, max: 3 })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('order' as const), busy: project, count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('ahead' as const), busy: project, count: fc.integer({ min: 1, max: 4 }) }),
  )
  fc.assert(
    fc.property(fc.array(project, { maxLength: 40 }), fc.array(step, { maxLength: 40 }), (projectIds, steps) => {
      const reader = createReader(projectIds)
      for (const { kind, busy, count } of steps) {
        if (kind === 'order') reader.readInOrder(count)
        else {
          expect(reader.hasOthers(busy)).toBe(reader.waiting().some(({ projectId }) => projectId !== busy))
          reader.readAhead(busy, count)
        }
      }
      while (!reader.isAtEnd()) reader.readInOrder(3)
      expect(reader.indexed.map(({ id }) => id).sort((a, b) => a - b)).toEqual(projectIds.map((_, index) => index + 1))
      for (const projectId of new Set(projectIds)) {
        const ids = reader.indexed.filter((row) => row.projectId === projectId).map(({ id }) => id)
        expect(ids).toEqual([...ids].sort((a, b) => a - b))
      }
    }),
  )
})

it('reads on behind rows that it read for another busy project', () => {
  const reader = createReader([1, 3, 3, 3, 3, 2, 3, 3, 1])
  reader.readAhead(1, 3)
  // Project 2 is busy now: the first page has rows that are read already.
  expect(reader.hasOthers(2)).toBe(true)
  for (let n = 0; n < 4; n++) reader.readAhead(2, 2)
  while (!reader.isAtEnd()) reader.readInOrder(2)
  expect(reader.indexed.filter(({ projectId }) => projectId === 3).map(({ id }) => id)).toEqual([2, 3, 4, 5, 7, 8])
})
