import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashToUuid } from '../../../../src/service/persons/person-id.ts'
import { createPendingUuids } from '../../../../src/service/store/events/pending-uuids.ts'
import { positionAfterRow, positionBeforeEvent } from '../../../../src/service/store/row-position.ts'

describe('pending uuids', () => {
  /** A name stands for a uuid. */
  const identity = (name: string, inboxRow: number, index = 0) => ({ uuid: hashToUuid(name), inboxRow, index })

  it('belong to the first event that claims them, which may claim them again', () => {
    const pending = createPendingUuids()
    expect(pending.isClaimed(identity('a', 1))).toBe(false)
    expect(pending.isClaimed(identity('a', 1, 1))).toBe(true)
    expect(pending.isClaimed(identity('a', 2))).toBe(true)
    expect(pending.isClaimed(identity('a', 1))).toBe(false)
  })

  it('are kept until the commit of their row, and of a row that is stored in part', () => {
    const pending = createPendingUuids()
    for (const [row, uuid] of ['a', 'b', 'c'].entries()) pending.isClaimed(identity(uuid, row + 1))
    pending.onCommit(positionBeforeEvent({ inboxRow: 2, ordinal: 1 }))
    expect(['a', 'b', 'c'].map((uuid) => pending.isClaimed(identity(uuid, 9)))).toEqual([false, true, true])
    pending.clear()
    expect(pending.isClaimed(identity('c', 10))).toBe(false)
  })

  it('one event owns each uuid that is not committed, whatever rows are checked and committed', () => {
    const step = fc.oneof(
      fc.record({ uuid: fc.constantFrom('a', 'b', 'c', 'd'), index: fc.nat(1), isNextRow: fc.boolean() }),
      fc.constant('commit' as const),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const pending = createPendingUuids()
        const owners = new Map<string, { readonly inboxRow: number; readonly index: number }>()
        let inboxRow = 1
        for (const next of steps) {
          if (next === 'commit') {
            pending.onCommit(positionAfterRow(inboxRow))
            owners.clear()
            inboxRow += 1
            continue
          }
          if (next.isNextRow) inboxRow += 1
          const owner = owners.get(next.uuid) ?? { inboxRow, index: next.index }
          owners.set(next.uuid, owner)
          const isOwn = owner.inboxRow === inboxRow && owner.index === next.index
          expect(pending.isClaimed(identity(next.uuid, inboxRow, next.index))).toBe(!isOwn)
        }
      }),
    )
  })

  it('tells uuids apart that differ in one digit', () => {
    const uuid = hashToUuid('a')
    const others = Array.from(uuid, (digit, at) => uuid.slice(0, at) + (digit === 'f' ? '0' : 'f') + uuid.slice(at + 1))
    const pending = createPendingUuids()
    for (const [index, other] of [uuid, ...others].entries()) {
      if (other[8] !== '-' || other[13] !== '-' || other[18] !== '-' || other[23] !== '-') continue
      expect(pending.isClaimed({ uuid: other, inboxRow: 1, index })).toBe(false)
    }
  })

  it('of many large and small commits are those of the rows that are not stored', () => {
    const anyCommit = fc.record({ events: fc.constantFrom(10, 2000, 5000), delay: fc.nat(3) })
    fc.assert(
      fc.property(fc.array(anyCommit, { maxLength: 12 }), (commits) => {
        const pending = createPendingUuids()
        let firstRow = 1
        for (const [number, { events, delay }] of commits.entries()) {
          const row = number + 1
          for (let n = 0; n < events; n++) pending.isClaimed(identity(`${row} ${n}`, row, n))
          if (row - delay >= firstRow) {
            pending.onCommit(positionAfterRow(row - delay))
            firstRow = row - delay + 1
          }
          for (let earlier = firstRow; earlier <= row; earlier++) {
            const last = commits[earlier - 1]!.events - 1
            for (const n of [0, last]) expect(pending.isClaimed(identity(`${earlier} ${n}`, 99, n))).toBe(true)
            expect(pending.isClaimed(identity(`${earlier} ${last}`, earlier, last))).toBe(false)
          }
          // Claims it again, which changes nothing for the rows that follow.
          if (firstRow > 1) expect(pending.isClaimed(identity(`${firstRow - 1} 0`, firstRow - 1))).toBe(false)
        }
      }),
      { numRuns: 20 },
    )
  })
})
