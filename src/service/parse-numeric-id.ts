/**
 * The number of an id in a URL path, written as the service writes it; null for any other string: `01` and `+1` are not `1`. 15 digits
 * are always a safe integer.
 */
export const parseNumericId = (id: string): number | null => (/^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : null)
