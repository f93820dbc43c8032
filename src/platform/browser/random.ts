import type { RandomBytes } from '../../port/random.ts'

/** The platform's secure random bytes; `Math.random` where there are none (React Native without a polyfill). */
export const randomBytes: RandomBytes = (length) => {
  const bytes = new Uint8Array(length)
  try {
    return crypto.getRandomValues(bytes)
  } catch {
    return bytes.map(() => Math.random() * 256)
  }
}
