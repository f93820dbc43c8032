import { describe, expect, it } from 'vitest'
import { createContentSpace, maxBytesOfProject } from '../../../src/service/export/content-space.ts'

const ALL = { usedBytes: 0, maxBytes: Infinity }
const TOO_LARGE = 'larger than the space that exports have left'

describe('the space of all contents', () => {
  it('is shared by complete contents and those that are being written', () => {
    const space = createContentSpace(100)
    space.setComplete(50)
    const [first, second] = [space.open(ALL), space.open(ALL)]
    first.add(30)
    second.add(20)
    expect(() => second.add(1)).toThrow(TOO_LARGE)
  })

  it('is given back by a content that was not completed', () => {
    const space = createContentSpace(100)
    const first = space.open(ALL)
    first.add(100)
    first.close()
    expect(() => space.open(ALL).add(100)).not.toThrow()
  })

  it('stays taken by a complete content, which counts once', () => {
    const space = createContentSpace(100)
    const first = space.open(ALL)
    first.add(40)
    expect(first.bytes()).toBe(40)
    first.complete()
    first.close()
    const second = space.open(ALL)
    second.add(60)
    expect(() => second.add(1)).toThrow(TOO_LARGE)
  })

  it('has a share for each project, which another one cannot take', () => {
    const space = createContentSpace(100)
    space.setComplete(40)
    const first = space.open({ usedBytes: 30, maxBytes: 50 })
    first.add(20)
    expect(() => first.add(1)).toThrow('the exports of this project')
    first.close()
    expect(() => space.open({ usedBytes: 10, maxBytes: 50 }).add(40)).not.toThrow()
  })

  it('is all for the only project', () => {
    expect([1, 2, 100].map((count) => maxBytesOfProject(101, count))).toEqual([101, 50, 50])
  })
})
