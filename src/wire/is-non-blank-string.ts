/** Whether a value can be a name or an id: a string with more than white space and NUL, which databases do not store. */
export const isNonBlankString = (value: unknown): value is string => typeof value === 'string' && /[^\s\0]/.test(value)
