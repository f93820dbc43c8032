/**
 * A small synchronous store of texts: localStorage, a cookie, memory. Writes never throw: `set` answers false when the
 * platform refused (quota, privacy mode) and the text may be gone with the page, and a corrupt or missing entry reads as null.
 */
export interface KeyValue {
  get(key: string): string | null
  set(key: string, value: string): boolean
  remove(key: string): void
}
