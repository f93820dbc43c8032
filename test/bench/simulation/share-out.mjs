/**
 * Divides a whole number into whole numbers that are in proportion to the weights, and whose sum is the number. All are 0 if the weights are.
 *
 * @param {number} total
 * @param {readonly number[]} weights Not negative.
 */
export const shareOut = (total, weights) => {
  const sum = weights.reduce((added, weight) => added + weight, 0)
  let [weightSoFar, givenSoFar] = [0, 0]
  return weights.map((weight) => {
    weightSoFar += weight
    // The last quotient may be a little less than 1. Rounded down, so that no share is larger than its weight if the total is not.
    const upToHere = weightSoFar >= sum ? (sum === 0 ? 0 : total) : Math.floor((total * weightSoFar) / sum)
    const share = upToHere - givenSoFar
    givenSoFar = upToHere
    return share
  })
}
