import type { CohortDefinition, FlagDefinition, PropertyFilter } from '../../../wire/definition.ts'

/** A flag (named by key) or a cohort (named by id) that a definition refers to. */
export interface Reference {
  readonly kind: 'flag' | 'cohort'
  readonly name: string
  /** Path of the reference in the definition, such as `filters.groups[0].properties[1]`. */
  readonly attr: string
}

type Entry = CohortDefinition | PropertyFilter

/** Whether an entry of a cohort is a group of entries. */
export const isCohortGroup = (entry: Entry): entry is Extract<CohortDefinition, { readonly values: unknown }> =>
  'values' in entry && Array.isArray(entry.values)

/** Whether an entry of a cohort is a filter. */
export const isFilter = (entry: Entry): entry is PropertyFilter => !isCohortGroup(entry) && 'key' in entry

const findEntryReferences = (entry: Entry, attr: string): readonly Reference[] => {
  if (isCohortGroup(entry))
    return entry.values.flatMap((each, index) => findEntryReferences(each, `${attr}.values[${index}]`))
  if (!isFilter(entry)) return []
  if (entry.type === 'cohort') return [{ kind: 'cohort', name: String(Number(entry.value)), attr }]
  return entry.type === 'flag' ? [{ kind: 'flag', name: entry.key, attr }] : []
}

/** The flags and cohorts that a flag refers to, in the order of the definition. */
export const findFlagReferences = ({ filters }: Pick<FlagDefinition, 'filters'>): readonly Reference[] =>
  filters.groups.flatMap(({ properties }, group) =>
    (properties ?? []).flatMap((filter, index) =>
      findEntryReferences(filter, `filters.groups[${group}].properties[${index}]`),
    ),
  )

/** The flags and cohorts that a cohort refers to, in the order of the definition. */
export const findCohortReferences = (properties: CohortDefinition): readonly Reference[] =>
  findEntryReferences(properties, 'filters.properties')

/** The index of a group type that a flag is evaluated for. */
export interface GroupIndex {
  readonly index: number
  /** Path of the index in the definition. */
  readonly attr: string
}

/** The group types that a flag or one of its conditions is evaluated for. */
export const findGroupIndexes = ({ filters }: Pick<FlagDefinition, 'filters'>): readonly GroupIndex[] =>
  [filters, ...filters.groups].flatMap(({ aggregation_group_type_index: index }, position) =>
    index === undefined || index === null
      ? []
      : [{ index, attr: `filters${position === 0 ? '' : `.groups[${position - 1}]`}.aggregation_group_type_index` }],
  )
