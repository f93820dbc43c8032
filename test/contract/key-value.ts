import { describe, expect, it } from 'vitest'
import type { KeyValue } from '../../src/port/key-value.ts'

/** What every small synchronous store promises. `open` gives a new, empty store each time. */
export const keyValueContract = (name: string, open: () => KeyValue): void => {
  describe(`key value: ${name}`, () => {
    it('gives back what was set, by key', () => {
      const store = open()
      expect(store.set('waymark:k', '{"a":"é;,= \\" 🙂"}')).toBe(true)
      store.set('other', '2')
      expect(store.get('waymark:k')).toBe('{"a":"é;,= \\" 🙂"}')
      expect(store.get('other')).toBe('2')
    })

    it('reads a missing entry as null', () => {
      const store = open()
      expect(store.get('missing')).toBeNull()
    })

    it('overwrites, also with an empty text', () => {
      const store = open()
      store.set('waymark:k', '1')
      expect(store.set('waymark:k', '')).toBe(true)
      expect(store.get('waymark:k')).toBe('')
    })

    it('removes, also what is not there', () => {
      const store = open()
      store.set('k', '1')
      store.remove('k')
      store.remove('k')
      expect(store.get('k')).toBeNull()
    })
  })
}
