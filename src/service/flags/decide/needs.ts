import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { CompiledFlag } from '../../../evaluate/compiled-flag.ts'
import { GEO_PROPERTIES } from '../../geo/geo.ts'

/** What evaluating a flag takes that is stored. */
export interface Needs {
  /** Properties of persons that are looked at: when none is missing, no person need be read. */
  readonly personKeys: ReadonlySet<string>
  /** The same for groups, by group type. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether it is looked at where a person is. */
  readonly readsGeo: boolean
  /** Whether the value of the id before `identify` is kept. */
  readonly isContinuous: boolean
}

type SetOfFlags = Pick<CompiledSet, 'flags' | 'personKeys' | 'groupKeys' | 'findings' | 'chains'>

/** Every evaluation knows these, so nobody need read them. */
const without = (keys: ReadonlySet<string>, known: string): ReadonlySet<string> =>
  new Set([...keys].filter((key) => key !== known))

/** Groups and devices are hashed by ids of their own. */
const keepsHash = ({ continuity, byDevice, groupType, settled }: CompiledFlag): boolean =>
  continuity && !byDevice && groupType === undefined && settled === undefined

const needsFor = (
  personKeys: ReadonlySet<string>,
  groupKeys: Iterable<readonly [string, ReadonlySet<string>]>,
  isContinuous: boolean,
): Needs => ({
  personKeys: without(personKeys, 'distinct_id'),
  groupKeys: new Map([...groupKeys].map(([type, keys]) => [type, without(keys, '$group_key')])),
  readsGeo: GEO_PROPERTIES.some((key) => personKeys.has(key)),
  isContinuous,
})

const NO_KEYS: ReadonlySet<string> = new Set()

/**
 * Makes the function that tells what some flags of a set need, with the flags that their values take; what they need is all
 * of the list together. For all flags it is one item.
 */
export const createNeeds = ({
  flags,
  personKeys,
  groupKeys,
  findings,
  chains,
}: SetOfFlags): ((wanted: readonly CompiledFlag[]) => readonly Needs[]) => {
  const whole = needsFor(personKeys, groupKeys, [...flags.values()].some(keepsHash))
  const known = new Map<string, Needs>()
  const needsOf = (flag: CompiledFlag): Needs => {
    const own = [...(findings.get(flag.key) ?? [])]
    const groups = own.flatMap(([type, { keys }]) => (type === undefined ? [] : [[type, keys] as const]))
    return needsFor(findings.get(flag.key)?.get(undefined)?.keys ?? NO_KEYS, groups, keepsHash(flag))
  }
  for (const flag of flags.values()) known.set(flag.key, needsOf(flag))
  return (wanted) => {
    if (wanted.length === flags.size) return [whole]
    // One on a circle, or behind one, takes no other.
    const taken = new Set(wanted.flatMap(({ key }) => chains.get(key) ?? [key]))
    return [...taken].map((key) => known.get(key)!)
  }
}
