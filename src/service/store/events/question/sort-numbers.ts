/** Up to so many numbers are sorted in JavaScript: a call of `sort` takes as long as 20 of them. */
const MAX_INSERTED = 32

/** Sorts the first numbers of an array. */
export const sortNumbers = (numbers: Float64Array, count: number): void => {
  if (count > MAX_INSERTED) {
    numbers.subarray(0, count).sort()
    return
  }
  for (let next = 1; next < count; next++) {
    const number = numbers[next]!
    let place = next
    for (; place > 0 && numbers[place - 1]! > number; place--) numbers[place] = numbers[place - 1]!
    numbers[place] = number
  }
}
