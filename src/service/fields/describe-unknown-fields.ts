/** Fields that warnings name: a client chooses how many there are. */
const MAX_NAMED = 20

/**
 * A warning for each unknown field.
 *
 * @param noun What does not have the fields: `a feature flag`.
 * @param consequence What happens to the fields: `it is not stored`.
 */
export const describeUnknownFields = (
  paths: readonly string[],
  noun: string,
  consequence: string,
): readonly string[] => {
  const warnings = paths.slice(0, MAX_NAMED).map((path) => `"${path}" is not a field of ${noun}: ${consequence}.`)
  const others = paths.length - warnings.length
  return others === 0 ? warnings : [...warnings, `There are ${others} more such fields.`]
}
