import { payloadOf, valueOf } from '../flag-detail.ts'
import type { KnownFlag } from '../local-flags.ts'
import type { EvaluatedFlags } from './evaluated-flags.ts'

/**
 * @param flags Those that have a value.
 * @param report Told of each read of a value, and of one that is missing.
 * @param accessed Read before.
 */
export const createEvaluatedFlags = (
  distinctId: string | undefined,
  flags: ReadonlyMap<string, KnownFlag>,
  report: (key: string, flag: KnownFlag | undefined) => void,
  accessed: ReadonlySet<string> = new Set(),
): EvaluatedFlags => {
  const read = new Set(accessed)
  let eventProperties: Readonly<Record<string, unknown>> | undefined

  const part = (keys: ReadonlySet<string>): EvaluatedFlags =>
    createEvaluatedFlags(
      distinctId,
      new Map([...flags].filter(([key]) => keys.has(key))),
      // A flag that was left out is not missing.
      (key, flag) => flag && report(key, flag),
      read,
    )
  const access = (key: string): KnownFlag | undefined => {
    const flag = flags.get(key)
    read.add(key)
    report(key, flag)
    return flag
  }

  return Object.freeze({
    distinctId,
    keys: Object.freeze([...flags.keys()]),
    isEnabled: (key: string) => !!valueOf(access(key)),
    getFlag: (key: string) => valueOf(access(key)),
    getFlagPayload: (key: string) => payloadOf(flags.get(key)),
    only: (keys: readonly string[]) => part(new Set(keys)),
    onlyAccessed: () => part(read),
    eventProperties: () => (eventProperties ??= Object.freeze(propertiesOf(flags))),
  })
}

const propertiesOf = (flags: ReadonlyMap<string, KnownFlag>): Record<string, unknown> => {
  if (flags.size === 0) return {}
  const values = [...flags].map(([key, flag]) => [key, valueOf(flag)] as const)
  return {
    ...Object.fromEntries(values.map(([key, value]) => [`$feature/${key}`, value])),
    $active_feature_flags: values.filter(([, value]) => value).map(([key]) => key),
  }
}
