import { expect, it } from 'vitest'
import { keepUnchanged } from '../../src/react/keep-unchanged.ts'

const createResult = (variant: string, payload: unknown) => ({ key: 'hero', enabled: true, variant, payload })

it('keeps a result while its content is the same', () => {
  const last = createResult('calm', { title: 'Hi' })
  expect(keepUnchanged(last, createResult('calm', { title: 'Hi' }))).toBe(last)
  expect(keepUnchanged(undefined, last)).toBe(last)
  expect(keepUnchanged(last, undefined)).toBeUndefined()
})

it('keeps the payload of a flag whose value alone has changed', () => {
  const last = createResult('calm', { title: 'Hi' })
  const result = keepUnchanged(last, createResult('bold', { title: 'Hi' }))
  expect(result).toEqual(createResult('bold', { title: 'Hi' }))
  expect(result!.payload).toBe(last.payload)
})

it('returns a new payload with the same value', () => {
  const next = createResult('calm', { title: 'Hello' })
  expect(keepUnchanged(createResult('calm', { title: 'Hi' }), next)).toEqual(next)
})

it('keeps a payload that has no JSON, which a test may have set', () => {
  const payload: Record<string, unknown> = {}
  payload['self'] = payload
  const last = createResult('calm', payload)
  expect(keepUnchanged(last, createResult('calm', payload))).toBe(last)
})
