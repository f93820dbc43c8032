import { randomBytes } from '../browser/random.ts'
import type { RandomBytes } from '../../port/random.ts'

/** Fills an array with random bytes: `getRandomValues` of `crypto`, `expo-crypto` or `react-native-get-random-values`. */
export type GetRandomValues = (bytes: Uint8Array) => unknown

/** @param getRandomValues Default: that of the global `crypto`, or `Math.random` where there is none. */
export const createAppRandom = (getRandomValues: GetRandomValues | undefined): RandomBytes =>
  getRandomValues
    ? (length) => {
        const bytes = new Uint8Array(length)
        getRandomValues(bytes)
        return bytes
      }
    : randomBytes
