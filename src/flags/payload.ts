/** A payload as the service sent it, as a value: JSON text is parsed, any other text is itself. Undefined when there is none. */
export const parsePayload = (raw: unknown): unknown => {
  try {
    return typeof raw === 'string' ? JSON.parse(raw) : (raw ?? undefined)
  } catch {
    return raw
  }
}
