import type { Work } from '../../work-in-chunks.ts'
import type { FunnelNumbers, FunnelView, StepNumbers } from '../question/funnel.ts'
import type { ActorEvents, Chain, Positions } from './actor-events.ts'
import { hasStep, SKIPPED } from './actor-events.ts'

/** What was counted of one group. Its meaning depends on the view. */
export interface Tally {
  /** Actors who began. */
  actors: number
  readonly counts: number[]
  /** Lists of milliseconds. */
  readonly times: number[][]
}

/** How the conversions of actors are counted for a view. */
export interface TallyRules {
  readonly create: () => Tally
  /** The ranges of events that each may begin a conversion. */
  readonly divideStarts: (events: ActorEvents) => readonly Positions[]
  /** Whether a conversion counts. */
  readonly counts: (chain: Chain) => boolean
  /** Adds a conversion that counts. */
  readonly add: (tally: Tally, events: ActorEvents, chain: Chain) => void
  readonly toNumbers: (tally: Tally) => Work<FunnelNumbers>
}

export const createTallyRules = (view: FunnelView, stepCount: number): TallyRules => {
  switch (view.kind) {
    case 'steps':
      return tallySteps(stepCount)
    case 'times':
      return tallyTimes(view)
    default:
      return tallyRates(view)
  }
}

const createTally = (countLength: number, listLength: number): Tally => ({
  actors: 0,
  counts: Array.from({ length: countLength }, () => 0),
  times: Array.from({ length: listLength }, () => []),
})

const allAtOnce: TallyRules['divideStarts'] = ({ count }) => [{ from: 0, before: count }]

/** Each step has a count, and a list of the times since the step that was done before. */
const tallySteps = (stepCount: number): TallyRules => ({
  create: () => createTally(stepCount, stepCount),
  divideStarts: allAtOnce,
  counts: (chain) => chain.length > 0,
  add(tally, { times }, chain) {
    tally.actors += 1
    let before = SKIPPED
    for (let step = 0; step < chain.length; step++) {
      const position = chain[step]!
      if (position === SKIPPED) continue
      tally.counts[step]! += 1
      if (before !== SKIPPED) tally.times[step]!.push(times[position]! - times[before]!)
      before = position
    }
  },
  *toNumbers({ counts, times }) {
    const steps: StepNumbers[] = []
    for (const [step, count] of counts.entries()) {
      const [averageSeconds, medianSeconds] = [averageOf(times[step]!), medianOf(times[step]!)]
      steps.push({ count, averageSeconds, medianSeconds })
      yield
    }
    return { kind: 'steps', steps }
  },
})

/** The only list has the times of all conversions. */
const tallyTimes = ({ fromStep, toStep, binCount }: Extract<FunnelView, { readonly kind: 'times' }>): TallyRules => ({
  create: () => createTally(0, 1),
  divideStarts: allAtOnce,
  counts: (chain) => chain.length > 0,
  add(tally, { times }, chain) {
    tally.actors += 1
    if (hasStep(chain, fromStep) && hasStep(chain, toStep))
      tally.times[0]!.push(times[chain[toStep]!]! - times[chain[fromStep]!]!)
  },
  *toNumbers({ times: [times = []] }) {
    yield
    return { kind: 'times', averageSeconds: averageOf(times), bins: divideIntoBins(times, binCount) }
  },
})

/** Each period has two counts: who did `fromStep`, and who then did `toStep`. */
const tallyRates = ({
  fromStep,
  toStep,
  periods: { starts },
}: Extract<FunnelView, { readonly kind: 'rates' }>): TallyRules => ({
  create: () => createTally(2 * starts.length, 0),
  divideStarts({ count, times }) {
    const ranges: Positions[] = []
    let before = 0
    while (before < count) {
      const from = before
      const end = starts[findPeriod(starts, times[from]!) + 1] ?? Infinity
      while (before < count && times[before]! < end) before++
      ranges.push({ from, before })
    }
    return ranges
  },
  counts: (chain) => hasStep(chain, fromStep),
  add(tally, { times }, chain) {
    const period = findPeriod(starts, times[chain[0]!]!)
    tally.actors += 1
    tally.counts[2 * period]! += 1
    if (hasStep(chain, toStep)) tally.counts[2 * period + 1]! += 1
  },
  *toNumbers({ counts }) {
    yield
    const rates = starts.map((_, period) => {
      const [began, converted] = [counts[2 * period]!, counts[2 * period + 1]!]
      return began === 0 ? 0 : (100 * converted) / began
    })
    return { kind: 'rates', rates }
  },
})

/** The index of the last start that is not after a time; the first is not after any event. */
const findPeriod = (starts: readonly number[], time: number): number => {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (starts[middle]! <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** In seconds. */
const averageOf = (times: readonly number[]): number | null =>
  times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length / 1000

/** In seconds. */
const medianOf = (times: readonly number[]): number | null => {
  if (times.length === 0) return null
  const sorted = Float64Array.from(times).sort()
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2 / 1000
}

const MAX_BINS = 60

/** Divides times into bins of the same width from the least to the greatest; equal times are one bin. */
const divideIntoBins = (times: readonly number[], binCount: number | null): readonly (readonly [number, number])[] => {
  if (times.length === 0) return []
  const least = times.reduce((a, b) => Math.min(a, b))
  const greatest = times.reduce((a, b) => Math.max(a, b))
  if (least === greatest) return [[least / 1000, times.length]]
  const length = Math.min(binCount ?? Math.ceil(Math.cbrt(times.length)), MAX_BINS)
  const counts = Array.from({ length }, () => 0)
  for (const time of times)
    counts[Math.min(length - 1, Math.floor(((time - least) * length) / (greatest - least)))]! += 1
  return counts.map((count, index) => [(least + ((greatest - least) * index) / length) / 1000, count])
}
