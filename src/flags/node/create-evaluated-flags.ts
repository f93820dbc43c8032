import { keepEqual } from '../../lib/keep-equal.ts'
import { getFlagPayload, getFlagValue } from '../flag-detail.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import type { EvaluatedFlags } from './evaluated-flags.ts'

/**
 * Creates an immutable snapshot of a user's flags.
 *
 * @param flags All flags that have a value.
 * @param report Called at each read of a value; `flag` is undefined if the flag is missing.
 * @param warn Told of unknown keys in `only()`.
 * @param initialAccessedKeys Keys that were read through the snapshot that this one was filtered from.
 */
export const createEvaluatedFlags = (
  distinctId: string | undefined,
  flags: ReadonlyMap<string, ResolvedFlag>,
  report: (key: string, flag: ResolvedFlag | undefined) => void,
  warn: (message: string) => void,
  initialAccessedKeys: ReadonlySet<string> = new Set(),
): EvaluatedFlags => {
  const accessedKeys = new Set(initialAccessedKeys)
  let eventProperties: Readonly<Record<string, unknown>> | undefined

  const filter = (keys: ReadonlySet<string>): EvaluatedFlags =>
    createEvaluatedFlags(
      distinctId,
      new Map([...flags].filter(([key]) => keys.has(key))),
      // A missing flag is not reported here: the filter may have removed it.
      (key, flag) => flag && report(key, flag),
      warn,
      accessedKeys,
    )
  const readAndReport = (key: string): ResolvedFlag | undefined => {
    const flag = flags.get(key)
    accessedKeys.add(key)
    report(key, flag)
    return flag
  }

  return Object.freeze({
    distinctId,
    keys: Object.freeze([...flags.keys()]),
    isEnabled: (key: string) => !!getFlagValue(readAndReport(key)),
    getFlag: (key: string) => getFlagValue(readAndReport(key)),
    peekFlag: (key: string) => getFlagValue(flags.get(key)),
    ...keepEqual({ getFlagPayload: (key: string) => getFlagPayload(flags.get(key)) }),
    only(keys: readonly string[]) {
      const unknownKeys = keys.filter((key) => !flags.has(key))
      if (unknownKeys.length) warn(`only() got unknown flags: ${unknownKeys.join(', ')}`)
      return filter(new Set(keys))
    },
    onlyAccessed: () => filter(accessedKeys),
    eventProperties: () => (eventProperties ??= Object.freeze(createEventProperties(flags))),
  })
}

const createEventProperties = (flags: ReadonlyMap<string, ResolvedFlag>): Record<string, unknown> => {
  if (flags.size === 0) return {}
  const values = [...flags].map(([key, flag]) => [key, getFlagValue(flag)] as const)
  return {
    ...Object.fromEntries(values.map(([key, value]) => [`$feature/${key}`, value])),
    $active_feature_flags: values.filter(([, value]) => value).map(([key]) => key),
  }
}
