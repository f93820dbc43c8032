import type { ReadVerbs } from './read-verbs.ts'

/** Creates a function that returns the flags as properties of events: computed again only when `getFlags` returns another object. */
export const createEventProperties = (
  getFlags: () => object | undefined,
  { getFeatureFlags }: ReadVerbs,
): (() => Readonly<Record<string, unknown>>) => {
  let properties: Record<string, unknown> = {}
  let propertiesFlags: object | undefined
  return () => {
    const flags = getFlags()
    if (flags !== propertiesFlags) {
      propertiesFlags = flags
      const values = getFeatureFlags()
      properties = { $active_feature_flags: flags && Object.keys(values).filter((name) => values[name]) }
      for (const name of Object.keys(values)) properties[`$feature/${name}`] = values[name]
    }
    return properties
  }
}
