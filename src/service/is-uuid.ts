const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether a string is a UUID, of any version, in either case. */
export const isUuid = (text: string): boolean => UUID.test(text)
