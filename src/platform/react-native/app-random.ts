import type { RandomBytes } from '../../port/random.ts'
import { tryOr } from '../../lib/try-or.ts'
import { randomBytes } from '../web/random.ts'

/** Fills an array with random bytes: `getRandomValues` of `crypto`, `expo-crypto` or `react-native-get-random-values`. */
export type GetRandomValues = (bytes: Uint8Array) => unknown

/** @param getRandomValues Default, also where it throws: that of the global `crypto`, or `Math.random` where there is none. */
export const createAppRandom =
  (getRandomValues: GetRandomValues | undefined): RandomBytes =>
  (length) => {
    const bytes = new Uint8Array(length)
    const isFilled = tryOr(() => getRandomValues && (getRandomValues(bytes), true))
    return isFilled ? bytes : randomBytes(length)
  }
