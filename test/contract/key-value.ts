import { describe, expect, it } from 'vitest'
import type { KeyValue } from '../../src/port/key-value.ts'

/** Tests that every `KeyValue` must pass. `open` creates a new, empty store. */
export const keyValueContract = (name: string, open: () => KeyValue): void => {
  describe(`key value: ${name}`, () => {
    it('returns the value that was set, by key', () => {
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

    it('overwrites a value with an empty string', () => {
      const store = open()
      store.set('waymark:k', '1')
      expect(store.set('waymark:k', '')).toBe(true)
      expect(store.get('waymark:k')).toBe('')
    })

    it('removes an entry, even a missing one', () => {
      const store = open()
      store.set('k', '1')
      store.remove('k')
      store.remove('k')
      expect(store.get('k')).toBeNull()
    })
  })
}
