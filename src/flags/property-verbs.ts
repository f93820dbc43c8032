import { stringify } from '../lib/stringify.ts'
import type { JsonObject } from '../wire/json.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import type { FlagVerbs } from './flag-verbs.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** The verbs that change the properties of the next request. */
export type PropertyVerbs = Pick<
  FlagVerbs,
  | 'setPersonPropertiesForFlags'
  | 'resetPersonPropertiesForFlags'
  | 'setGroupPropertiesForFlags'
  | 'resetGroupPropertiesForFlags'
>

/** @param loadChanges Loads the flags, unless the last load had the same properties. */
export const createPropertyVerbs = (snapshots: SnapshotStore, loadChanges: () => void): PropertyVerbs => {
  const change = (changes: FlagSnapshot, reload = true): void => {
    snapshots.update(changes)
    if (reload) loadChanges()
  }
  return {
    setPersonPropertiesForFlags: (properties, reload) =>
      change({ person: toPlainObject({ ...snapshots.current().person, ...(properties as JsonObject) }) }, reload),
    resetPersonPropertiesForFlags: (reload) => change({ person: undefined }, reload),
    setGroupPropertiesForFlags(properties, reload) {
      const { group } = snapshots.current()
      const changes = Object.entries(toPlainObject(properties as Record<string, JsonObject>))
      change(
        {
          group: {
            ...group,
            ...Object.fromEntries(changes.map(([type, values]) => [type, { ...group?.[type], ...values }])),
          },
        },
        reload,
      )
    },
    resetGroupPropertiesForFlags: (groupType, reload) =>
      change(
        { group: groupType === undefined ? groupType : { ...snapshots.current().group, [groupType]: undefined } },
        reload,
      ),
  }
}

/** Returns a copy that can be stored and sent as JSON. Throws for values that JSON cannot represent. */
const toPlainObject = <T extends object>(properties: T): T => JSON.parse(stringify(properties)) as T
