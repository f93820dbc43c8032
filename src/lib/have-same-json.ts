/** Whether two values have the same JSON. */
export const haveSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
