import { describe, expect, it } from 'vitest'
import { readPages } from '../../src/management/read-pages.ts'

const readAll = async (...answers: readonly unknown[]): Promise<readonly unknown[]> => {
  const waiting = [...answers]
  const items: unknown[] = []
  for await (const page of readPages(async () => waiting.shift(), '/api/things/?limit=2', undefined))
    items.push(...page.results)
  return items
}

describe('the pages of a list', () => {
  it('are read one after the other', async () => {
    const first = { count: 3, next: 'http://other.test/api/things/?limit=2&offset=2', previous: null, results: [1, 2] }
    expect(await readAll(first, { count: 3, next: null, previous: null, results: [3] })).toEqual([1, 2, 3])
  })

  it.each([{}, { results: null }, { results: {} }, [], 'text', 7, null, undefined])(
    'are those of the service, not %j of another host',
    async (answer) => {
      await expect(readAll(answer)).rejects.toMatchObject({ name: 'ConnectionError', code: 'not_the_service' })
    },
  )
})
