import type { Json } from '../../../src/wire/json.ts'
import { unsuited } from './open.ts'
import { printed } from './rule.ts'
import type { Knowledge, Rule } from './rule.ts'

/** `exact`: any element of the value. */
export const exact: Rule = (wanted, knowledge) => {
  const elements = Array.isArray(wanted) ? wanted : [wanted]
  const byTruth = knowledge.version === 2 ? Array.isArray(wanted) && wanted.length === 0 : saysTruth(wanted)
  if (byTruth) return (given) => isTrue(wanted) === isTrue(given)
  return (given) => {
    let open: unknown
    for (const element of elements)
      try {
        if (equal(element, given, knowledge)) return true
      } catch (error) {
        if (elements.length > 1 && knowledge.deviations.has('every integer is open')) throw error
        open ??= error
      }
    if (open) throw open
    return false
  }
}

/** A boolean, text that says one, or a list of only such. */
const saysTruth = (value: Json): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && /^(true|false)$/iu.test(value)) ||
  (Array.isArray(value) && value.every(saysTruth))

const isTrue = (value: Json): boolean =>
  value === true ||
  (typeof value === 'string' && value.toLowerCase() === 'true') ||
  (Array.isArray(value) && value.every(isTrue))

/**
 * Equal when printed. Whether 1 was written 1 or 1.0 is lost in `JSON.parse`, and the service prints them differently: beside
 * a text it may or may not be, the question stays open. Of two numbers it does not matter how they print.
 */
const equal = (wanted: Json, given: Json, { complete, deviations }: Knowledge): boolean => {
  if (!complete) {
    const [one, other] = typeof wanted === 'string' ? [wanted, given] : [given, wanted]
    const mayBe = typeof other === 'number' ? one !== '' && Number(one) === other : true
    if (typeof one === 'string' && typeof other !== 'string' && hasInteger(other) && mayBe) unsuited()
    const withInteger = (hasInteger(wanted) || hasInteger(given)) && (typeof given !== 'number' || !saysTruth(wanted))
    if (withInteger && deviations.has('every integer is open')) unsuited()
  }
  return printed(wanted).toLowerCase() === printed(given).toLowerCase()
}

const hasInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasInteger) : Number.isInteger(value)
