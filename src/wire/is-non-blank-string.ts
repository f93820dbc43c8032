/** Whether a value can be a name or an id: a string with more than white space. */
export const isNonBlankString = (value: unknown): value is string => typeof value === 'string' && !!value.trim()
