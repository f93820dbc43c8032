import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test.each(['script', 'script-capture', 'script-core', 'waymark-delivery-1'])(
  'Chromium is told to compile all functions of %s.js at once',
  (name) => {
    // Chromium reads the hint only at the start of a file: a minifier or a licence must not come before it.
    expect(readFileSync(`dist/${name}.js`, 'utf8')).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/)
  },
)
