/** A function whose result can be much longer than its arguments. */
export interface GrowingFunction {
  /** Null if the length of the result is a product of arguments; else the number of times that it is longer than all of them. */
  readonly factor: number | null
  /** How it can be called with so many arguments; none for a number that DuckDB does not know. */
  readonly overloads: (arity: number) => readonly Overload[]
  /** What a call may do, for an error. Default: make so many bytes. */
  readonly describe?: (bytes: number) => string
}

/** One form of a call. */
export interface Overload {
  /** Names, with their types where the form depends on them. */
  readonly parameters: readonly string[]
  /** SQL for an upper bound of the result's bytes. */
  readonly bytes: string
  /** SQL for the result. Default: calls DuckDB's function with the parameters. */
  readonly call?: string
}

const MAX_ARITY = 100

/** A function with this number of arguments, or numbers from and to. */
const createFunction = (
  factor: number | null,
  arity: number | readonly [number, number],
  bytes: (...names: readonly string[]) => string,
): GrowingFunction => {
  const [least, most] = typeof arity === 'number' ? [arity, arity] : arity
  return {
    factor,
    overloads(count) {
      if (count < least || count > most) return []
      const parameters = Array.from({ length: count }, (_, index) => `a${index}`)
      return [{ parameters, bytes: bytes(...parameters) }]
    },
  }
}

/** Names the schema: a query may replace `+` itself. */
const sum = (...parts: readonly string[]): string => parts.reduce((total, part) => `system.main."+"(${total}, ${part})`)

/** The bytes of any value as text; null has none. */
const size = (name: string): string => `coalesce(strlen(${name}::VARCHAR), 0)`

/** The bytes of any value as text, times a number. */
const times = (factor: number) => createFunction(factor, [1, 3], (value = '') => `${factor} * ${size(value)}`)

const joined = createFunction(1, [1, MAX_ARITY], (...values) => sum(...values.map(size)))

const padded = createFunction(null, 3, (_, length) => `4 * ${length}::BIGINT`)

const resized = createFunction(null, [2, 3], (_, length, value) =>
  value === undefined ? `8 * ${length}::HUGEINT` : `${length}::HUGEINT * (8 + ${size(value)})`,
)

/** An element takes up to 16 bytes, which is little beside the string only where that is long. */
const split = createFunction(1, [2, 4], (string = '') => `4 * ${size(string)}`)

/** A width has up to three digits. `{:{}}` and `*` take the width from an argument. */
const formatted = createFunction(
  null,
  [1, MAX_ARITY],
  (format = '', ...values) =>
    `CASE WHEN regexp_matches(${format}, '[0-9]{4}|[{][^}]*[{]|[%][^a-zA-Z]*[*]') THEN 1e18
      ELSE ${sum(
        `strlen(${format})`,
        `${sum(`strlen(${format}) / 3`, '1')} * ${sum(
          `CASE WHEN regexp_matches(${format}, '[0-9]{2}') THEN 1000 ELSE 10 END`,
          ...values.map(size),
        )}`,
      )} END`,
)

const SERIES_TYPES = ['TIMESTAMP', 'TIMESTAMPTZ', 'DATE']

/** A list of numbers or times. Used in FROM, the same names are table functions, which make rows one after the other. */
const series: GrowingFunction = {
  factor: null,
  overloads(count) {
    if (count === 1) return [{ parameters: ['a0'], bytes: '8 * a0::HUGEINT' }]
    if (count === 2) return [{ parameters: ['a0', 'a1'], bytes: '8 * (a1::HUGEINT - a0::HUGEINT)' }]
    if (count !== 3) return []
    return [
      {
        parameters: ['a0 BIGINT', 'a1 BIGINT', 'a2 BIGINT'],
        bytes: '8 * abs((a1::HUGEINT - a0::HUGEINT) / nullif(a2, 0))',
      },
      ...SERIES_TYPES.map((type) => ({
        parameters: [`a0 ${type}`, `a1 ${type}`, 'a2 INTERVAL'],
        bytes: '8 * abs((epoch(a1) - epoch(a0)) / nullif(epoch(a2), 0))',
      })),
    ]
  },
}

/** DuckDB binds the function only if its options are a constant. */
const REGEXP_OPTIONS = [
  '',
  'g',
  'i',
  'gi',
  'ig',
  'c',
  's',
  'gs',
  'sg',
  'm',
  'gm',
  'mg',
  'n',
  'gn',
  'ng',
  'p',
  'gp',
  'pg',
]

const regexpReplace: GrowingFunction = {
  factor: null,
  overloads(count) {
    const bytes = `${sum('strlen(a0)', '1')}::HUGEINT * greatest(1, strlen(a2))`
    if (count === 3) return [{ parameters: ['a0', 'a1', 'a2'], bytes }]
    if (count !== 4) return []
    const cases = REGEXP_OPTIONS.map(
      (options) => `WHEN '${options}' THEN system.main.regexp_replace(a0, a1, a2, '${options}')`,
    )
    return [
      {
        parameters: ['a0', 'a1', 'a2', 'a3'],
        bytes,
        call: `CASE a3 ${cases.join(' ')} ELSE error('The options of regexp_replace are not known.') END`,
      },
    ]
  },
}

