import { describe, expect, it } from 'vitest'
import { createContentSpace } from '../../../src/service/export/content-space.ts'

const TOO_LARGE = 'larger than the space that exports have left'

describe('the space of all contents', () => {
  it('is shared by complete contents and those that are being written', () => {
    const space = createContentSpace(100)
    space.setComplete(50)
    const [first, second] = [space.open(), space.open()]
    first.add(30)
    second.add(20)
    expect(() => second.add(1)).toThrow(TOO_LARGE)
  })

  it('is given back by a content that was not completed', () => {
    const space = createContentSpace(100)
    const first = space.open()
    first.add(100)
    first.close()
    expect(() => space.open().add(100)).not.toThrow()
  })

  it('stays taken by a complete content, which counts once', () => {
    const space = createContentSpace(100)
    const first = space.open()
    first.add(40)
    expect(first.bytes()).toBe(40)
    first.complete()
    first.close()
    const second = space.open()
    second.add(60)
    expect(() => second.add(1)).toThrow(TOO_LARGE)
  })
})
