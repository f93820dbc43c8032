/** The number of an id in a URL path; null for any other string. 15 digits are always a safe integer. */
export const parseNumericId = (id: string): number | null => (/^\d{1,15}$/.test(id) ? Number(id) : null)
