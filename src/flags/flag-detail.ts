import type { FlagDetail, FlagValue } from '../wire/decide.ts'

/** Plain values and their payloads, in the form that an answer of `/flags` gives them. */
export const flagDetails = (
  values: Readonly<Record<string, FlagValue>> | null | undefined,
  payloads: Readonly<Record<string, unknown>> | null | undefined,
): Record<string, FlagDetail> => {
  const details: Record<string, FlagDetail> = {}
  for (const key in values) {
    const value = values[key]
    details[key] = {
      enabled: !!value,
      variant: typeof value === 'string' ? value : undefined,
      metadata: { payload: payloads?.[key] },
    }
  }
  return details
}

/** Undefined for what is no flag: keys are user texts, and `constructor` finds what every object has. */
export const valueOf = (flag: FlagDetail | undefined): FlagValue | undefined => flag?.enabled && (flag.variant ?? true)

/** The payload as a value: JSON text is parsed, any other text is itself. Undefined when there is none. */
export const payloadOf = (flag: FlagDetail | undefined): unknown => {
  const payload = flag?.metadata?.payload ?? undefined
  try {
    return typeof payload === 'string' ? JSON.parse(payload) : payload
  } catch {
    return payload
  }
}
