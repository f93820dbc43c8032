import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPendingUuids } from '../../../../src/service/store/events/pending-uuids.ts'
import { positionAfterRow, positionBeforeEvent } from '../../../../src/service/store/row-position.ts'

describe('pending uuids', () => {
  const identity = (uuid: string, inboxRow: number, index = 0) => ({ uuid, inboxRow, index })

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
})
