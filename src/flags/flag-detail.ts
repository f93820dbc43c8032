import { tryOr } from '../lib/try-or.ts'
import type { FlagDetail, FlagValue } from '../wire/decide.ts'
import type { FlagResult } from './flag-verbs.ts'

/** Converts plain values and their payloads to the form of a `/flags` response. */
export const createFlagDetails = (
  values: Readonly<Record<string, FlagValue>> | null | undefined,
  payloads: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, FlagDetail> =>
  // Unlike an assignment, it also keeps a flag named `__proto__`.
  Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [
      key,
      {
        enabled: !!value,
        variant: typeof value === 'string' ? value : undefined,
        metadata: { payload: payloads?.[key] },
      },
    ]),
  )

/** Returns undefined for an unknown flag, and for an inherited property such as `constructor`, which a look-up by key can return. */
export const getFlagValue = (flag: FlagDetail | undefined): FlagValue | undefined =>
  flag?.enabled && (flag.variant ?? true)

/** Returns the payload: JSON strings are parsed, other strings are returned unchanged. Undefined when there is none. */
export const getFlagPayload = (flag: FlagDetail | undefined): unknown => {
  const payload = flag?.metadata?.payload ?? undefined
  return typeof payload === 'string' ? tryOr(() => JSON.parse(payload) as unknown, payload) : payload
}

/** Returns value, variant and payload together. Undefined for an unknown flag. */
export const getFlagResult = (key: string, flag: FlagDetail | undefined): FlagResult | undefined => {
  const value = getFlagValue(flag)
  return value === undefined
    ? value
    : {
        key,
        enabled: !!value,
        variant: typeof value === 'string' ? value : undefined,
        payload: getFlagPayload(flag),
      }
}
