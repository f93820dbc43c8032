/** The random bits are created again after this time. */
const RANDOM_BITS_TTL_MS = 1_000

/**
 * Creates a generator of version 7 uuids (RFC 9562, 5.7) that always grow, also when sorted as strings. Within a millisecond a 12-bit
 * counter grows (RFC 9562, 6.2, method 1). When the counter is used up or the clock goes back, the generator continues from its last time.
 *
 * The 62 random bits change at most once a second. Time and counter distinguish the uuids of one generator; the random bits distinguish
 * generators. New random bits per uuid would take ten times as long. Without them, the uuids of a batch compress to a few bytes each.
 *
 * @param random Returns `length` random bytes.
 * @returns A function of the time in milliseconds since 1970.
 */
export const createUuidV7 = (random: (length: number) => Uint8Array): ((now: number) => string) => {
  let timeMs = -1
  let counter = 0
  let head = ''
  let tail = ''
  let tailCreatedAt = -Infinity
  return (now) => {
    if (Math.abs(now - tailCreatedAt) >= RANDOM_BITS_TTL_MS) {
      tailCreatedAt = now
      tail = ''
      random(8).forEach((byte, index) => {
        tail += (index ? byte + 256 : (byte & 0x3f) + 384).toString(16).slice(1) + (index === 1 ? '-' : '')
      })
    }
    if (now > timeMs || ++counter > 0xfff) {
      timeMs = Math.max(Math.floor(now), timeMs + 1)
      counter = 0
      head = timeMs.toString(16).padStart(12, '0')
    }
    return `${head.slice(0, 8)}-${head.slice(8)}-${(0x7000 + counter).toString(16)}-${tail}`
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether a string is a uuid of any version. */
export const isUuid = (value: string | undefined): value is string => UUID.test(value!)

/** The milliseconds since 1970 in a version 7 uuid; undefined for any other string. */
export const timeOfUuidV7 = (uuid: string): number | undefined =>
  isUuid(uuid) && /^.{14}7.{4}[89ab]/i.test(uuid) ? parseInt(uuid.replace('-', ''), 16) : undefined
