import type { KeyValue } from '../port/key-value.ts'

/** Something that the agent has found out about the service's host or about a proxy in front of it, and keeps for later pages. */
export interface HostMark {
  readonly host: string
  isSet(): boolean
  set(isSet: boolean): void
}

/** @param key Key in `storage` of an entry that contains `host` while the mark is set. So an agent with another host does not have the mark. */
export const createHostMark = (storage: KeyValue, key: string, host: string): HostMark => ({
  host,
  isSet: () => storage.get(key) === host,
  set(isSet) {
    if (isSet) storage.set(key, host)
    else storage.remove(key)
  },
})
