import type { JsonObject } from '../../../wire/json.ts'
import { checkSentFields } from '../../fields/check-sent-fields.ts'
import type { ValueShape } from '../../fields/field-shape.ts'

/** Fields of one definition that warnings name. */
const MAX_NAMED = 20

/**
 * Warns of fields of a definition that have no effect. For definitions that are taken as they are: stored ones and those of files.
 *
 * @param name Names the definition: `Flag "a"`.
 * @param definition Nested no deeper than definitions may be.
 */
export const findDefinitionWarnings = (name: string, definition: JsonObject, shape: ValueShape): readonly string[] => {
  const { misspelled, unknown } = checkSentFields(definition, shape)
  const warnings = [
    ...misspelled.map(({ path, meant }) => `"${path}" is not a field and has no effect; use "${meant}".`),
    ...unknown.map((path) => `"${path}" is not a field and has no effect.`),
  ]
  return warnings.slice(0, MAX_NAMED).map((warning) => `${name}: ${warning}`)
}
