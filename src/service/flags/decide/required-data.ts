import type { CompiledSet } from '../../../evaluate/compile.ts'
import type { CompiledFlag } from '../../../evaluate/compiled-flag.ts'
import { GEO_PROPERTIES } from '../../geo/geo-lookup.ts'

/** The stored data that the evaluation of one or more flags reads. */
export interface RequiredData {
  /** Person properties. When a request has all of them, the person need not be read. */
  readonly personKeys: ReadonlySet<string>
  /** Group properties, as group type to property keys. When a request has all of them, the groups need not be read. */
  readonly groupKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether the location of the person is used. */
  readonly usesGeo: boolean
  /** Whether a stored hash key is used, that is, whether a flag has experience continuity. */
  readonly usesHashKey: boolean
}

type FlagSetData = Pick<CompiledSet, 'flags' | 'personKeys' | 'groupKeys' | 'findings' | 'chains'>

/** Removes a property key whose value is known without reading stored data. */
const without = (keys: ReadonlySet<string>, excluded: string): ReadonlySet<string> =>
  new Set([...keys].filter((key) => key !== excluded))

/** Whether a flag is hashed by the stored key of the person. Flags for groups and devices are hashed by their own ids. */
const hasStoredHash = ({ continuity, byDevice, groupType, settled }: CompiledFlag): boolean =>
  continuity && !byDevice && groupType === undefined && settled === undefined

const createRequiredData = (
  personKeys: ReadonlySet<string>,
  groupKeys: Iterable<readonly [string, ReadonlySet<string>]>,
  usesHashKey: boolean,
): RequiredData => ({
  personKeys: without(personKeys, 'distinct_id'),
  groupKeys: new Map([...groupKeys].map(([type, keys]) => [type, without(keys, '$group_key')])),
  usesGeo: GEO_PROPERTIES.some((key) => personKeys.has(key)),
  usesHashKey,
})

const NO_KEYS: ReadonlySet<string> = new Set()

/**
 * Creates the function that finds the data for some flags of a set and the flags they depend on. Together, the items of the
 * list are what these flags require. For all flags of the set, the list has one item.
 */
export const createFindRequiredData = ({
  flags,
  personKeys,
  groupKeys,
  findings,
  chains,
}: FlagSetData): ((requested: readonly CompiledFlag[]) => readonly RequiredData[]) => {
  const whole = createRequiredData(personKeys, groupKeys, [...flags.values()].some(hasStoredHash))
  const byKey = new Map<string, RequiredData>()
  const requiredFor = (flag: CompiledFlag): RequiredData => {
    const flagFindings = [...(findings.get(flag.key) ?? [])]
    const groups = flagFindings.flatMap(([type, { keys }]) => (type === undefined ? [] : [[type, keys] as const]))
    return createRequiredData(findings.get(flag.key)?.get(undefined)?.keys ?? NO_KEYS, groups, hasStoredHash(flag))
  }
  for (const flag of flags.values()) byKey.set(flag.key, requiredFor(flag))
  return (requested) => {
    if (requested.length === flags.size) return [whole]
    // A flag in a dependency cycle, or depending on one, has no chain: its value needs no other flag.
    const needed = new Set(requested.flatMap(({ key }) => chains.get(key) ?? [key]))
    return [...needed].map((key) => byKey.get(key)!)
  }
}
