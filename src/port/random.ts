/** Returns random bytes for unique identifiers. Tests pass a seeded source. */
export type RandomBytes = (length: number) => Uint8Array
