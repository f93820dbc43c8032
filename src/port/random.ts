/** Random bytes, good enough for identifiers that never collide; tests give a seeded source. */
export type RandomBytes = (length: number) => Uint8Array
