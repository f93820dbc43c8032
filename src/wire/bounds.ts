/** Maximum size of the properties of one person or group, in bytes of JSON. A property that does not fit is left out. */
export const MAX_PERSON_PROPERTIES_BYTES: number = 512 * 1024
