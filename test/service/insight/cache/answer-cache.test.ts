import { describe, expect, it } from 'vitest'
import { createAnswerCache } from '../../../../src/service/insight/cache/answer-cache.ts'
import type { CachedAnswer } from '../../../../src/service/insight/cache/answer-cache.ts'

const answerOf = (results: unknown): CachedAnswer => ({ results, computedAt: 1, validBefore: 2, counts: [] })

describe('createAnswerCache', () => {
  it('finds what was added last', () => {
    const cache = createAnswerCache(10_000)
    expect(cache.find('a')).toBeUndefined()
    cache.add('a', answerOf(1))
    cache.add('a', answerOf(2))
    expect(cache.find('a')?.results).toBe(2)
  })

  it('forgets the least recently used answers when it is full', () => {
    const cache = createAnswerCache(3500)
    for (const key of ['a', 'b', 'c']) cache.add(key, answerOf(key))
    cache.find('a')
    cache.add('d', answerOf('d'))
    expect(['a', 'b', 'c', 'd'].map((key) => cache.find(key)?.results)).toEqual(['a', undefined, 'c', 'd'])
  })

  it('does not keep an answer that is larger than it, nor the one before', () => {
    const cache = createAnswerCache(3500)
    cache.add('a', answerOf('small'))
    cache.add('b', answerOf('other'))
    cache.add('a', answerOf('x'.repeat(4000)))
    expect([cache.find('a'), cache.find('b')?.results]).toEqual([undefined, 'other'])
    for (const key of ['c', 'd']) cache.add(key, answerOf(key))
    expect(cache.find('b')?.results).toBe('other')
  })
})
