import type { CohortDefinition, FlagDefinition, PropertyFilter } from '../../../wire/definition.ts'

/** A flag, named by its key, or a cohort, named by its id, that a definition looks at. */
export interface Reference {
  readonly kind: 'flag' | 'cohort'
  readonly name: string
  /** Where in the definition it stands, such as `filters.groups[0].properties[1]`. */
  readonly attr: string
}

type Entry = CohortDefinition | PropertyFilter

/** Whether an entry of a cohort is a group of entries, which has no key of its own. */
export const isCohortGroup = (entry: Entry): entry is Extract<CohortDefinition, { readonly values: unknown }> =>
  'values' in entry && Array.isArray(entry.values)

/** Whether an entry of a cohort is a filter. */
export const isFilter = (entry: Entry): entry is PropertyFilter => !isCohortGroup(entry) && 'key' in entry

const referencesOfEntry = (entry: Entry, attr: string): readonly Reference[] => {
  if (isCohortGroup(entry))
    return entry.values.flatMap((each, index) => referencesOfEntry(each, `${attr}.values[${index}]`))
  if (!isFilter(entry)) return []
  if (entry.type === 'cohort') return [{ kind: 'cohort', name: String(Number(entry.value)), attr }]
  return entry.type === 'flag' ? [{ kind: 'flag', name: entry.key, attr }] : []
}

/** The flags and cohorts that a flag looks at, in written order. */
export const referencesOfFlag = ({ filters }: Pick<FlagDefinition, 'filters'>): readonly Reference[] =>
  filters.groups.flatMap(({ properties }, group) =>
    (properties ?? []).flatMap((filter, index) =>
      referencesOfEntry(filter, `filters.groups[${group}].properties[${index}]`),
    ),
  )

/** The flags and cohorts that a cohort looks at, in written order. */
export const referencesOfCohort = (properties: CohortDefinition): readonly Reference[] =>
  referencesOfEntry(properties, 'filters.properties')

/** A group type, by its index, that a flag is for. */
export interface GroupIndex {
  readonly index: number
  /** Where in the definition it stands. */
  readonly attr: string
}

/** The group types that a flag, or one of its conditions, is for. */
export const groupIndexesOf = ({ filters }: Pick<FlagDefinition, 'filters'>): readonly GroupIndex[] =>
  [filters, ...filters.groups].flatMap(({ aggregation_group_type_index: index }, place) =>
    index === undefined || index === null
      ? []
      : [{ index, attr: `filters${place === 0 ? '' : `.groups[${place - 1}]`}.aggregation_group_type_index` }],
  )
