/**
 * Makes version 7 uuids (RFC 9562, 5.7) that only grow, in text order too: within a millisecond a 12-bit counter rises
 * (RFC 9562, 6.2, method 1), and when it is used up, or the clock goes back, the last time goes on.
 *
 * @param random Gives `length` random bytes.
 * @returns Takes the time in milliseconds since 1970.
 */
export const createUuidV7 = (random: (length: number) => Uint8Array): ((now: number) => string) => {
  let time = -1
  let counter = 0
  return (now) => {
    const bytes = random(10)
    if (now > time || ++counter > 0xfff) {
      time = Math.max(Math.floor(now), time + 1)
      // The top bit stays free, so that there is always room to count.
      counter = ((bytes[8]! & 7) << 8) | bytes[9]!
    }
    bytes[0] = (bytes[0]! & 0x3f) | 0x80
    let tail = ''
    for (let at = 0; at < 8; at++) tail += (bytes[at]! + 256).toString(16).slice(1)
    const head = time.toString(16).padStart(12, '0')
    const middle = (0x7000 + counter).toString(16)
    return `${head.slice(0, 8)}-${head.slice(8)}-${middle}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }
}

/** The milliseconds since 1970 inside a version 7 uuid; undefined for any other text. */
export const timeOfUuidV7 = (uuid: string): number | undefined =>
  /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(uuid)
    ? parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
    : undefined
