import type { RandomBytes } from '../../port/random.ts'

/** Secure random bytes; falls back to `Math.random` where `crypto` is missing (React Native without a polyfill). */
export const randomBytes: RandomBytes = (length) => {
  const bytes = new Uint8Array(length)
  try {
    return globalThis.crypto.getRandomValues(bytes)
  } catch {
    return bytes.map(() => Math.random() * 256)
  }
}
