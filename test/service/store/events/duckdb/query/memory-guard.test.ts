import { describe, expect, it, vi } from 'vitest'
import { createMemoryGuard } from '../../../../../../src/service/store/events/duckdb/query/memory-guard.ts'

const MIB = 1024 ** 2

const createFixture = (memoryMb: number, startMb: number) => {
  let memory = startMb * MIB
  const endProcess = vi.fn()
  const guard = createMemoryGuard({ memoryMb, readMemory: () => memory, endProcess })
  /** What the guard says at this memory: 'fine', 'exceeded' or 'ended'. */
  const at = (mb: number): string => {
    memory = mb * MIB
    const isExceeded = guard.isExceeded()
    return endProcess.mock.calls.length > 0 ? 'ended' : isExceeded ? 'exceeded' : 'fine'
  }
  return { at }
}

describe('the guard of the memory of a query', () => {
  it.each([
    ['1 GiB beside the memory of the store, and 1 GiB until it stops', 512, 200, 1536, 2560],
    ['the same with more memory', 4096, 200, 5120, 6144],
    ['twice the memory of a small store', 256, 200, 768, 1792],
    ['512 MiB more than it had before', 512, 2000, 2512, 3536],
    ['512 MiB more in a small process', 64, 100, 612, 1636],
  ])('allows %s', (_, memoryMb, startMb, limitMb, endMb) => {
    const { at } = createFixture(memoryMb, startMb)
    expect([at(limitMb), at(limitMb + 1), at(endMb), at(endMb + 1)]).toEqual(['fine', 'exceeded', 'exceeded', 'ended'])
  })

  it('remembers that it was exceeded', () => {
    const { at } = createFixture(512, 100)
    expect([at(2000), at(100)]).toEqual(['exceeded', 'exceeded'])
  })
})
