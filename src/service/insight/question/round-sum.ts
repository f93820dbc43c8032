/** Digits of a double that are certain: a decimal fraction is stored with an error in the 16th or 17th. */
const CERTAIN_DIGITS = 15

/** More decimals than this `toFixed` does not write. */
const MAX_DECIMALS = 100

/**
 * A sum of decimal fractions without the errors of binary ones: 0.1 + 0.2 is 0.3, and 19.99 + 5.01 - 25 is 0. A number that has no
 * shorter decimal next to it stays as it is, such as a third.
 *
 * @param magnitude The sum of what was added without signs: the errors are in proportion to it. Default: the sum itself.
 */
export const roundSum = (sum: number, magnitude: number = Math.abs(sum)): number => {
  if (Number.isInteger(sum) || !Number.isFinite(sum) || !Number.isFinite(magnitude)) return sum
  const decimals = CERTAIN_DIGITS - 1 - Math.floor(Math.log10(Math.max(magnitude, Math.abs(sum))))
  if (decimals < 1 || decimals > MAX_DECIMALS) return sum
  const rounded = Number(sum.toFixed(decimals - 1))
  // Its last certain digit is zero only by an error of the digits behind it, or one time in ten.
  return rounded === Number(sum.toFixed(decimals)) ? rounded + 0 : sum
}
