/** Bodies one after the other in one buffer, which moves between threads as a whole. */
export interface PackedBodies {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each body ends. */
  readonly ends: Uint32Array<ArrayBuffer>
}

export const packBodies = (bodies: readonly Uint8Array[]): PackedBodies => {
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0))
  const ends = new Uint32Array(bodies.length)
  let end = 0
  for (const [index, body] of bodies.entries()) {
    bytes.set(body, end)
    end += body.length
    ends[index] = end
  }
  return { bytes, ends }
}

/** The bodies, without a copy. */
export const unpackBodies = ({ bytes, ends }: PackedBodies): Uint8Array[] =>
  Array.from(ends, (end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
