/** Nice numbers of periods between two labels: a week has seven days. */
const STEPS = [1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 50]

const GAP = 18

/**
 * The indexes of the periods that get a label on an axis, evenly spaced from the first one on, so that labels do not overlap.
 *
 * @param labelWidth Width of the widest label.
 * @param axisWidth Width of the whole axis, in the same unit.
 */
export const chooseTicks = (count: number, labelWidth: number, axisWidth: number): readonly number[] => {
  const fitting = Math.max(1, Math.floor(axisWidth / (labelWidth + GAP)))
  const step = findStep(count / fitting)
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

const findStep = (least: number): number => {
  for (let power = 1; ; power *= 10) {
    const step = STEPS.find((each) => each * power >= least)
    if (step !== undefined) return step * power
  }
}
