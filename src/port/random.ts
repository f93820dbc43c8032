/** Random bytes, good enough for identifiers that never collide. Tests pass a seeded source. */
export type RandomBytes = (length: number) => Uint8Array