/**
 * Compares two texts letter by letter. DuckDB cannot be interrupted while it does so for 2,048 rows, so that the pairs of letters are
 * limited like bytes.
 */
const compared = (pairsPerByte: number): GrowingFunction => ({
  ...createFunction(null, [2, 3], (a, b) => `coalesce(strlen(${a})::HUGEINT * strlen(${b}) // ${pairsPerByte}, 0)`),
  describe: (bytes) => `compare ${bytes * pairsPerByte} pairs of letters`,
})

/** Joins lists. It also adds numbers and times, which DuckDB knows before it runs the query: it then leaves out the check. */
const plus: GrowingFunction = {
  factor: 1,
  overloads: (count) =>
    [
      { parameters: ['a0'], bytes: '0' },
      {
        parameters: ['a0', 'a1'],
        bytes: `CASE WHEN typeof(a0) LIKE '%]' THEN ${sum(size('a0'), size('a1'))} ELSE 0 END`,
      },
    ].slice(count - 1, count),
}

/**
 * The growing functions of DuckDB, by their names in lower case, and those whose work is a product of lengths. Aggregates are
 * not among them. DuckDB limits the memory of most of them; the growth of the process limits the others (`runQuery`).
 */
export const GROWING_FUNCTIONS: ReadonlyMap<string, GrowingFunction> = new Map<string, GrowingFunction>([
  ['repeat', createFunction(null, 2, (value, count) => `4 * len(${value})::HUGEINT * ${count}::HUGEINT`)],
  ['lpad', padded],
  ['rpad', padded],
  ['bar', createFunction(null, [3, 4], (_, __, ___, width) => (width === undefined ? '0' : `4 * ${width}::HUGEINT`))],
  ['bitstring', createFunction(null, 2, (_, length) => `${length}::HUGEINT / 8`)],
  ['equi_width_bins', createFunction(null, 4, (_, __, count) => `8 * ${count}::HUGEINT`)],
  ['list_resize', resized],
  ['array_resize', resized],
  ['range', series],
  ['generate_series', series],
  ['format', formatted],
  ['printf', formatted],
  [
    'replace',
    createFunction(
      null,
      3,
      (string, from, to) =>
        `strlen(${string})::HUGEINT * greatest(1, ceil(strlen(${to}) / greatest(1, strlen(${from}))))`,
    ),
  ],
  ['regexp_replace', regexpReplace],
  // Its result is null where an argument is.
  ['||', createFunction(1, 2, (a, b) => sum(`strlen(${a}::VARCHAR)`, `strlen(${b}::VARCHAR)`))],
  ['+', plus],
  ['concat', joined],
  ['list_concat', joined],
  ['list_cat', joined],
  ['array_concat', joined],
  ['array_cat', joined],
  [
    'concat_ws',
    createFunction(null, [2, MAX_ARITY], (separator = '', ...values) =>
      sum(`${values.length} * ${size(separator)}`, ...values.map(size)),
    ),
  ],
  [
    'array_to_string',
    createFunction(null, [1, 2], (list = '', separator) =>
      separator === undefined ? size(list) : sum(size(list), `len(${list}) * ${size(separator)}`),
    ),
  ],
  ['levenshtein', compared(2)],
  ['editdist3', compared(2)],
  // DuckDB takes only a constant as its format, so that it is no parameter of a macro: `checkFormat` checks it.
  ['strftime', { factor: null, overloads: () => [] }],
  // They compare many letters at once.
  ['jaro_similarity', compared(256)],
  ['jaro_winkler_similarity', compared(256)],
  ['flatten', createFunction(1, 1, (lists) => `8 * list_sum(list_transform(${lists}, list -> len(list)))`)],
  ['string_split', split],
  ['str_split', split],
  ['split', split],
  ['string_to_array', split],
  ['string_split_regex', split],
  ['str_split_regex', split],
  ['regexp_split_to_array', split],
  ['regexp_extract_all', split],
  ['hex', times(2)],
  ['to_hex', times(2)],
  ['bin', times(8)],
  ['to_binary', times(8)],
  ['base64', times(2)],
  ['to_base64', times(2)],
  ['url_encode', times(3)],
  ['icu_sort_key', times(4)],
  ['to_json', times(2)],
  ['json_quote', times(2)],
  ['array_to_json', times(2)],
  ['row_to_json', times(2)],
  [
    'json_pretty',
    createFunction(
      null,
      1,
      (json) =>
        `strlen(${json}::VARCHAR) * ${sum('1', `len(system.main.regexp_extract_all(${json}::VARCHAR, '[\\[{]'))`)}::HUGEINT`,
    ),
  ],
])
