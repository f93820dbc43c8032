let share = 1

/** Sets the share of the examples that property tests of this file try, for a store that takes longer. At least one is tried. */
export const shareRuns = (part: number): void => {
  share = part
}

/** The number of examples of a property test. */
export const runsOf = (count: number): number => Math.max(1, Math.round(count * share))
