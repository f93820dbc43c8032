/**
 * Creates a uuid of version 7 (RFC 9562, 5.7).
 *
 * @param {number} timestampMs Milliseconds since 1970.
 * @param {() => number} random Numbers from 0 to below 1.
 */
export const createUuid = (timestampMs, random) => {
  const hex = (digits) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const time = Math.floor(timestampMs).toString(16).padStart(12, '0')
  // The generators of the benches have 32 bits, so the last group takes two numbers.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${'89ab'[Math.floor(random() * 4)]}${hex(3)}-${hex(6)}${hex(6)}`
}
