/** A small synchronous store of strings: localStorage, a cookie, or memory. No method throws. */
export interface KeyValue {
  /** Null when the entry is missing or corrupt. */
  get(key: string): string | null
  /** False when the platform refused the write (quota, privacy mode): the value may be lost with the page. */
  set(key: string, value: string): boolean
  remove(key: string): void
}
