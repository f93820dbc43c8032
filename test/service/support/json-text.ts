import * as fc from 'fast-check'

/** JSON as clients may write it: with white space, escapes, numbers of any form, names that occur twice and names that are integers. */

const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n')

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'Z', '$', ',', '{', ']', ':', ' ', '/', '\u007f') },
  { weight: 2, arbitrary: fc.constantFrom('é', '€', '🙂', '\u2028') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\\"',
      '\\\\',
      '\\/',
      '\\n',
      '\\u00e9',
      '\\ud83d\\ude42',
      '\\ud800',
      '\\u0000',
      '\\u0041',
    ),
  },
)
const stringText = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(character, { maxLength: 8 }) },
    { weight: 1, arbitrary: fc.array(character, { minLength: 20, maxLength: 80 }) },
  )
  .map((characters) => `"${characters.join('')}"`)

const numberText = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '1.50',
    '1.5',
    '-2.25',
    '1e3',
    '1E-9',
    '1e999',
    '0.0000001',
    '0.000001',
    '123456789012345',
  ),
  fc.constantFrom('1234567890123456789', '-0.0', '0.1', '10', '99.99', '123456789.123456', '1234567890.123456', '-7'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
)

const nameText = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('"a"', '"b"', '"plan"', '"$browser"', '"$groups"', '"x y"', '"é"', '""') },
  { weight: 1, arbitrary: fc.constantFrom('"1"', '"01"', '"__proto__"', '"a\\u0062"', `"${'n'.repeat(101)}"`) },
  { weight: 2, arbitrary: stringText },
)

const { object, value } = fc.letrec<{ object: string; value: string }>((tie) => ({
  object: fc
    .array(fc.tuple(space, nameText, space, space, tie('value'), space), { maxLength: 14 })
    .map(
      (members) =>
        `{${members.map(([before, name, afterName, beforeValue, text, after]) => `${before}${name}${afterName}:${beforeValue}${text}${after}`).join(',')}}`,
    ),
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { weight: 4, arbitrary: stringText },
    { weight: 4, arbitrary: numberText },
    { weight: 2, arbitrary: fc.constantFrom('true', 'false', 'null') },
    { weight: 1, arbitrary: tie('object') },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`) },
  ),
}))

/** The text of a JSON object. */
export const objectText: fc.Arbitrary<string> = object

/** The text of any JSON value. */
export const valueText: fc.Arbitrary<string> = value
