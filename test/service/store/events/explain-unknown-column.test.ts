import { describe, expect, it } from 'vitest'
import { explainUnknownColumn } from '../../../../src/service/store/events/explain-unknown-column.ts'

const explain = (name: string, sql: string): string =>
  explainUnknownColumn(name, sql, { quoteString: (value) => `'${value}'`, readProperty: (key) => `p('${key}')` })

describe('a column that does not exist', () => {
  it.each([
    ['plan', 'SELECT plan FROM events', "A property is read as p('plan')."],
    [
      'sign up',
      'SELECT 1 WHERE event = "sign up"',
      "Double quotes are for names of columns; write a string as 'sign up'. A property is read as p('sign up').",
    ],
    ['evnt', 'SELECT evnt FROM events', `Did you mean the column "event"? A property is read as p('evnt').`],
    ['browser', 'SELECT browser', `Did you mean the column "$browser"? A property is read as p('browser').`],
  ])('is explained: %s in %s', (name, sql, sentences) => {
    expect(explain(name, sql)).toBe(sentences)
  })
})
