import { afterEach, expect, it, vi } from 'vitest'
import { resolveHost } from '../../../src/platform/browser/resolve-host.ts'
import { visit } from '../../support/visit.ts'

afterEach(() => vi.unstubAllGlobals())

it('puts the origin of the page before a path, and leaves URLs as they are', () => {
  visit('https://shop.example.com/cart?a=1')
  expect(resolveHost('/ingest')).toBe('https://shop.example.com/ingest')
  expect(resolveHost('https://waymark.test/a')).toBe('https://waymark.test/a')
})

it('leaves a path where there is no origin', () => {
  vi.stubGlobal('location', { origin: 'null' })
  expect(resolveHost('/ingest')).toBe('/ingest')
  vi.stubGlobal('location', { origin: 'https://null.example.com' })
  expect(resolveHost('/ingest')).toBe('https://null.example.com/ingest')
  vi.stubGlobal('location', undefined)
  expect(resolveHost('/ingest')).toBe('/ingest')
})
