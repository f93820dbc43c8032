/** Whether a value is a string with at least one character, which may be white space. */
export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''
