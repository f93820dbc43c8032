import { date } from './date.ts'
import { equality } from './equality.ts'
import type { OperatorFactory } from './operator.ts'
import { order } from './order.ts'
import { presence } from './presence.ts'
import { regex } from './regex.ts'
import { semver } from './semver.ts'
import { text } from './text.ts'

/**
 * Every operator by its name in definitions; one file per family.
 *
 * Where implementations of the protocol disagree, and what holds here (service: where all properties are known; elsewhere:
 * where only those given are):
 *
 * | question | here |
 * |---|---|
 * | `undefined` | not there: no verdict elsewhere. `is_set` and `is_not_set` ask for the key alone |
 * | `null` | the text `null` for equality, parts and patterns; set for `is_set`; no match for numbers, dates, versions |
 * | NaN and the infinities | null, as on the wire |
 * | numbers as texts | as JavaScript prints them, in the service too: `1e+21`, which others print `1e21`, and `1e-7` |
 * | property missing elsewhere | no verdict, for `is_not_set` too: only the service knows what is not there |
 * | number beside an equal text | no verdict elsewhere: services tell 1 from 1.0. Two numbers are compared as numbers |
 * | `gt gte lt lte` | service: whole texts that are numbers, else no match; elsewhere: leading numbers, else order of texts |
 * | `gt gte lt lte` a value that is neither number nor text | not supported, in the service neither |
 * | a text too long for a pattern (see `compilePattern`) | no verdict, in the service neither |
 * | numbers as dates | milliseconds since 1970 |
 * | dates without a zone | UTC, in the service and elsewhere |
 * | what is no date or version | service: no match; elsewhere: no verdict |
 * | pre-releases, `1.07` | service: ordered, read as 1.7; elsewhere: ignored, no verdict |
 * | `between`, `icontains_multi`, their negations, `is_date_exact` | service only: no client knows them |
 */
export const operatorTable: ReadonlyMap<string, OperatorFactory> = new Map(
  Object.entries({ ...equality, ...text, ...order, ...date, ...semver, ...presence, ...regex }),
)
